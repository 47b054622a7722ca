/** Time as the desk sees it, so that a test can hold it still. */
export interface ClockPort {
  /** Wall clock, milliseconds since 1970. Jumps when the machine's clock is set: for records, never for waiting. */
  now(): number
  /** Monotonic milliseconds: for waiting and backoff. */
  ticks(): number
  /** Calls once after so many milliseconds; the function returned prevents it. */
  after(delayMs: number, action: () => void): () => void
}
