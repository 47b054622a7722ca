/** How fast the outbox goes about its work, in milliseconds. A test may want it faster. */
export interface Pace {
  /** The pause after a try that could not be sent, doubled with each, and the longest one. */
  readonly firstRetryMs: number
  readonly slowestRetryMs: number
  /** A write tried later than so long after it was made is checked again before it is sent. */
  readonly waitedMs: number
}

export const standardPace: Pace = { firstRetryMs: 1_000, slowestRetryMs: 60_000, waitedMs: 60_000 }
