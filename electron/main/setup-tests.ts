import type { PrinterPort } from '#desk/ports/printers.ts'
import { isReached } from '#printing/printer-kinds.ts'
import {
  addressOfPrinter,
  type PrinterEntry,
  type PrinterSettings,
  type PrinterTest,
} from '#shared/bridge/printer-views.ts'
import { connectionSteps, type ConnectionState, type ConnectionTest } from '#shared/bridge/views.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { entryOf } from './printer-entry.ts'

/**
 * Limits the information that the set-up page gets from its tests. An installer must find out why an address does not
 * work, but a compromised page could use the same tests to explore the network. Therefore the number of tests is
 * limited. A test of a printer on the network, or of a server with plain http, reports little if its address is not set
 * up. All other tests report everything.
 */

const mostCalls = 10
const withinMs = 60_000

/**
 * Allows ten calls in a minute. A further call does nothing and fails with `refusal(seconds)`, where `seconds` is the
 * time to wait. The limit applies to calls by which a compromised page could send data to an address of its choice, or
 * fill the disk or the memory.
 */
export class OutwardLimit {
  readonly #refusal: (seconds: number) => Failure
  readonly #ticks: () => number
  /** The times at which the calls of the last minute began, in monotonic milliseconds. */
  #begun: number[] = []

  /** `ticks`: monotonic milliseconds. */
  constructor(
    refusal: (seconds: number) => Failure = (seconds) => failure('bridge.too_often', { seconds }),
    ticks: () => number = () => performance.now(),
  ) {
    this.#refusal = refusal
    this.#ticks = ticks
  }

  async run<T>(call: () => Result<T> | Promise<Result<T>>): Promise<Result<T>> {
    const now = this.#ticks()
    this.#begun = this.#begun.filter((at) => at > now - withinMs)
    const [oldest = now] = this.#begun
    if (this.#begun.length >= mostCalls)
      return { ok: false, error: this.#refusal(Math.ceil((oldest + withinMs - now) / 1000)) }
    this.#begun.push(now)
    return call()
  }
}

/**
 * Returns a printer's state. A printer on the network that is not set up is not asked for its state: the result only
 * shows whether a connection to it is possible.
 */
export async function testPrinter(
  settings: PrinterSettings,
  printers: readonly PrinterEntry[],
  create: (entry: PrinterEntry) => PrinterPort,
): Promise<PrinterTest> {
  const entry = entryOf(settings)
  if (printers.some((one) => addressOf(one.settings) === addressOf(settings))) return create(entry).status()
  const isThere = await isReached(settings)
  // `isThere` is null for a printer without a network address. Such a printer may be asked for its state, because the
  // page learns nothing secret from the result: the folder printer belongs to the desk, and Windows shows its printers
  // to every program.
  if (isThere === null) return create(entry).status()
  if (isThere) return { state: 'reached', failure: null }
  return {
    state: 'refused',
    failure: failure('printer.refused', { printer: entry.title, cause: 'unreachable' }),
  }
}

/** Returns a text that identifies the printer's connection and its language. */
function addressOf(settings: PrinterSettings): string {
  return addressOfPrinter(settings).id
}

/** Failures of a connection test that a server causes only if it is a service with this API. */
const ofTheService = ['wms_unknown', 'customer_unknown']

/**
 * Returns the part of a connection test's result that the page may see. With https the page sees the whole result,
 * because an installer needs the name, port, certificate and path. With plain http the connection leads to this
 * computer, and the page must not explore other programs on it: if the address is not set up, the page sees only
 * whether a service responds.
 */
export function toldOfConnection(
  test: ConnectionTest,
  baseUrl: string,
  saved: readonly string[],
): ConnectionTest {
  const { problem } = test
  const { protocol, hostname, port } = new URL(baseUrl)
  if (problem === null || protocol !== 'http:' || saved.includes(baseUrl)) return test
  if (ofTheService.includes(problem.code)) return test
  const states: Partial<Record<(typeof connectionSteps)[number], ConnectionState>> = {
    address: 'passed',
    name: 'not_needed',
    port: 'not_told',
    tls: 'not_needed',
    service: 'failed',
  }
  return {
    steps: Object.fromEntries(
      connectionSteps.map((step) => [step, states[step] ?? 'not_reached']),
    ) as ConnectionTest['steps'],
    problem: { code: 'unreachable', params: { host: hostname, port: port === '' ? 80 : Number(port) } },
    environment: null,
    tookMs: 0,
  }
}

/** Limits the number of tests of printers and stations that the set-up begins in a minute. */
export function testLimit(ticks?: () => number): OutwardLimit {
  return new OutwardLimit((seconds) => failure('setup.too_many_tests', { seconds }), ticks)
}
