import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import { isLastPage } from '../service/answers.ts'
import type { RecentQuery } from '../ports/api.ts'
import type { IndexState } from '../ports/recent-store.ts'

/**
 * One walk through the service's list, newest row first. A head reads from now back to the rows that the desk already
 * knows. A tail reads from the oldest known row back to `goal`; rows created before `goal` are not wanted. Rows that
 * are created during a walk move older rows to later pages. The walk reads such older rows twice, and never misses one.
 */
export type Pass = HeadPass | TailPass

/**
 * The page lengths of a walk. Only `page-lengths.ts`, which describes their rules, sets these values. They stay the
 * same when a walk continues or starts again at page 1.
 */
interface WalkLengths {
  /** Number of rows to request per page; left out: the usual number. */
  readonly limit?: number
  /** The page length before the last increase; null: there was no increase. */
  readonly grownFrom?: number | null
  /**
   * Maximum length of the pages after page 1, because a page after an increase of the length failed or was too short;
   * left out: the usual length.
   */
  readonly mostLimit?: number
  /**
   * The walk at the page that was first refused as too long. The walk continues from there if a page of one row is
   * refused too. Null or left out: no page was refused since the last page that the service returned.
   */
  readonly refused?: Pass | null
  /** Number of consecutive rows that were left out, because each row failed on its own. */
  readonly leftOut?: number
  /**
   * The walk at the first of the last rows that were left out after server errors. Only a page that the service returns
   * after them shows that these rows are the reason. Null or left out: no such page is awaited.
   */
  readonly unsure?: Pass | null
  /** Whether page 1 was shortened after server errors, and the service has returned no page since. */
  readonly isFirstBroken?: boolean
}

interface Walk extends WalkLengths {
  /** Rows created before this moment are not wanted. All times in this file are milliseconds since 1970. */
  readonly goal: number
  readonly page: number
  /** Number of rows in the longest page of this walk; null before the first page. */
  readonly longest: number | null
  /** The ids of the readable rows of the last pages, the newest page first; at most `comparedPages` pages. */
  readonly lastIds?: readonly ReadonlySet<string | number>[]
  /** Number of consecutive pages that had only rows of `lastIds`, or no readable row. */
  readonly repeats?: number
  /** Number of readable rows of this walk. */
  readonly rows?: number
  /** The newest creation time of the first page of this walk that had a readable row. */
  readonly since?: Instant
  /** The oldest creation time since page 1; Infinity or left out: no row was readable. */
  readonly oldest?: Instant
  /** The oldest time to which a page since page 1 reaches (`endOf`); Infinity or left out: no row was readable. */
  readonly edge?: Instant
  /** Number of times that this walk has started again at page 1 because of a page in a wrong place (`isInPlace`). */
  readonly restarts?: number
}

interface HeadPass extends Walk {
  readonly kind: 'head'
  /** The newest creation time of this walk; null before the first page. */
  readonly newest: Instant | null
  /**
   * The walk ends when it reaches rows that were created before this moment, because these rows are known; null: no row
   * is known.
   */
  readonly until: Instant | null
  /** Number of rows that this walk must still read, even if they are known. */
  readonly rereadRows: number
  /** Whether the page that was read last looked like the last page of the list. */
  readonly wasLast?: boolean
  /**
   * The creation time back to which the pages that were read are in their right places in the list. Left out: no page
   * was read.
   */
  readonly reached?: Instant
}

interface TailPass extends Walk {
  readonly kind: 'tail'
  readonly from: number
  /**
   * Whether this walk has reached the end of the list once and now reads the last rows again. The walk is complete only
   * if it reaches the end again and finds no older row on the way. The reason: at the first end, the service may have
   * wrongly returned an empty or short page although more rows follow, and no later walk would read those rows.
   */
  readonly confirms?: boolean
  /** Whether this walk has ever reached the end of the list. */
  readonly hasEnded?: boolean
  /** The oldest creation time of all rows of this walk; left out: it had no readable row. */
  readonly oldestRow?: Instant
}

/**
 * Which known rows are read again: rows created within this time before the newest known row, and at least this number
 * of rows.
 */
interface Overlap {
  readonly ms: Milliseconds
  readonly rows: number
}

/**
 * After this page number, a walk through older rows (tail) starts again at page 1, and its query leaves out the days
 * that were read.
 */
const furthestPage = 20

