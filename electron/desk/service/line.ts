import type { DeskStatus } from '#shared/bridge/views.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { ScopeValues } from '../ports/store.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'
import { isoTime, toFailureView } from '../view-parts.ts'
import { isOfOtherProgram, meaningOf } from './answers.ts'

export interface Line {
  view(): DeskStatus['line']
  isOffline(): boolean
  /**
   * Returns the current time of the service, derived from the Date headers of its responses, in milliseconds since
   * 1970; null before the first response.
   */
  serviceTime(): Instant | null
  /**
   * Whether the connection must be tried, because it is lost, its state is unknown, or a call has failed since the last
   * real response of the service in a way that puts the connection in doubt.
   */
  isInDoubt(): boolean
  /**
   * Judges the connection by the outcome of a call. Only a real response of the service makes the connection good.
   * `begunTicks`: when the call began (monotonic). A failure of the connection, such as a timeout, does not change the
   * state if its call began before the last real response. `hasToken`: whether the call was sent with an access token;
   * false for a login and a refresh.
   */
  observe(outcome: ApiOutcome<unknown>, begunTicks?: number, hasToken?: boolean): void
  /**
   * Judges the connection by the outcome of a write, or of a read of one record. Unlike `observe`, does not count the
   * connection as lost if another program answered: a firewall may only block this call. The connection then becomes
   * doubtful, so that another call tries it.
   */
  observeOne(outcome: ApiOutcome<unknown>, begunTicks: number): void
  /**
   * Judges the connection by the outcome of a call for a page of a list. Does not count the connection as lost in the
   * case of `observeOne`, nor if the call was sent and then failed: the service may only be too slow for this page.
   */
  observePage(outcome: ApiOutcome<unknown>, begunTicks: number): void
  /** When a call with an access token last succeeded, on the monotonic clock; -Infinity: none has succeeded. */
  succeededTicks(): number
  /** Calls the listener whenever the connection turns online. `wasLost` is false if the state was unknown before. */
  onBack(listener: (wasLost: boolean) => void): void
  /** Calls the listener whenever the connection turns offline, whichever call detected it. */
  onLost(listener: () => void): void
  /** Calls the listener when a good connection becomes doubtful. */
  onDoubt(listener: () => void): void
}

/**
 * A 502 of a gateway, or a 500 or 417 of the service, shows that a server responds, and the failure may concern only
 * this call. The service counts as unusable after this number of consecutive failures of this kind over at least this
 * time, in milliseconds.
 */
const mostTroubles = 3
const troubleMs = 5_000

type Met = 'online' | 'offline' | 'trouble' | 'unreadable'

/**
 * Creates a Line: the state of the connection to the service, judged by real responses alone. `outage`: stores the
 * start of an outage, so that the start is still known after a restart.
 */
