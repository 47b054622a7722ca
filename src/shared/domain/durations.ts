/** Measured durations, and their distribution, which takes a constant amount of memory. */

/** One moment, measured by the monotonic clock and by the computer's clock. */
export interface Moment {
  /** Milliseconds of a monotonic clock. */
  readonly ticksMs: number
  /** Milliseconds since 1970. */
  readonly wallMs: number
}

/** The longest duration that is counted, in milliseconds. */
export const longestDurationMs = 600_000
/**
 * Maximum difference between a duration by the monotonic clock and the same duration by the computer's clock, in
 * milliseconds. While the computer's clock is adjusted slowly, for example by NTP, the difference stays smaller than
 * this for each duration of at most `longestDurationMs`.
 */
const clockToleranceMs = 1_000

/**
 * Returns the milliseconds from one moment to another. Null if the result cannot be right: the duration is negative or
 * longer than ten minutes, or the clocks disagree because the clock was set or the computer slept in between.
 */
export function durationBetween(from: Moment, to: Moment): number | null {
  const ms = to.ticksMs - from.ticksMs
  const isSteady = Math.abs(to.wallMs - from.wallMs - ms) <= clockToleranceMs
  return isSteady && ms >= 0 && ms <= longestDurationMs ? ms : null
}

/** The end of each bucket, as a multiple of the end of the bucket before it. The first bucket ends at 1 ms. */
const growth = 1.05
const bucketCount = bucketOf(longestDurationMs) + 1

export interface Slowest {
  readonly ms: number
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/**
 * Counts durations in 274 logarithmic buckets. A percentile differs by at most 2.5 % from the exact one, or by at most
 * 1 ms if it is below 1 ms.
 */
export class Durations {
  readonly #buckets = new Uint32Array(bucketCount)
  #count = 0
  #slowest: Slowest | null = null

  get count(): number {
    return this.#count
  }
  /** The longest counted duration, or the first of several equal ones. Null: no duration was counted. */
  get slowest(): Slowest | null {
    return this.#slowest
  }

  /** Adds a duration that ended at `atMs`. It must be between 0 ms and ten minutes. */
  add(ms: number, atMs: number): void {
    const bucket = bucketOf(ms)
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#count += 1
    if (this.#slowest === null || ms > this.#slowest.ms) this.#slowest = { ms, atMs }
  }

  /**
   * Returns the duration that this share of all durations does not exceed; null if no duration was counted. `share`: 0
   * to 1.
   */
  percentile(share: number): number | null {
    if (this.#slowest === null) return null
    const rank = Math.max(1, Math.ceil(share * this.#count))
    let seen = 0
    const bucket = this.#buckets.findIndex((count) => (seen += count) >= rank)
    // the geometric middle of the bucket, because this value has the smallest relative error
    const ms = bucket === 0 ? 1 : growth ** (bucket - 0.5)
    return Math.min(ms, this.#slowest.ms)
  }
}

function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(growth))
}
