/** Longest wait in each phase of one exchange, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number
  /** From the end of the request to the answer's header. */
  readonly headersMs: number
  /** Between two pieces of the body. */
  readonly idleMs: number
  readonly totalMs: number
}

export const standardTimeouts: Timeouts = {
  connectMs: 5_000,
  headersMs: 20_000,
  idleMs: 10_000,
  totalMs: 60_000,
}