export function createLine(clock: ClockPort, changed: () => void, outage: OutageMemory | null = null): Line {
  let state: DeskStatus['line']['state'] = 'unknown'
  let since = clock.now()
  let why: Failure | null = null
  let answeredTicks = Number.NEGATIVE_INFINITY
  let succeededTicks = Number.NEGATIVE_INFINITY
  const serviceTime = createServiceTime(clock)
  let troubles = 0
  let troubleSince = 0
  const listeners = {
    back: new Array<(wasLost: boolean) => void>(),
    lost: new Array<() => void>(),
    doubt: new Array<() => void>(),
  }
  const notify = (event: keyof typeof listeners, wasLost: boolean): void => {
    for (const listener of listeners[event]) listener(wasLost)
  }
  const turn = (next: 'online' | 'offline', failure: Failure | null): void => {
    const before = state
    const isNewReason = failure?.code !== why?.code
    why = failure
    troubles = 0
    state = next
    if (next !== before) since = beginning(outage, clock.now(), before === 'unknown', next)
    if (next !== before || isNewReason) changed()
    if (next !== before) notify(next === 'online' ? 'back' : 'lost', before === 'offline')
  }
  const trouble = (failure: Failure): void => {
    if (troubles === 0) troubleSince = clock.ticks()
    troubles++
    const isEnough = troubles >= mostTroubles && clock.ticks() - troubleSince >= troubleMs
    if (state === 'offline' || isEnough) turn('offline', failure)
    else if (troubles === 1) notify('doubt', false)
  }
  const observe: Line['observe'] = (outcome, begunTicks = clock.ticks(), hasToken = true) => {
    const met = meeting(outcome)
    if (outcome.kind === 'answer' && hasToken) succeededTicks = clock.ticks()
    if (met === 'online') {
      answeredTicks = clock.ticks()
      serviceTime.learn(outcome)
      turn('online', null)
    } else if (outcome.kind === 'answer' || outcome.kind === 'refused' || met === 'unreadable') return
    else if (met === 'trouble') trouble(outcome.failure)
    else if (begunTicks >= answeredTicks) turn('offline', outcome.failure)
  }
  /** `mayBeOfCall`: whether the failure may concern only this call, although it usually shows a lost connection. */
  const observeCall = (outcome: ApiOutcome<unknown>, begunTicks: number, mayBeOfCall: boolean): void => {
    if (!mayBeOfCall || outcome.kind === 'answer') observe(outcome, begunTicks)
    else if (begunTicks >= answeredTicks) trouble(outcome.failure)
  }
  return {
    view: () => ({ state, since: isoTime(since), failure: toFailureView(why) }),
    isOffline: () => state === 'offline',
    serviceTime: serviceTime.now,
    isInDoubt: () => state !== 'online' || troubles > 0,
    observe,
    observeOne: (outcome, begunTicks) => observeCall(outcome, begunTicks, isFromOtherProgram(outcome)),
    observePage: (outcome, begunTicks) => observeCall(outcome, begunTicks, mayBeOfPage(outcome)),
    succeededTicks: () => succeededTicks,
    onBack: (listener) => void listeners.back.push(listener),
    onLost: (listener) => void listeners.lost.push(listener),
    onDoubt: (listener) => void listeners.doubt.push(listener),
  }
}

/**
 * Returns when the new state of the connection began. If the last run of the desk stored an outage that still
 * continues, the outage began at the stored time.
 */
function beginning(
  outage: OutageMemory | null,
  now: Instant,
  isFirst: boolean,
  next: 'online' | 'offline',
): number {
  const earlier = isFirst ? (outage?.read() ?? null) : null
  const isEarlier = next === 'offline' && earlier !== null && earlier < now
  if (next === 'online') outage?.write(null)
  else if (!isEarlier) outage?.write(now)
  return isEarlier ? earlier : now
}

/** Derives the service's time from the Date headers of its responses and advances it by this PC's monotonic clock. */
function createServiceTime(clock: ClockPort): {
  readonly now: () => Instant | null
  readonly learn: (outcome: ApiOutcome<unknown>) => void
} {
  let atTicksZero: number | null = null
  return {
    // the time is rounded down, because the monotonic clock has fractions of milliseconds but wall-clock times do not
    now: () => (atTicksZero === null ? null : Math.floor(atTicksZero + clock.ticks())),
    learn(outcome) {
      const isAnswer = outcome.kind === 'answer' || outcome.kind === 'refused'
      if (isAnswer && outcome.serverDate !== null) atTicksZero = outcome.serverDate - clock.ticks()
    },
  }
}

function meeting(outcome: ApiOutcome<unknown>): Met {
  if (outcome.kind === 'answer' || outcome.kind === 'refused') return 'online'
  return meaningOf(outcome.failure.code).line
}

/** Whether another program than the service answered the call. */
function isFromOtherProgram(outcome: ApiOutcome<unknown>): boolean {
  return outcome.kind !== 'answer' && isOfOtherProgram(outcome.failure)
}

