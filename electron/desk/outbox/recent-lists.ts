import type { BriefLabel } from '#shared/domain/label-codes.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import { listRecentLabels, type RecentLabels } from '../labels/recent-labels.ts'
import {
  listRecentModifications,
  type RecentModifications,
  type SentWindow,
} from '../modifications/recent-modifications.ts'
import type { Session } from '../service/session.ts'
import { type Backoff, createBackoff } from '../timing/worker.ts'

/** What the service lists of late, for those who look for the effect of a write. */
export interface RecentLists {
  /** `isWanted`: those that are wanted; there may be others among them. */
  labels(since: number, isWanted: (label: BriefLabel) => boolean): Promise<RecentLabels>
  modifications(window: SentWindow): Promise<RecentModifications>
}

interface ListParts {
  readonly api: ApiPort
  readonly session: Session
  /** Milliseconds since 1970, by this machine. */
  readonly now: () => number
}

/** Reads anew for each who asks. */
export function recentLists({ api, session, now }: ListParts): RecentLists {
  return {
    labels: (since, isWanted) => listRecentLabels(api, session, since, now(), isWanted),
    modifications: (window) => listRecentModifications(api, session, window, now()),
  }
}

/** Reads each list once for all who ask, over a window that holds theirs. */
export function readOnce(lists: RecentLists, window: SentWindow): RecentLists {
  let labels: Promise<RecentLabels> | null = null
  let modifications: Promise<RecentModifications> | null = null
  return {
    labels: () => (labels ??= lists.labels(window.first, () => true)),
    modifications: () => (modifications ??= lists.modifications(window)),
  }
}

const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** The parts of a walk that broke off which decide whether the next one would break off as well. */
export interface BrokenWalk {
  readonly failure: Failure
  readonly isRefused: boolean
  readonly page: number
}

/**
 * Bounds how often a list is walked that breaks off after its first page, such as one without end, whatever number of
 * commands wait for it. During a pause each command that needs as much of the list, or more, gets the last failure; then
 * one command walks it again. The line and the login have a pause of their own. Only failures are shared: a list that was read
 * before a command asked for it proves nothing for that command.
 */
export class WalkPause<R> {
  readonly #brokenOf: (result: R) => BrokenWalk | null
  readonly #backoff: Backoff
  #last: { readonly since: number; readonly result: R } | null = null
  #isTriedAnew = false

  /** `brokenOf`: how a walk broke off, or null. `clock`: only its ticks count. */
  constructor(clock: Pick<ClockPort, 'ticks'>, brokenOf: (result: R) => BrokenWalk | null) {
    this.#brokenOf = brokenOf
    this.#backoff = createBackoff(clock, firstPauseMs, longestPauseMs)
  }

  /** `since`: how far back the list is needed, in milliseconds since 1970; each walk by the same clock. */
  async walk(since: number, walk: () => Promise<R>): Promise<R> {
    const last = this.#last
    const isCovered = last !== null && since <= last.since
    if (isCovered && (this.#isTriedAnew || this.#backoff.waitMs() > 0)) return last.result
    if (isCovered) this.#isTriedAnew = true
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
      if (isCovered) this.#isTriedAnew = false
    }
  }

  #forget(): void {
    this.#last = null
    this.#backoff.reset()
  }
}
