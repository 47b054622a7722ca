import type { Failure } from '#shared/errors/catalogue.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import type { ClockPort } from '../ports/clock.ts'
import { type Backoff, createBackoff } from '../timing/worker.ts'

/** First and longest pause before a failed page is requested again, in milliseconds. */
const firstPauseMs = 2_000
const longestPauseMs = 15 * 60_000

/**
 * The pause of a walk after a failed page. Each pause is twice as long as the one before. Only this walk pauses, so one
 * page that always fails does not delay the newest rows.
 */
export class PagePause {
  readonly #backoff: Backoff
  #failure: Failure | null = null
  #tries = 0

  constructor(clock: Pick<ClockPort, 'ticks'>) {
    this.#backoff = createBackoff(clock, firstPauseMs, longestPauseMs)
  }

  /** Why the page of the walk failed; null: its last page was returned. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** How often the walk has failed since its last page was returned. */
  get tries(): number {
    return this.#tries
  }

  /** Milliseconds until the walk requests its page again; 0: it requests it now. */
  waitMs(): Milliseconds {
    return this.#backoff.waitMs()
  }

  begin(failure: Failure): void {
    this.#failure = failure
    this.#tries++
    this.#backoff.failed()
  }

  end(): void {
    this.#failure = null
    this.#tries = 0
    this.#backoff.reset()
  }
}