export function beginHead(known: IndexState | null, goal: number, overlap: Overlap): Pass {
  const until = known && known.newest - overlap.ms
  const none = { longest: null, newest: null }
  return { kind: 'head', goal, page: 1, ...none, until, rereadRows: overlap.rows }
}

export function beginTail(known: IndexState, goal: number): Pass {
  return { kind: 'tail', goal, page: 1, longest: null, from: known.oldest }
}

export function queryOf(pass: Pass, usual: number): RecentQuery {
  const { limit = usual } = pass
  const query = { from: dayOf(pass.goal), page: pass.page, limit }
  return pass.kind === 'head' ? query : { ...query, to: dayOf(pass.from) }
}

/** Whether the copy contains all rows that were created since `goal`. The goal may have changed since the last walk. */
export function isWhole(known: IndexState | null, goal: number): boolean {
  return known !== null && known.oldest <= goal
}

/**
 * Whether a walk through the newest rows (head) has read at least one page and must still read rows that are newer than
 * the known range, for example after the desk was switched off for days. `pass`: the walk before its next page.
 */
export function hasGap(pass: Pass, known: IndexState | null): boolean {
  return pass.kind === 'head' && pass.page > 1 && known !== null && (pass.edge ?? Infinity) > known.newest
}

/** A row of any list that the service orders by creation time. */
export interface Listed {
  readonly id: string | number
  readonly created_at: string
}

export interface Page {
  readonly rows: readonly Listed[]
  /** Number of rows of this page that the service returned, including unreadable ones. */
  readonly length: number
  readonly asOf: number
}

/**
 * The state after a page: how the walk continues (null: the walk is over), and the range of times that is now known
 * (null: unchanged).
 */
export interface Progress {
  readonly pass: Pass | null
  readonly state: IndexState | null
}

/**
 * Returns the walk and the known range after a page. Except for page 1 of a head, a page changes the range only if the
 * page after it is in its place in the list: the response may be a wrong page, or a row may have a wrong date.
 */
export function advance(pass: Pass, page: Page, known: IndexState | null): Progress {
  const times = page.rows.map((row) => Date.parse(row.created_at))
  const newest = times.reduce((a, b) => Math.max(a, b), -Infinity)
  const isLast = isLastPage(page.length, pass.longest)
  const longest = Math.max(pass.longest ?? 0, page.length)
  const lastIds = [new Set(page.rows.map(({ id }) => id)), ...(pass.lastIds ?? [])].slice(0, comparedPages)
  const since = pass.since ?? (page.rows.length > 0 ? newest : undefined)
  const counted = { rows: (pass.rows ?? 0) + page.rows.length, ...(since !== undefined && { since }) }
  const again = { ...atPageOne(pass), ...counted, longest }
  // this page has more rows than each earlier page, so rows between the earlier pages were not read; the walk starts
  // again at page 1
  if (pass.longest !== null && page.length > pass.longest && !pass.grownFrom)
    return { pass: again, state: null }
  const repeats = repeatsOf(pass, page)
  const { restarts = 0 } = pass
  if (restarts < mostRestarts && !isInPlace(pass, page))
    return { pass: { ...again, restarts: restarts + 1 }, state: null }
  const oldest = times.reduce((a, b) => Math.min(a, b), pass.oldest ?? Infinity)
  const begun = { lastIds, repeats, ...counted, longest, oldest }
  const judged = { ...page, isLast, newest, end: endOf(times) }
  return pass.kind === 'head'
    ? advanceHead({ ...pass, ...begun }, judged, known)
    : advanceTail({ ...pass, ...begun }, judged, known)
}

/**
 * Number of times that a walk starts again at page 1 because of a page in a wrong place. After these restarts the walk
 * accepts such pages, because the service does not sort some rows by their dates. When a walk through older rows (tail)
 * starts again at page 1 to leave out the days that were read, the count of restarts begins at 0 again.
 */
const mostRestarts = 2

/**
 * Whether a page continues the walk: its rows are sorted, they are not newer than the rows of the earlier pages, and at
 * least one of them was on no earlier page. A row that was on an earlier page may be newer, because rows that are
 * created during the walk move such a row to a later page. A page without readable rows also continues the walk.
 */
