import type { Milliseconds } from '#shared/domain/instants.ts'
import type { ClockPort } from '../ports/clock.ts'

/** Runs one step of background work at a time. Several requests during a step lead to one further step. */

export interface Worker {
  /** Runs the step soon. If the step is running, it runs once more afterwards. */
  kick(): void
  /** Whether a step runs or is about to run. */
  isRunning(): boolean
  /**
   * After this call, neither `kick` nor the end of a pause requests a step; a step that was requested before may still
   * start. Resolves when no step runs any more.
   */
  close(): Promise<void>
}

const afterFaultMs = 5_000
/**
 * Longest pause between two steps, in milliseconds. Without this limit, a wrong wall clock could make a pause endless.
 * A timer accepts at most 24 days.
 */
const longestPauseMs = 3600_000

/**
 * Runs one step at a time, never two. The step returns in how many milliseconds it must run again, or null to run only
 * after `kick`. `kick` can also start it earlier. If a step throws (a full disk, a bug), the error is reported and the
 * step runs again later.
 */
export function createWorker(
  clock: ClockPort,
  step: () => number | null | Promise<number | null>,
  onFault: (error: unknown) => void,
): Worker {
  let running: Promise<void> | null = null
  let isWanted = false
  let isClosed = false
  let cancelTimer = (): void => undefined
  const takeWish = (): boolean => {
    const wasWanted = isWanted
    isWanted = false
    return wasWanted
  }
  const tryStep = async (): Promise<number | null> => {
    try {
      return await step()
    } catch (error) {
      onFault(error)
      return afterFaultMs
    }
  }
  /** Runs one step and schedules the next: at once, later, or not at all. */
  const run = async (): Promise<void> => {
    takeWish()
    const waitMs = await tryStep()
    running = null
    if (takeWish() || waitMs === 0) kick()
    else if (waitMs !== null && !isClosed) cancelTimer = clock.after(Math.min(waitMs, longestPauseMs), kick)
  }
  const kick = (): void => {
    if (isClosed) return
    cancelTimer()
    if (running) isWanted = true
    else running = Promise.resolve().then(run)
  }
  return {
    kick,
    isRunning: () => running !== null,
    async close() {
      isClosed = true
      cancelTimer()
      await running
    },
  }
}

export interface Backoff {
  failed(): void
  reset(): void
  /** Milliseconds left to wait; 0: no wait. */
  waitMs(): Milliseconds
}

/**
 * Creates exponential backoff on the monotonic clock: each wait is twice as long as the previous wait, up to `mostMs`.
 * Adds up to a fifth of jitter to each wait, so that many desks do not call at the same moment.
 */
export function createBackoff(
  clock: Pick<ClockPort, 'ticks'>,
  firstMs: Milliseconds,
  mostMs: Milliseconds,
): Backoff {
  let failures = 0
  let until = 0
  return {
    failed() {
      const wait = Math.min(mostMs, firstMs * 2 ** failures)
      failures++
      until = clock.ticks() + wait * (1 + Math.random() * 0.2)
    },
    reset() {
      failures = 0
      until = 0
    },
    waitMs: () => Math.max(0, Math.ceil(until - clock.ticks())),
  }
}

/** Shortest time between two retries that an operator asks for, in milliseconds. */
const betweenPressesMs = 2_000

export interface Presses {
  /**
   * Runs the action at once if the minimum time since its last run (`betweenPressesMs`) has passed, otherwise as soon
   * as it has passed.
   */
  press(): void
  stop(): void
}

/**
 * Creates the limit for retries that an operator asks for. A single press starts the action at once. All further
 * presses within two seconds after a start of the action start it once more, at the end of these two seconds. Without
 * the limit a compromised page could press without end, and each retry writes to desk.db.
 */
export function createPresses(clock: ClockPort, act: () => void, onFault: (error: unknown) => void): Presses {
  let nextTicks = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | null = null
  let isStopped = false
  const run = (): void => {
    cancel = null
    nextTicks = clock.ticks() + betweenPressesMs
    act()
  }
  return {
    press() {
      if (isStopped || cancel) return
      const waitMs = Math.ceil(nextTicks - clock.ticks())
      if (waitMs <= 0) run()
      else
        cancel = clock.after(waitMs, () => {
          try {
            run()
          } catch (error) {
            onFault(error)
          }
        })
    },
    stop() {
      isStopped = true
      cancel?.()
    },
  }
}

export interface CoalescedCall {
  /** Makes the call soon. All requests until then lead to this one call. */
  soon(): void
  stop(): void
  isStopped(): boolean
}

/** Time in milliseconds from a first request to the call. All requests within this time lead to this one call. */
const coalesceMs = 50

/**
 * Creates a function that a timer calls once for all requests that were made before. If the function throws, the error
 * is reported here, because an error in a timer reaches no caller. The next request starts a new timer.
 */
export function createCoalescedCall(
  clock: ClockPort,
  call: () => void,
  onFault: (error: unknown) => void,
): CoalescedCall {
  let cancel: (() => void) | null = null
  let stopped = false
  return {
    soon() {
      if (stopped) return
      cancel ??= clock.after(coalesceMs, () => {
        cancel = null
        try {
          call()
        } catch (error) {
          onFault(error)
        }
      })
    },
    stop() {
      stopped = true
      cancel?.()
    },
    isStopped: () => stopped,
  }
}
