import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { SpeedKind, SpeedRow, SpeedSample, SpeedView } from '#shared/bridge/speed-views.ts'
import { durationBetween, Durations, type Moment } from '#shared/domain/durations.ts'
import type { PrintState } from '#shared/domain/print-job.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import type { Handlers } from './ipc/bind.ts'

/**
 * The durations of scans and labels on the current local day, in memory. The window reports the durations of scans. The
 * durations are deleted when a new day begins, and are lost at a restart.
 */
export class SpeedToday implements Handlers<'speed'> {
  readonly #now: () => number
  #sinceMs: number
  #day: string
  #durations = noDurations()

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#sinceMs = now()
    this.#day = dayOf(now())
  }

  /** Stores the durations of scans that the window has measured in the last few seconds. */
  add({ samples }: { readonly samples: readonly SpeedSample[] }): Result<undefined> {
    for (const { kind, ms } of samples) this.took(kind, ms)
    return ok(undefined)
  }

  /** Adds a duration of `ms` milliseconds that ends now. */
  took(kind: SpeedKind, ms: number): void {
    this.#beginDay()
    this.#durations[kind].add(ms, this.#now())
  }

  today(): Result<SpeedView> {
    return ok(this.view())
  }

  view(): SpeedView {
    this.#beginDay()
    const kinds = Object.keys(this.#durations) as SpeedKind[]
    return {
      since: new Date(this.#sinceMs).toISOString(),
      rows: kinds.map((kind) => rowOf(kind, this.#durations[kind])),
    }
  }

  #beginDay(): void {
    const now = this.#now()
    const day = dayOf(now)
    if (day === this.#day) return
    this.#day = day
    this.#sinceMs = new Date(now).setHours(0, 0, 0, 0)
    this.#durations = noDurations()
  }
}

function noDurations(): Record<SpeedKind, Durations> {
  return { sound: new Durations(), card: new Durations(), label: new Durations() }
}

function dayOf(ms: number): string {
  return new Date(ms).toDateString()
}

function rowOf(kind: SpeedKind, durations: Durations): SpeedRow {
  const { count, slowest } = durations
  const [p50Ms, p95Ms] = [durations.percentile(0.5), durations.percentile(0.95)]
  if (slowest === null || p50Ms === null || p95Ms === null) return { kind, count, figures: null }
  const slowestAt = new Date(slowest.atMs).toISOString()
  return { kind, count, figures: { p50Ms, p95Ms, slowestMs: slowest.ms, slowestAt } }
}

type LabelHandlers = Pick<Handlers<'returnLabel'>, 'make' | 'request'>

/** States of a print that the printer or the system's print queue has accepted. */
const accepted: readonly PrintState[] = ['sent', 'spooled', 'confirmed']
const mostPending = 100

/**
 * Measures labels, from the call that requests a label until the print queue reports that the printer has accepted its
 * print. A label that had to wait for the connection, a login, paper or a decision is not counted: its time shows
 * nothing about the speed of the desk.
 */
export class LabelTimes {
  readonly #took: (ms: number) => void
  readonly #moment: () => Moment
  /**
   * For each label whose duration is being measured, the moment of its request, by the id of the label; the oldest
   * first.
   */
  readonly #pending = new Map<string, Moment>()

  constructor(took: (ms: number) => void, moment: () => Moment = momentOfMain) {
    this.#took = took
    this.#moment = moment
  }

  /** Returns the given handlers, extended so that each call starts to measure the time until its label is printed. */
  timed<H extends LabelHandlers>(handlers: H): H {
    const { make, request } = handlers
    return {
      ...handlers,
      make: async (args: Parameters<H['make']>[0], station?: string) =>
        this.#from(this.#moment(), await make(args, station)),
      request: async (args: Parameters<H['request']>[0], station?: string) =>
        this.#from(this.#moment(), await request(args, station)),
    }
  }

  /** Ends the measurement of a label when it is printed. If the label has to wait, drops its measurement. */
  moved(label: ReturnLabelView): void {
    const from = this.#pending.get(label.id)
    if (!from || label.phase === 'working') return
    this.#pending.delete(label.id)
    const ms = durationBetween(from, this.#moment())
    if (ms !== null && label.print !== null && accepted.includes(label.print.state)) this.#took(ms)
  }

  #from(moment: Moment, result: Result<ReturnLabelView>): Result<ReturnLabelView> {
    if (!result.ok) return result
    const { id, phase, print, request } = result.value
    if (phase !== 'working' || print !== null || request === null) return result
    this.#pending.set(id, moment)
    const [oldest] = this.#pending.keys()
    if (this.#pending.size > mostPending && oldest !== undefined) this.#pending.delete(oldest)
    return result
  }
}

function momentOfMain(): Moment {
  return { ticksMs: performance.now(), wallMs: Date.now() }
}
