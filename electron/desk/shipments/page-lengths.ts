import type { Failure } from '#shared/errors/catalogue.ts'
import { isAboutLength } from '../catalogue/list-walk.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { Pass } from './index-pass.ts'

/** The failed outcome of a request for a page of a list: the service did not return the page. */
export type FailedPage = Exclude<ApiOutcome<unknown>, { kind: 'answer' }>

/**
 * How a walk continues after a failed page. `shorter`: it requests the same rows in the shorter pages of `pass`, at
 * once. `without_row`: it leaves out the only row of the page. `fails`: it stops with the failure, and its next try,
 * after a pause, requests the page of `pass`.
 */
interface AfterFailure {
  readonly kind: 'shorter' | 'without_row' | 'fails'
  readonly pass: Pass
}

/**
 * After the service has refused longer pages, no walk requests longer pages than those that it returned, for this time
 * in milliseconds.
 */
const shortPagesMs = 3600_000
/** Maximum number of consecutive rows that are left out because each row was too large on its own. */
const mostLeftOut = 100
/** Maximum number of consecutive rows that are left out because of server errors. */
const mostBroken = 3

/**
 * The page lengths of the walks through one list. A walk begins with pages of the usual length. Each shorter length
 * divides the next longer one without a remainder, so that a page of another length can begin at the same row: 200,
 * 100, 50, 25, 5 and 1 rows. The table shows which length follows a failed page:
 *
 * | failure                                               | length                 | applies to               |
 * | ----------------------------------------------------- | ---------------------- | ------------------------ |
 * | page refused as too long (400, 413, 422) or too slow  | shorter                | all walks, for an hour   |
 * | … and it had one row, so its length is not the reason | usual; the walk fails  | all walks, from now on   |
 * | response unreadable, for example too large            | shorter                | this walk                |
 * | … and it had one row, which is too large on its own   | same, without this row | this walk                |
 * | … and it had one row, otherwise                       | same; the walk fails   | this walk                |
 * | persistent server error (`api.unavailable`)           | shorter, after a pause | this walk; page 1 below  |
 * | … and it had one row, but one of the next 3 has none  | same, without this row | this walk                |
 * | … and it had one row, otherwise                       | same; the walk fails   | this walk                |
 * | any other                                             | same; the walk fails   | this walk                |
 *
 * In the second line, the walk that fails continues with the page that was refused first, in the length of that page.
 * After 100 consecutive rows that were left out, the walk fails at the next one. If page 1 of the newest rows was
 * shortened after server errors, the walks through the newest rows begin with this length for an hour.
 *
 * The length increases again step by step after full pages, whenever a longer page begins at the next row. In the first
 * line, the shorter length is the maximum for an hour after a page of this length was returned; then the reason may
 * have ended. If a page after an increase fails, or has fewer rows than requested, the walk takes the increase back.
 */
export class PageLengths {
  readonly #clock: Pick<ClockPort, 'ticks'>
  readonly #usual: number
  /** Length of the longest page that the service returns, for all walks; null: not known. */
  #longest: LearnedLength | null = null
  /** The longest page 1 of the newest rows without a server error; null: not known. */
  #longestFirst: LearnedLength | null = null

  /** `usual`: the number of rows in a page of the usual length. */
  constructor(clock: Pick<ClockPort, 'ticks'>, usual: number) {
    this.#clock = clock
    this.#usual = usual
  }

