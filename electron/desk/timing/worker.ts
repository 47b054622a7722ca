import type { ClockPort } from '../ports/clock.ts'

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
