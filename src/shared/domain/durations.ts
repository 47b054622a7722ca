/** Durations as they are measured, and their distribution in constant memory. */

/** One moment by both clocks of a process. */
export interface Moment {
  /** Milliseconds of a monotonic clock. */
  readonly ticksMs: number
  /** Milliseconds since 1970. */
  readonly wallMs: number
}

/** The longest duration that counts. */
export const longestDurationMs = 600_000
/** A clock that is adjusted slowly differs by less than this within `longestDurationMs`. */
const clockToleranceMs = 1_000

/**
 * Returns the milliseconds from one moment to another. Null if they cannot be right: the clock was set or the computer slept
 * in between, which only one of the clocks counts, or the duration is negative or longer than ten minutes.
 */
export function durationBetween(from: Moment, to: Moment): number | null {
  const ms = to.ticksMs - from.ticksMs
  const isSteady = Math.abs(to.wallMs - from.wallMs - ms) <= clockToleranceMs
  return isSteady && ms >= 0 && ms <= longestDurationMs ? ms : null
}

/** Each bucket ends at this multiple of the end of the one before; the first one ends at 1 ms. */
const growth = 1.05
const bucketCount = bucketOf(longestDurationMs) + 1

export interface Slowest {
  readonly ms: number
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/**
 * Counts durations in 274 logarithmic buckets. A percentile differs by at most 2.5 % from the exact one, or by 1 ms below
 * 1 ms.
 */
export class Durations {
  readonly #buckets = new Uint32Array(bucketCount)
  #count = 0
  #slowest: Slowest | null = null

  get count(): number {
    return this.#count
  }
  /** The slowest one; the first of several equal ones. Null if there is none. */
  get slowest(): Slowest | null {
    return this.#slowest
  }

  /** Adds a duration of 0 ms to ten minutes that ended at `atMs`. */
  add(ms: number, atMs: number): void {
    const bucket = bucketOf(ms)
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#count += 1
    if (this.#slowest === null || ms > this.#slowest.ms) this.#slowest = { ms, atMs }
  }

  /** Returns the duration that this share of all durations does not exceed; null if there is none. `share`: 0 to 1. */
  percentile(share: number): number | null {
    if (this.#slowest === null) return null
    const rank = Math.max(1, Math.ceil(share * this.#count))
    let seen = 0
    const bucket = this.#buckets.findIndex((count) => (seen += count) >= rank)
    // the middle of a bucket, by ratio
    const ms = bucket === 0 ? 1 : growth ** (bucket - 0.5)
    return Math.min(ms, this.#slowest.ms)
  }
}

function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(growth))
}
