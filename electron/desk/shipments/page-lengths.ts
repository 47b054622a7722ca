import type { Failure } from '#shared/errors/catalogue.ts'
import { isAboutLength } from '../catalogue/list-walk.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { Pass } from './index-pass.ts'

/** The outcome of a request for a page that the service did not return. */
export type FailedPage = Exclude<ApiOutcome<unknown>, { kind: 'answer' }>

/**
 * How a walk continues after a failed page. `shorter`: it requests the same rows in the shorter pages of `pass`.
 * `without_row`: it leaves out the only row of the page. `fails`: it stops with the failure, and its next try requests
 * the page of `pass`.
 */
interface AfterFailure {
  readonly kind: 'shorter' | 'without_row' | 'fails'
  readonly pass: Pass
}

/** For this time in milliseconds, no walk requests longer pages than those that the service returned. */
const shortPagesMs = 3600_000
/** Maximum number of consecutive rows that are left out because each row was too large on its own. */
const mostLeftOut = 100

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
 * | any other                                             | same; the walk fails   | this walk                |
 *
 * In the second line, the walk that fails continues with the page that was refused first, in the length of that page.
 * After 100 consecutive rows that were left out, the walk fails at the next one.
 *
 * The length increases again step by step after full pages, whenever a longer page begins at the next row. In the first
 * line, the shorter length is the maximum for an hour after a page of this length was returned; then the reason may
 * have ended. If a page after an increase fails, or has fewer rows than requested, the walk takes the increase back.
 */
export class PageLengths {
  readonly #clock: Pick<ClockPort, 'ticks'>
  readonly #usual: number
  /** The longest page that the service returns, for all walks; null: not known. */
  #longest: { readonly rows: number; readonly untilTicks: number } | null = null

  /** `usual`: the number of rows in a page of the usual length. */
  constructor(clock: Pick<ClockPort, 'ticks'>, usual: number) {
    this.#clock = clock
    this.#usual = usual
  }

  /** Returns a new walk with the longest pages that the service returns. */
  begin(pass: Pass): Pass {
    const limit = this.#longestPage()
    return limit < this.#usual ? { ...pass, limit } : pass
  }

  /**
   * Returns how a walk continues after a failed page, unless the lost connection is the cause. `isSlow`: whether a
   * timeout shows that the service needs too much time for the page; otherwise the connection may be its cause.
   */
  afterFailure(pass: Pass, outcome: FailedPage, isSlow: boolean): AfterFailure {
    const shorter = shortened(pass, this.#usual)
    if (isTooLong(outcome, isSlow)) {
      if (!shorter) {
        this.#longest = null
        return { kind: 'fails', pass: pass.refused ? { ...pass.refused, refused: null } : pass }
      }
      return { kind: 'shorter', pass: { ...shorter, refused: pass.refused ?? pass } }
    }
    if (!isUnreadable(outcome)) return { kind: 'fails', pass }
    if (shorter) return { kind: 'shorter', pass: shorter }
    const { leftOut = 0 } = pass
    if (!isTooLarge(outcome.failure) || leftOut >= mostLeftOut) return { kind: 'fails', pass }
    return { kind: 'without_row', pass: { ...pass, leftOut: leftOut + 1 } }
  }

  /**
   * Call it when the service has returned the page of `pass`. If longer pages were refused before, no walk requests
   * longer pages for an hour. Before, only this walk requests shorter pages, because its rows may be the reason.
   */
  returned({ refused, limit = this.#usual }: Pass): void {
    if (refused) this.#longest = { rows: limit, untilTicks: this.#clock.ticks() + shortPagesMs }
  }

  /** Returns a walk with longer pages if possible. `next`: the walk after a page that the service returned. */
  afterPage(next: Pass): Pass {
    return lengthened({ ...next, leftOut: 0, refused: null }, this.#longestPage())
  }

  /** Returns the length of the longest page to request. */
  #longestPage(): number {
    if (this.#longest && this.#clock.ticks() >= this.#longest.untilTicks) this.#longest = null
    return this.#longest?.rows ?? this.#usual
  }
}

/**
 * Takes back an increase of the page length: if a page after the first has fewer rows (`length`) than the increased
 * page length, returns the walk with the page length before the increase. Otherwise returns null.
 */
export function undone(pass: Pass, length: number): Pass | null {
  const back = pass.page > 1 && length < (pass.limit ?? 0) ? ungrown(pass) : null
  return back && { ...back, mostLimit: pass.grownFrom ?? 1 }
}

/** Whether the service refuses pages of this length (API.md 19) or needs too much time for them (`isSlow`). */
function isTooLong(outcome: FailedPage, isSlow: boolean): boolean {
  if (outcome.kind === 'refused') return isAboutLength(outcome.status)
  return isSlow && outcome.kind === 'ambiguous' && outcome.failure.code === 'network.timeout'
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
  // a service may return shorter pages than requested
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
  // page 1 begins at the same row whatever the page length is
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
