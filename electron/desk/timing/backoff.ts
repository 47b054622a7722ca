import type { ClockPort } from '../ports/clock.ts'

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
