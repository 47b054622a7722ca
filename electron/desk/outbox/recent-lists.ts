import type { Instant } from '#shared/domain/instants.ts'
import type { BriefLabel } from '#shared/domain/label-codes.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import { listRecentLabels, type RecentLabels } from '../labels/recent-labels.ts'
import {
  listRecentModifications,
  type RecentModifications,
  type SentWindow,
} from '../modifications/recent-modifications.ts'
import { isFinalRefusal, unlessStored } from '../service/answers.ts'
import type { ListSource } from '../service/page-limit.ts'
import { type Backoff, createBackoff } from '../timing/worker.ts'

/** The recent records of the service's lists. The looks for the effect of a write search these lists. */
export interface RecentLists {
  /**
   * `isWanted`: selects the labels that the caller needs; the result may contain further labels. `sinceLocal`: the same
   * time as `since` or an earlier one, by the clock of this PC; without it, the present time.
   */
  labels(
    since: Instant,
    isWanted: (label: BriefLabel) => boolean,
    sinceLocal?: Instant,
  ): Promise<RecentLabels>
  modifications(window: SentWindow): Promise<RecentModifications>
}

interface ListParts extends ListSource {
  /** Returns the time of this PC, milliseconds since 1970. */
  readonly now: () => Instant
}

/** Creates lists that are read from the service at each call. */
export function recentLists(parts: ListParts): RecentLists {
  const { now } = parts
  return {
    labels: (since, isWanted, sinceLocal) => listRecentLabels(parts, since, now(), isWanted, sinceLocal),
    modifications: (window) => listRecentModifications(parts, window, now()),
  }
}

/**
 * Creates lists that are read only once, for all callers. `window`: the period for which the lists are read; it must
 * contain the periods that the callers pass.
 */
export function readOnce(lists: RecentLists, window: SentWindow): RecentLists {
  let labels: Promise<RecentLabels> | null = null
  let modifications: Promise<RecentModifications> | null = null
  return {
    labels: () => (labels ??= lists.labels(window.first, () => true)),
    modifications: () => (modifications ??= lists.modifications(window)),
  }
}

/**
 * Checks an empty list before the first attempt of a write, because a wrong response hides the records of other desks.
 * `known`: ids of a few records of this list that the desk knows. `read` reads one of them from the service. Returns
 * `api.malformed_answer` if the service has one of them, because the list must then be wrong, or the failure of a read.
 * Null: the list may be right, because the service refuses these reads, for example because it has removed the records.
 */
export async function emptyListFailure<Id>(
  known: readonly Id[],
  read: (id: Id) => Promise<ApiOutcome<unknown>>,
): Promise<Failure | null> {
  for (const id of known) {
    const outcome = unlessStored(await read(id))
    if (outcome.kind === 'answer') return failure('api.malformed_answer')
    if (!isFinalRefusal(outcome)) return outcome.failure
  }
  return null
}

const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** The details of a failed walk: its failure, and the page at which it failed. */
export interface BrokenWalk {
  readonly failure: Failure
  readonly isRefused: boolean
  readonly page: number
}

/**
 * Limits how often the desk walks a list that fails after its first page, for example a list without end. Many commands
 * may wait for the same list. After a failure there is a pause. During the pause, a command that needs the failed part
 * of the list gets the last failure. After the pause one command walks the list again. Failures of the connection and
 * the login are handled in command-waits.ts. A list that was read successfully is not shared, because it does not show
 * the effect of a write that was sent after the read.
 */
export class WalkPause<R> {
  readonly #brokenOf: (result: R) => BrokenWalk | null
  readonly #backoff: Backoff
  #last: { readonly since: Instant; readonly result: R } | null = null
  #isRetried = false

  /**
   * `brokenOf`: returns the failure of a walk; null: the walk did not fail. `clock`: only its monotonic clock is used.
   */
  constructor(clock: Pick<ClockPort, 'ticks'>, brokenOf: (result: R) => BrokenWalk | null) {
    this.#brokenOf = brokenOf
    this.#backoff = createBackoff(clock, firstPauseMs, longestPauseMs)
  }

  /**
   * Walks the list. `since`: the caller needs the rows from this time on, in milliseconds since 1970. If a walk from
   * the same or a later time has failed, this caller needs the failed part too. In this case, returns the last failure
   * without a walk while the pause is not over or another caller is walking the list again. All callers must read
   * `since` from the same clock, because the times are compared.
   */
  async walk(since: Instant, walk: () => Promise<R>): Promise<R> {
    const last = this.#last
    const isCovered = last !== null && since <= last.since
    if (isCovered && (this.#isRetried || this.#backoff.waitMs() > 0)) return last.result
    if (isCovered) this.#isRetried = true
    try {
      const result = await walk()
      const broken = this.#brokenOf(result)
      if (broken === null || broken.isRefused) {
        if (isCovered) this.#forget()
      } else if (broken.failure.code.startsWith('api.') && (isCovered || broken.page > 1)) {
        this.#last = { since: Math.max(since, this.#last?.since ?? since), result }
        if (this.#backoff.waitMs() === 0) this.#backoff.failed()
      }
      return result
    } finally {
      if (isCovered) this.#isRetried = false
    }
  }

  #forget(): void {
    this.#last = null
    this.#backoff.reset()
  }
}
