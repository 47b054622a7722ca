/** Time as the rooms see it, so that a test can hold it still. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. Jumps when the machine's clock is set: never measure with it. */
  now(): number
  /** Monotonic milliseconds: for durations and backoff. */
  ticks(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
}

/** ISO 8601 UTC with an explicit offset, as the API writes it: `2026-03-01T12:00:00+00:00`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, '+00:00')
}
