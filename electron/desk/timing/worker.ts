import type { ClockPort } from '../ports/clock.ts'

/** When background work runs: one step after another, after doubling waits, once for many wishes. */

export interface Worker {
  /** Runs the step soon; while it runs, once more afterwards. */
  kick(): void
  /** No further step; resolves when the one under way has ended. */
  close(): Promise<void>
}

const afterFaultMs = 5_000
/** A wait that a wrong wall clock made endless ends after this; and no timer takes more than 24 days. */
const longestPauseMs = 3600_000

/**
 * Runs one step at a time, never two. The step says in how many milliseconds it wants to run again (it may be earlier),
 * or null: only when kicked. A step that throws (a full disk, a mistake of ours) is reported and tried again later.
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
  /** One step, and what follows from it: another at once, one later, or none. */
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
  /** Milliseconds still to wait; 0: try now. */
  waitMs(): number
}

/** Doubling waits on the monotonic clock, with up to a fifth of jitter so that many desks do not knock together. */
export function createBackoff(clock: Pick<ClockPort, 'ticks'>, firstMs: number, mostMs: number): Backoff {
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

export interface CoalescedCall {
  /** Makes the call soon, once for all wishes until then. */
  soon(): void
  stop(): void
  isStopped(): boolean
}

/** Wishes closer together than this lead to one call, in milliseconds. */
const coalesceMs = 50

/** A call that throws is reported: out of a timer its error would reach nobody. The next wish calls again. */
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