function isInPlace(pass: Pass, { rows, length }: Page): boolean {
  const { oldest = Infinity, lastIds = [] } = pass
  let before = Infinity
  for (const { id, created_at: at } of rows) {
    const time = Date.parse(at)
    if (time > before || (time > oldest && !lastIds.some((ids) => ids.has(id)))) return false
    before = time
  }
  return rows.length === 0 || repeatsOf(pass, { rows, length }) === 0
}

/**
 * Returns the creation time back to which a page reaches: the newer one of its last two rows, because a single row with
 * a date that is too old must not extend the known range. Infinity: no row is readable.
 */
function endOf(times: readonly Instant[]): Instant {
  return times.length === 0 ? Infinity : Math.max(...times.slice(-2))
}

/** Returns the walk, restarted at page 1. The pages that were read so far are no longer compared with the next ones. */
function atPageOne<P extends Pass>(pass: P): P {
  return { ...pass, page: 1, lastIds: [], repeats: 0, oldest: Infinity, edge: Infinity }
}

/**
 * If this many consecutive pages contain only rows of earlier pages, the walk makes no progress. New rows can move rows
 * to the next page, but not all rows of a page several times in a row.
 */
const mostRepeats = 3
/**
 * Number of earlier pages with which a page is compared. The page that it repeats is not always the previous one,
 * because several servers of a service may respond alternately, or one response may be a page of another place.
 */
const comparedPages = furthestPage
/**
 * Only readable rows are compared with the rows of earlier pages. Therefore, after this number of consecutive pages
 * without a readable row, the walk assumes that the service returns the same page for each page number.
 */
const mostUnreadable = 20

function repeatsOf({ lastIds = [], repeats = 0 }: Pass, { rows, length }: Omit<Page, 'asOf'>): number {
  const isRepeated = length > 0 && rows.every(({ id }) => lastIds.some((ids) => ids.has(id)))
  return isRepeated ? repeats + 1 : 0
}

/** Whether the service returns the same page for each page number, so that the walk would never end. */
export function isStuck(pass: Pass, page: Omit<Page, 'asOf'>): boolean {
  return repeatsOf(pass, page) >= (page.rows.length === 0 ? mostUnreadable : mostRepeats)
}

/**
 * Number of rows that a walk is allowed to read even if all were created at the same time, because a customer can
 * import many rows at once.
 */
const freeRows = 100_000
/**
 * A walk may read this number of rows in addition to `freeRows` for each day from the oldest row of its current page to
 * the newest row of its first page.
 */
const mostRowsOfDay = 100_000
const dayMs = 24 * 3600_000

/**
 * Whether the walk has read more rows than any customer creates in the period from the oldest row of this page to the
 * newest row of the walk's first page. This happens if a service returns new rows on each page without end.
 */
export function isFlooded(pass: Pass, { rows }: Omit<Page, 'asOf'>): boolean {
  if (rows.length === 0) return false
  const times = rows.map((row) => Date.parse(row.created_at))
  const since = pass.since ?? times.reduce((a, b) => Math.max(a, b), -Infinity)
  const oldest = times.reduce((a, b) => Math.min(a, b), since)
  return (pass.rows ?? 0) + rows.length > freeRows + (mostRowsOfDay * (since - oldest)) / dayMs
}

/**
 * Returns the walk, moved back by `repeats` pages. These last pages contained only rows of earlier pages or no readable
 * row, so the walk must still read the rows that belong on them.
 */
export function rewound({ repeats = 0, ...pass }: Pass): Pass {
  return { ...pass, page: Math.max(1, pass.page - repeats) }
}

interface JudgedPage extends Page {
  readonly isLast: boolean
  /** The newest creation time of the page; -Infinity: no row is readable. */
  readonly newest: Instant
  /** See `endOf`. */
  readonly end: Instant
}

