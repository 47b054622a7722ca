import type { DeskStatus } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { SettingsStore } from '../ports/store.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'
import { isoTime, toFailureView } from '../view-parts.ts'

export interface Line {
  view(): DeskStatus['line']
  isOffline(): boolean
  /** The service's time of now, as its answers said it, in milliseconds since 1970; null before the first one. */
  serviceTime(): number | null
  /** Somebody has to find out: it is lost, not known yet, or the service answers with nothing but errors of its own. */
  isInDoubt(): boolean
  /**
   * Judges by what a call met: only a real answer of the service makes the line good. `begunTicks`: when the call began
   * (monotonic); one that began before the last real answer and ran out of time says nothing about the line of now.
   */
  observe(outcome: ApiOutcome<unknown>, begunTicks?: number): void
  /** Calls back whenever the line turns online; `wasLost` false: nothing was known of it before. */
  onBack(listener: (wasLost: boolean) => void): void
  /** Calls back whenever the line turns offline, whoever met it. */
  onLost(listener: () => void): void
  /** Calls back when a good line comes into doubt. */
  onDoubt(listener: () => void): void
}

/**
 * A gateway that answers 502, a service that answers 500 or 417: somebody is there, and one call may simply be one that
 * it cannot do. So many in a row, over so long, without one real answer in between, and nobody can work with it.
 */
const mostTroubles = 3
const troubleMs = 5_000

type Met = 'online' | 'offline' | 'trouble' | 'unreadable'

/**
 * Whether the service can be reached, judged by real answers alone. `outage`: an outage that goes on after a restart
 * began when it began.
 */
export function createLine(clock: ClockPort, changed: () => void, outage: OutageMemory | null = null): Line {
  let state: DeskStatus['line']['state'] = 'unknown'
  let since = clock.now()
  let why: Failure | null = null
  let answeredTicks = Number.NEGATIVE_INFINITY
  const serviceTime = createServiceTime(clock)
  let troubles = 0
  let troubleSince = 0
  const listeners = {
    back: new Array<(wasLost: boolean) => void>(),
    lost: new Array<() => void>(),
    doubt: new Array<() => void>(),
  }
  const tell = (event: keyof typeof listeners, wasLost: boolean): void => {
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
    if (next !== before) tell(next === 'online' ? 'back' : 'lost', before === 'offline')
  }
  const trouble = (failure: Failure): void => {
    if (troubles === 0) troubleSince = clock.ticks()
    troubles++
    const isEnough = troubles >= mostTroubles && clock.ticks() - troubleSince >= troubleMs
    if (state === 'offline' || isEnough) turn('offline', failure)
    else if (troubles === 1) tell('doubt', false)
  }
  return {
    view: () => ({ state, since: isoTime(since), failure: toFailureView(why) }),
    isOffline: () => state === 'offline',
    serviceTime: serviceTime.now,
    isInDoubt: () => state !== 'online' || troubles > 0,
    observe(outcome, begunTicks = clock.ticks()) {
      const met = meeting(outcome)
      if (met === 'online') {
        answeredTicks = clock.ticks()
        serviceTime.learn(outcome)
        turn('online', null)
      } else if (outcome.kind === 'answer' || outcome.kind === 'refused' || met === 'unreadable') return
      else if (met === 'trouble') trouble(outcome.failure)
      else if (begunTicks >= answeredTicks) turn('offline', outcome.failure)
    },
    onBack: (listener) => void listeners.back.push(listener),
    onLost: (listener) => void listeners.lost.push(listener),
    onDoubt: (listener) => void listeners.doubt.push(listener),
  }
}

/** When the state of the line began that it turns to: an outage that the last run knew of began then. */
function beginning(
  outage: OutageMemory | null,
  now: number,
  isFirst: boolean,
  next: 'online' | 'offline',
): number {
  const earlier = isFirst ? (outage?.read() ?? null) : null
  const isEarlier = next === 'offline' && earlier !== null && earlier < now
  if (next === 'online') outage?.write(null)
  else if (!isEarlier) outage?.write(now)
  return isEarlier ? earlier : now
}

/** The service's clock, read off the dates of its answers and carried on by this PC's monotonic one. */
function createServiceTime(clock: ClockPort): {
  readonly now: () => number | null
  readonly learn: (outcome: ApiOutcome<unknown>) => void
} {
  let atTicksZero: number | null = null
  return {
    // ticks have fractions, times of this kind have none
    now: () => (atTicksZero === null ? null : Math.floor(atTicksZero + clock.ticks())),
    learn(outcome) {
      const isAnswer = outcome.kind === 'answer' || outcome.kind === 'refused'
      if (isAnswer && outcome.serverDate !== null) atTicksZero = outcome.serverDate - clock.ticks()
    },
  }
}

function meeting(outcome: ApiOutcome<unknown>): Met {
  if (outcome.kind === 'answer' || outcome.kind === 'refused') return 'online'
  const { code } = outcome.failure
  if (code.startsWith('network.') || code.startsWith('station.')) return 'offline'
  return code === 'api.unavailable' ? 'trouble' : 'unreadable'
}

interface LineWatchParts {
  readonly line: Line
  readonly session: {
    readonly isSignedIn: boolean
    withAccess<T>(call: (token: string) => Promise<ApiOutcome<T>>): Promise<ApiOutcome<T>>
  }
  readonly api: Pick<ApiPort, 'greet'>
  readonly clock: ClockPort
  /** Longest pause between two tries, in milliseconds. */
  readonly everyMs: number
  readonly onFault: (error: unknown) => void
}

const firstPauseMs = 1_000
/** At the start others ask the service anyway, and what they meet is enough, in milliseconds. */
const startMs = 1_000

/**
 * Tries the line while it is lost or in doubt, whoever found it so, signed in or not, until the service gives a real
 * answer. Signed in it asks with a token: a service whose database is gone may still know how to refuse a caller without.
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

  /** The system says that the line is back, or somebody does not want to wait. */
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
      await session.withAccess((token) => api.greet(token))
      return
    }
    const begunTicks = clock.ticks()
    line.observe(await api.greet(null), begunTicks)
  }
}

/** Since when the line is lost, over restarts: an outage does not begin anew with the desk. */
interface OutageMemory {
  /** Wall clock, milliseconds since 1970; null: the line was good when the desk was closed. */
  read(): number | null
  /** Null: the service answers. */
  write(since: number | null): void
}

const outageKey = 'offline_since'

/** In the settings. What cannot be kept, because the disk is full, is only a moment on the screen. */
export function rememberOutage(settings: SettingsStore): OutageMemory {
  return {
    read() {
      const since = Number(settings.read(outageKey) ?? Number.NaN)
      return Number.isFinite(since) ? since : null
    },
    write(since) {
      try {
        if (since === null) settings.remove(outageKey)
        else settings.write(outageKey, String(since))
      } catch {
        // the line is judged all the same
      }
    },
  }
}
