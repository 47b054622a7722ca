import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
/** The time source of the desk. Tests replace it to set the time. */
export interface ClockPort {
  /**
   * The wall clock, milliseconds since 1970. It jumps when the clock of the PC is set, so use it for records and not
   * for waits.
   */
  now(): Instant
  /** The monotonic clock in milliseconds, for waits and pauses. */
  ticks(): number
  /** Calls the action once after the delay. The returned function cancels this call. */
  after(delayMs: Milliseconds, action: () => void): () => void
}
