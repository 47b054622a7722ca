import { type Backoff, createBackoff } from '../timing/backoff.ts'
import type { Pace } from '../timing/pace.ts'
import type { ClockPort } from '../ports/clock.ts'

/**
 * Commands that cannot go yet for a reason of their own, such as a list that the service does not give: each waits by
 * itself, so that a few of them never hold up all others.
 */
export class Postponed {
  readonly #clock: ClockPort
  readonly #pace: Pace
  readonly #waits = new Map<string, Backoff>()

  constructor(clock: ClockPort, pace: Pace) {
    this.#clock = clock
    this.#pace = pace
  }

  get count(): number {
    return this.#waits.size
  }

  /** Once more, and for longer than the last time. */
  again(commandId: string): void {
    const { firstRetryMs, slowestRetryMs } = this.#pace
    const wait = this.#waits.get(commandId) ?? createBackoff(this.#clock, firstRetryMs, slowestRetryMs)
    wait.failed()
    this.#waits.set(commandId, wait)
  }

  /** Milliseconds until its next try; 0: now. */
  leftMs(commandId: string): number {
    return this.#waits.get(commandId)?.waitMs() ?? 0
  }

  forget(commandId: string): void {
    this.#waits.delete(commandId)
  }

  /** Whatever stood in the way may be gone. */
  retryNow(): void {
    this.#waits.clear()
  }
}
