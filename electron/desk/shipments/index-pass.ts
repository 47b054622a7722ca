import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import { isLastPage } from '../service/answers.ts'
import type { RecentQuery } from '../ports/api.ts'
import type { IndexState } from '../ports/recent-store.ts'

/**
 * One walk through the service's list, newest first. Head: from now back to the known rows. Tail: from the oldest known
 * row back to the goal. Rows that are created during the walk push others to a later page; those are read twice, never
 * missed.
 */
export type Pass = HeadPass | TailPass

interface Walk {
  /** No row older than this is wanted; milliseconds since 1970, like every time here. */
  readonly goal: number
  readonly page: number
  /** Rows of the longest page of this walk; null before the first page. */
  readonly longest: number | null
  /** Number of rows to request per page; left out: the usual number. */
  readonly limit?: number
  /** The page length before the pages became longer again; null: they did not. */
  readonly grownFrom?: number | null
  /** Upper limit when pages become longer again. */
  readonly mostLimit?: number
  /** Number of consecutive rows that were left out, each too large on its own. */
  readonly leftOut?: number
}

interface HeadPass extends Walk {
  readonly kind: 'head'
  /** The newest creation time of this walk; null before the first page. */
  readonly newest: Instant | null
  /** The known rows begin here; null: no row is known. */
  readonly until: Instant | null
  /** Number of rows still to be read again even if they are known. */
  readonly rereadRows: number
}

interface TailPass extends Walk {
  readonly kind: 'tail'
  readonly from: number
}

/** How many known rows are read again: back to this time, and at least this number of rows. */
interface Overlap {
  readonly ms: Milliseconds
  readonly rows: number
}

/** After this page a tail starts again at page 1 with a later start day. */
const furthestPage = 20

export function beginHead(known: IndexState | null, goal: number, overlap: Overlap): Pass {
  const until = known && known.newest - overlap.ms
  return { kind: 'head', goal, page: 1, longest: null, newest: null, until, rereadRows: overlap.rows }
}

export function beginTail(known: IndexState, goal: number): Pass {
  return { kind: 'tail', goal, page: 1, longest: null, from: known.oldest }
}

export function queryOf(pass: Pass, usual: number): RecentQuery {
  const { limit = usual } = pass
  const query = { from: dayOf(pass.goal), page: pass.page, limit }
  return pass.kind === 'head' ? query : { ...query, to: dayOf(pass.from) }
}

/** Whether no row newer than the goal is missing; the goal may have changed since the last walk. */
export function isWhole(known: IndexState | null, goal: number): boolean {
  return known !== null && known.oldest <= goal
}

/** A row of any list that the service orders by creation time. */
export interface Listed {
  readonly created_at: string
}

export interface Page {
  readonly rows: readonly Listed[]
  /** Number of rows that the service returned, including unreadable ones. */
  readonly length: number
  readonly asOf: number
}

/** The result of a page: the next pass (null: the walk is over) and the stretch that is now known (null: unchanged). */
export interface Progress {
  readonly pass: Pass | null
  readonly state: IndexState | null
}

export function advance(pass: Pass, page: Page, known: IndexState | null): Progress {
  const times = page.rows.map((row) => Date.parse(row.created_at))
  const oldest = times.reduce((a, b) => Math.min(a, b), Infinity)
  const newest = times.reduce((a, b) => Math.max(a, b), -Infinity)
  const isLast = isLastPage(page.length, pass.longest)
  const longest = Math.max(pass.longest ?? 0, page.length)
  return pass.kind === 'head'
    ? advanceHead({ ...pass, longest }, { ...page, isLast }, known, { oldest, newest })
    : advanceTail({ ...pass, longest }, { ...page, isLast }, known, oldest)
}

interface JudgedPage extends Page {
  readonly isLast: boolean
}

function advanceHead(
  pass: HeadPass,
  { length, isLast, asOf }: JudgedPage,
  known: IndexState | null,
  span: { oldest: Instant; newest: Instant },
): Progress {
  const newest = Math.max(pass.newest ?? -Infinity, span.newest)
  // limited to the time of the response: a row dated in the future would stop the search for new rows
  const seen = Math.min(Number.isFinite(newest) ? newest : asOf, asOf)
  if (isLast)
    return { pass: null, state: { newest: seen, oldest: pass.goal, complete: true, syncedAt: asOf } }
  const isFirst = pass.until === null || !known
  // a page without a readable row does not show how far back it reaches
  if (isFirst && Number.isFinite(span.oldest))
    return { pass: null, state: { newest: seen, oldest: span.oldest, complete: false, syncedAt: asOf } }
  const rereadRows = Math.max(0, pass.rereadRows - length)
  if (!isFirst && span.oldest < pass.until && rereadRows === 0)
    return { pass: null, state: { ...known, newest: Math.max(known.newest, seen), syncedAt: asOf } }
  return { pass: { ...pass, page: pass.page + 1, newest: seen, rereadRows }, state: null }
}

function advanceTail(
  pass: TailPass,
  { isLast, asOf }: JudgedPage,
  known: IndexState | null,
  oldest: Instant,
): Progress {
  // the cache was lost during the walk, so the next head starts again
  if (!known) return { pass: null, state: null }
  if (isLast) return { pass: null, state: { ...known, oldest: pass.goal, complete: true, syncedAt: asOf } }
  const state = { ...known, oldest: Math.min(known.oldest, oldest), syncedAt: asOf }
  // a service takes longer for a later page, so the walk restarts at page 1 and excludes the days that were read
  const isFar = pass.page >= furthestPage && dayOf(state.oldest) < dayOf(pass.from)
  return { pass: isFar ? { ...pass, page: 1, from: state.oldest } : { ...pass, page: pass.page + 1 }, state }
}

function dayOf(ms: Instant): string {
  return new Date(ms).toISOString().slice(0, 10)
}
