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

/** Of a call that only asks whether somebody is there: on a line that swallows everything the next try comes soon. */
export function greetingTimeouts({ connectMs, headersMs, idleMs, totalMs }: Timeouts): Timeouts {
  return {
    connectMs: Math.min(connectMs, 3_000),
    headersMs: Math.min(headersMs, 5_000),
    idleMs: Math.min(idleMs, 5_000),
    totalMs: Math.min(totalMs, 10_000),
  }
}
