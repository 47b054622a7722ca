/** The time source of all modules. A test can replace it to control the time. */
export interface Clock {
  /**
   * Returns the wall clock in milliseconds since 1970. It jumps when the machine's clock is set, so it must not be used
   * for durations.
   */
  now(): number
  /** Returns monotonic milliseconds, for durations and delays. */
  ticks(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
}

/** Returns a time as ISO 8601 in UTC with an explicit offset, as in the API: `2026-03-01T12:00:00+00:00`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, '+00:00')
}
