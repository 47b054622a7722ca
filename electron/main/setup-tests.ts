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
 * What the set-up page may learn by its tests. An installer needs to know why an address does not work; a page that was
 * taken over would use the same tests to look around in the network. So they are limited in number, and say little about
 * addresses that nobody set up: what came by a set-up file, or was saved, is told in full.
 */

const mostCalls = 10
const withinMs = 60_000

/**
 * Lets ten calls in a minute through; one beyond them does nothing and fails with `refusal(seconds)`: how long to wait. For
 * calls by which a page that was taken over could send what it knows to an address of its choice.
 */
export class OutwardLimit {
  readonly #refusal: (seconds: number) => Failure
  readonly #ticks: () => number
  /** When the last calls began. */
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
 * How a printer is. One that is not among those that are set up is not spoken to: only whether it can be reached is said,
 * and not why it cannot.
 */
export async function testPrinter(
  settings: PrinterSettings,
  printers: readonly PrinterEntry[],
  create: (entry: PrinterEntry) => PrinterPort,
): Promise<PrinterTest> {
  const entry = entryOf(settings)
  if (printers.some((one) => addressOf(one.settings) === addressOf(settings))) return create(entry).status()
  const isThere = await isReached(settings)
  // without an address: the folder is the desk's own, and Windows names its printers to every program
  if (isThere === null) return create(entry).status()
  if (isThere) return { state: 'reached', failure: null }
  return {
    state: 'refused',
    failure: failure('printer.refused', { printer: entry.title, cause: 'unreachable' }),
  }
}

/** What is connected to, and in which language it is spoken to. */
function addressOf(settings: PrinterSettings): string {
  return addressOfPrinter(settings).id
}

/** A test says so only of a service of this API. */
const ofTheService = ['wms_unknown', 'customer_unknown']

/**
 * What is told of a connection test. Over https all of it: an installer needs name, port, certificate and path. Plain http
 * goes to this computer alone, where programs listen that are nobody else's business: of an address that is not set up it
 * is said only whether the service is there.
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

/** A test of a printer or a station of the set-up. */
export function testLimit(ticks?: () => number): OutwardLimit {
  return new OutwardLimit((seconds) => failure('setup.too_many_tests', { seconds }), ticks)
}
