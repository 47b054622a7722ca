/** The time for all modules, so that a test can control it. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. Jumps when the machine's clock is set: never use it for durations. */
  now(): number
  /** Monotonic milliseconds: for durations and backoff. */
  ticks(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
}

/** Formats ISO 8601 UTC with an explicit offset, like the API: `2026-03-01T12:00:00+00:00`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, '+00:00')
}