  /**
   * Returns a walk at page 1. Its pages have the greatest length that the service returns, but they are not longer than
   * the pages of `pass`.
   */
  begin(pass: Pass): Pass {
    const first = pass.kind === 'head' ? this.#stillValid(this.#longestFirst) : this.#usual
    const limit = Math.min(this.#longestPage(), first)
    return limit < (pass.limit ?? this.#usual) ? { ...pass, limit } : pass
  }

  /**
   * Returns how a walk continues after a failed page. Do not call it while the connection is lost, because the lost
   * connection may be the cause. `persists`: whether the page has failed twice in the same way, and the connection was
   * good between the two. Otherwise the connection or the whole service may be the cause of a timeout or a server
   * error.
   */
  afterFailure(pass: Pass, outcome: FailedPage, persists: boolean): AfterFailure {
    const shorter = shortened(pass, this.#usual)
    if (isTooLong(outcome, persists)) {
      if (!shorter) {
        this.#longest = null
        return pass.refused ? failedAt({ ...pass.refused, refused: null }) : failedAt(pass)
      }
      return { kind: 'shorter', pass: { ...shorter, refused: pass.refused ?? pass } }
    }
    const { leftOut = 0 } = pass
    if (isServerError(outcome)) {
      if (!persists && !pass.unsure) return failedAt(pass)
      if (shorter) return { kind: 'fails', pass: { ...shorter, isFirstBroken: isFirst(pass) } }
      // after a row that failed, the next rows are requested at once. If they fail too, the whole list may fail for a
      // while, so the walk stops
      if (leftOut >= mostBroken) {
        const { kind, pass: first } = failedAt(pass)
        // If consecutive rows fail, the reason is probably the whole list. Later walks therefore begin with the
        // usual length.
        return { kind, pass: { ...first, isFirstBroken: false } }
      }
      return { kind: 'without_row', pass: { ...pass, leftOut: leftOut + 1, unsure: pass.unsure ?? pass } }
    }
    if (!isUnreadable(outcome)) return failedAt(pass)
    if (shorter) return { kind: 'shorter', pass: shorter }
    if (!isTooLarge(outcome.failure) || leftOut >= mostLeftOut) return failedAt(pass)
    return { kind: 'without_row', pass: { ...pass, leftOut: leftOut + 1 } }
  }

  /**
   * Call it when the service has returned the page of `pass`. If the service refused longer pages of this walk before,
   * the length is now known to be the reason, and no walk requests longer pages for an hour. Until then only this walk
   * requests shorter pages, because the reason may be its rows.
   */
  returned({ refused, isFirstBroken, limit = this.#usual }: Pass): void {
    const learned = { rows: limit, untilTicks: this.#clock.ticks() + shortPagesMs }
    if (refused) this.#longest = learned
    if (isFirstBroken) this.#longestFirst = learned
  }

  /** Returns a walk with longer pages if possible. `next`: the walk after a page that the service returned. */
  afterPage(next: Pass): Pass {
    const read = { ...next, leftOut: 0, refused: null, unsure: null, isFirstBroken: false }
    return lengthened(read, this.#longestPage())
  }

  /** Returns the length of the longest page to request. */
  #longestPage(): number {
    return this.#stillValid(this.#longest)
  }

  #stillValid(learned: LearnedLength | null): number {
    return learned && this.#clock.ticks() < learned.untilTicks ? learned.rows : this.#usual
  }
}

/** A page length in rows that the service has returned, and until when no longer page is requested. */
interface LearnedLength {
  readonly rows: number
  readonly untilTicks: number
}

/**
 * Returns how a walk stops after a failed page: its next try begins at this page. If the walk has left out rows without
 * the proof that these rows are the reason, the next try begins at the first of them.
 */
export function failedAt(pass: Pass): AfterFailure {
  return { kind: 'fails', pass: pass.unsure ?? pass }
}

/**
 * Whether a page is page 1 of a walk through the newest rows (head). If the walk has left out rows, and it is not
 * proven that these rows are the reason of the failures, the page at which the first of them was left out counts
 * instead.
 */
export function isFirst(pass: Pass): boolean {
  const { kind, page } = pass.unsure ?? pass
  return kind === 'head' && page === 1
}

/**
 * Takes back an increase of the page length: if a page after the first has fewer rows (`length`) than the increased
 * page length, returns the walk with the page length before the increase. Otherwise returns null.
 */
export function undone(pass: Pass, length: number): Pass | null {
  const back = pass.page > 1 && length < (pass.limit ?? 0) ? ungrown(pass) : null
  return back && { ...back, mostLimit: pass.grownFrom ?? 1 }
}

/** Whether the service refuses pages of this length (API.md 19) or needs too much time for them. */
function isTooLong(outcome: FailedPage, persists: boolean): boolean {
  if (outcome.kind === 'refused') return isAboutLength(outcome.status)
  return persists && outcome.kind === 'ambiguous' && outcome.failure.code === 'network.timeout'
}

/** Whether the service has returned a server error, for example because it cannot return one of the rows. */
function isServerError({ kind, failure: { code } }: FailedPage): boolean {
  return kind === 'ambiguous' && code === 'api.unavailable'
}

/** Whether the same rows may be readable in shorter pages, because a row or the whole page was too large. */
function isUnreadable({ kind, failure: { code } }: FailedPage): boolean {
  return kind === 'ambiguous' && code === 'api.malformed_answer'
}

function isTooLarge({ params }: Failure): boolean {
  return params['cause'] === 'TOO_LARGE'
}

/** Returns the walk at the same row with shorter pages; null: the page already has only one row. */
function shortened(pass: Pass, standard: number): Pass | null {
  const limit = pass.limit ?? standard
  const shorter = shorterThan(limit)
  if (shorter === null) return null
  const back = ungrown(pass)
  if (back) return back
  // the length of the pages that the service returned counts, because it may return shorter pages than requested
  const given = Math.min(limit, pass.longest ?? limit)
  const length = Math.min(shorter, given)
  const page = Math.floor(((pass.page - 1) * given) / length) + 1
  const longest = pass.longest === null ? null : length
  return { ...pass, limit: shorter, page, longest, grownFrom: null }
}

/**
 * Returns the walk with an increased page length, at most `standard`, after `shortened` has decreased it. Increases it
 * only if a page of the next greater length begins at the next row of the walk, and if the service returns full pages.
 */
function lengthened(pass: Pass, standard: number): Pass {
  const limit = pass.limit ?? standard
  const same = { ...pass, grownFrom: null }
  // the page length stays the same after a page without a new readable row. `rewound` subtracts the number of
  // consecutive such pages from the page number, so all of them must have the same length
  if (pass.repeats) return same
  // page 1 may become longer at once, because it begins at the same row in every length
  const most = pass.page === 1 ? standard : (pass.mostLimit ?? standard)
  if (limit >= most || pass.longest !== limit) return same
  const longer = longerThan(limit, standard)
  const offset = (pass.page - 1) * limit
  if (offset % longer > 0) return same
  return { ...pass, limit: longer, page: offset / longer + 1, grownFrom: limit }
}

/** Returns the walk at the same row with the page length before the last increase; null: there was no increase. */
function ungrown(pass: Pass): Pass | null {
  const { limit, grownFrom, page } = pass
  if (limit === undefined || !grownFrom) return null
  return { ...pass, limit: grownFrom, page: ((page - 1) * limit) / grownFrom + 1, grownFrom: null }
}

/**
 * Returns the largest page length that is less than `limit` and divides `limit` without a remainder; null: there is
 * none.
 */
function shorterThan(limit: number): number | null {
  if (limit <= 1) return null
  let parts = 2
  while (limit % parts > 0) parts++
  return limit / parts
}

function longerThan(limit: number, standard: number): number {
  let longer = standard
  for (let next = shorterThan(longer); next !== null && next > limit; next = shorterThan(next)) longer = next
  return longer
}