function advanceHead(
  pass: HeadPass,
  { length, isLast, asOf, newest, end }: JudgedPage,
  known: IndexState | null,
): Progress {
  // page 1 has the newest row of the walk: rows of later pages are not newer, unless their dates are wrong
  const first = pass.newest ?? newest
  const edge = Math.min(pass.edge ?? Infinity, end)
  // the known range ends at the time of the response at the latest: if it ended in the future, no new row would be
  // found
  const seen = Math.min(Number.isFinite(first) ? first : asOf, asOf)
  const read = { newest: seen, oldest: Math.min(edge, seen), complete: false, syncedAt: asOf }
  const hasRows = Number.isFinite(edge)
  const rereadRows = Math.max(0, pass.rereadRows - length)
  // the time back to which the walk has read: a page after page 1 counts only after the walk has accepted the page that
  // follows it; page 1 counts at once, because a wrong page 1 extends the known range only to its own rows
  const reached = pass.page === 1 ? end : (pass.edge ?? Infinity)
  if (pass.until === null) {
    // no row is known, so this walk ends after its first page with a readable row; a page without a readable row does
    // not show how far back it reaches
    if (isLast || hasRows) return { pass: null, state: read }
  } else {
    // the cache was lost during the walk, so this walk ends, and the next one begins at the newest row
    if (!known) return { pass: null, state: null }
    // a short page counts as the last one only if the next page confirms this
    if (length === 0 || (isLast && pass.wasLast)) return { pass: null, state: afterEnd(read, known, hasRows) }
    if (reached < pass.until && rereadRows === 0)
      return { pass: null, state: { ...known, newest: Math.max(known.newest, seen), syncedAt: asOf } }
  }
  const next = { page: pass.page + 1, newest: seen, rereadRows, wasLast: isLast, edge, reached }
  return { pass: { ...pass, ...next }, state: null }
}

/**
 * Returns the new known range: the period whose rows the desk has copied. Called when a walk through the newest rows
 * (head) has reached the end of the list. `known`: the range before this walk. `read`: the period of the rows that this
 * walk has read. If `known` ends before `read` begins, rows between the two may be missing: a page that was too short
 * by mistake may have looked like the end of the list. In this case the new known range is `read`, and the next walk
 * through older rows (tail) continues from there.
 */
function afterEnd(read: IndexState, known: IndexState, hasRows: boolean): IndexState {
  if (!hasRows) return { ...known, syncedAt: read.syncedAt }
  if (read.oldest > known.newest) return read
  return { ...known, newest: Math.max(known.newest, read.newest), syncedAt: read.syncedAt }
}

/**
 * Returns the known range after a head that ends because its next page always fails (null: unchanged). If the walk has
 * not read all rows that are newer than the known range, the new known range has only the rows that it has read, and a
 * tail continues at the failing page.
 */
export function endedEarly(pass: Pass, known: IndexState | null): IndexState | null {
  if (pass.kind !== 'head' || pass.newest === null || !known) return null
  const { newest, reached = Infinity } = pass
  const read = { ...known, newest, oldest: Math.min(reached, newest), complete: false }
  return afterEnd(read, known, Number.isFinite(reached))
}

function advanceTail(pass: TailPass, { isLast, asOf, end }: JudgedPage, known: IndexState | null): Progress {
  // the cache was lost during the walk, so this walk ends, and the next one begins at the newest row
  if (!known) return { pass: null, state: null }
  const { edge = Infinity, oldest = Infinity, oldestRow = Infinity } = pass
  // a page that reaches at least as far back as the pages before it is at the right position of the list. The pages
  // before it were then at their right positions too, so the known range now includes them
  const state = { ...known, oldest: Math.min(known.oldest, end <= edge ? edge : Infinity), syncedAt: asOf }
  const confirms = pass.confirms === true && oldest >= oldestRow
  if (isLast && confirms) return { pass: null, state: { ...state, oldest: pass.goal, complete: true } }
  const reached = { ...pass, confirms, oldestRow: Math.min(oldest, oldestRow) }
  // the service needs more time for later pages, so the walk starts again at page 1, and its query leaves out the days
  // that were read
  const isFar = pass.page >= furthestPage && dayOf(state.oldest) < dayOf(pass.from)
  if (!isLast && !isFar)
    return { pass: { ...reached, page: pass.page + 1, edge: Math.min(edge, end) }, state }
  // the query of the restarted walk returns the rows of the oldest day again. These rows are not compared with the
  // pages before the restart, so that the walk does not conclude from them that the service ignores the page number.
  // When the walk has reached the end of the list for the first time, its count of rows (`isFlooded`) begins at 0
  // again, because the restarted walk reads the same rows again
  const isFirstEnd = isLast && !pass.hasEnded
  const again = { ...atPageOne(reached), from: state.oldest, confirms: isLast }
  return {
    pass: { ...again, ...(isFar && { restarts: 0 }), ...(isFirstEnd && { hasEnded: true, rows: 0 }) },
    state,
  }
}

function dayOf(ms: Instant): string {
  return new Date(ms).toISOString().slice(0, 10)
}
