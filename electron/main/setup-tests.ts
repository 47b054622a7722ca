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
 * Limits what the set-up page can learn by its tests. An installer needs to know why an address does not work, but a
 * compromised page could use the same tests to explore the network. So the tests are limited in number and report
 * little about new addresses; addresses from a set-up file, or saved ones, get the full report.
 */

const mostCalls = 10
const withinMs = 60_000

/**
 * Allows ten calls in a minute; a further one does nothing and fails with `refusal(seconds)`: how long to wait. For
 * calls by which a compromised page could send data to an address of its choice, or fill the disk or the memory.
 */
export class OutwardLimit {
  readonly #refusal: (seconds: number) => Failure
  readonly #ticks: () => number
  /** Times at which the last calls began. */
  #begun: number[] = []

  /** `ticks`: monotonic milliseconds. */
  constructor(refusal: (seconds: number) => Failure, ticks: () => number = () => performance.now()) {
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
 * Returns a printer's state. A printer that is not set up is not queried: the result only shows whether it can be
 * reached, and not why it cannot.
 */
export async function testPrinter(
  settings: PrinterSettings,
  printers: readonly PrinterEntry[],
  create: (entry: PrinterEntry) => PrinterPort,
): Promise<PrinterTest> {
  const entry = entryOf(settings)
  if (printers.some((one) => addressOf(one.settings) === addressOf(settings))) return create(entry).status()
  const isThere = await isReached(settings)
  // without an address: the folder is the desk's own, and Windows shows its printers to every program
  if (isThere === null) return create(entry).status()
  if (isThere) return { state: 'reached', failure: null }
  return {
    state: 'refused',
    failure: failure('printer.refused', { printer: entry.title, cause: 'unreachable' }),
  }
}

/** Returns the address of the connection and the printer language. */
function addressOf(settings: PrinterSettings): string {
  return addressOfPrinter(settings).id
}

/** Failures that a connection test returns only for a service of this API. */
const ofTheService = ['wms_unknown', 'customer_unknown']

/**
 * Returns the permitted part of a connection test. Over https it is all, because an installer needs name, port,
 * certificate and path. Plain http connects to this computer only, whose other programs the page must not explore: for
 * an address that is not set up the result only shows whether the service responds.
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

/** Limits the tests of printers and stations in the set-up. */
export function testLimit(ticks?: () => number): OutwardLimit {
  return new OutwardLimit((seconds) => failure('setup.too_many_tests', { seconds }), ticks)
}