/** Whether a failure that usually shows a lost connection may concern only one page of a list. */
function mayBeOfPage(outcome: ApiOutcome<unknown>): boolean {
  return isFromOtherProgram(outcome) || (outcome.kind === 'ambiguous' && meeting(outcome) === 'offline')
}

interface LineWatchParts {
  readonly line: Line
  readonly session: {
    readonly isSignedIn: boolean
    withAccess<T>(call: (token: string) => Promise<ApiOutcome<T>>, observe: 'observe'): Promise<ApiOutcome<T>>
  }
  readonly api: Pick<ApiPort, 'greet'>
  readonly clock: ClockPort
  /** Longest pause between two attempts to reach the service, in milliseconds. */
  readonly everyMs: Milliseconds
  readonly onFault: (error: unknown) => void
}

const firstPauseMs = 1_000
/**
 * Milliseconds after the start of the desk before the first check of the connection. Until then the outcomes of other
 * calls show the state of the connection.
 */
const startMs = 1_000

/**
 * Tries the connection while it is lost, doubtful or still unknown, until the service gives a real response. Begins
 * when any call has failed, or a second after the start of the desk, even if no operator is signed in. With a session
 * it sends a token: a service without its database may still refuse a caller without a token, and this refusal would
 * look like a real response.
 */
export class LineWatch {
  readonly #parts: LineWatchParts
  readonly #worker: Worker
  readonly #backoff: Backoff
  readonly #startTicks: number

  constructor(parts: LineWatchParts) {
    const { clock, line, everyMs } = parts
    this.#parts = parts
    this.#worker = createWorker(clock, () => this.#step(), parts.onFault)
    this.#backoff = createBackoff(clock, Math.min(firstPauseMs, everyMs), everyMs)
    this.#startTicks = clock.ticks()
    const soon = (): void => {
      this.#backoff.reset()
      this.#backoff.failed()
      this.kick()
    }
    line.onLost(soon)
    line.onDoubt(soon)
  }

  kick(): void {
    this.#worker.kick()
  }

  /** Tries the connection now, because the system reports a network or the operator asks for it. */
  retryNow(): void {
    this.#backoff.reset()
    this.kick()
  }

  close(): Promise<void> {
    return this.#worker.close()
  }

  async #step(): Promise<number | null> {
    const { line, clock } = this.#parts
    if (!line.isInDoubt()) return null
    const isNew = line.view().state === 'unknown'
    const waitMs = Math.max(
      this.#backoff.waitMs(),
      isNew ? Math.ceil(this.#startTicks + startMs - clock.ticks()) : 0,
    )
    if (waitMs > 0) return waitMs
    await this.#ask()
    if (!line.isInDoubt()) return null
    this.#backoff.failed()
    return this.#backoff.waitMs()
  }

  async #ask(): Promise<void> {
    const { session, api, line, clock } = this.#parts
    if (session.isSignedIn) {
      await session.withAccess((token) => api.greet(token), 'observe')
      return
    }
    const begunTicks = clock.ticks()
    line.observe(await api.greet(null), begunTicks)
  }
}

/** Stores when the connection was lost, so that the start of an outage is known after a restart. */
interface OutageMemory {
  /**
   * Returns the start of the stored outage, milliseconds since 1970; null: the connection was good when the desk was
   * closed.
   */
  read(): number | null
  /** Stores the start of the outage; null: the service can be reached. */
  write(since: Instant | null): void
}

const outageKey = 'offline_since'

/**
 * Stores the start of an outage in the database. A failure to write it (the disk is full) is ignored, because only the
 * time shown after a restart depends on it.
 */
export function rememberOutage(values: ScopeValues): OutageMemory {
  return {
    read() {
      const since = Number(values.read(outageKey) ?? Number.NaN)
      return Number.isFinite(since) ? since : null
    },
    write(since) {
      try {
        if (since === null) values.remove(outageKey)
        else values.write(outageKey, String(since))
      } catch {
        // a failed write only means that the start of the outage is unknown after a restart
      }
    },
  }
}
