import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
/** The time source of the desk. Tests replace it to control the time. */
export interface ClockPort {
  /**
   * Wall clock, milliseconds since 1970. It jumps when the machine's clock is set, so use it for records and never for
   * waiting.
   */
  now(): Instant
  /** Monotonic clock in milliseconds, for waiting and backoff. */
  ticks(): number
  /** Calls the action once after the delay; the returned function cancels it. */
  after(delayMs: Milliseconds, action: () => void): () => void
}
