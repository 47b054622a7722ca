import { isLastPage } from '../service/answers.ts'
import type { RecentQuery } from '../ports/api.ts'
import type { IndexState } from '../ports/recent-store.ts'

/**
 * One walk through the service's list, newest first. Head: from now back to what is known. Tail: from the oldest known
 * back to the goal. Rows that arrive meanwhile push others to a later page: they are then read twice, never missed.
 */
export type Pass = HeadPass | TailPass

interface Walk {
  /** Nothing older is wanted; milliseconds since 1970, like every time here. */
  readonly goal: number
  readonly page: number
  /** Rows of the longest page of this walk; null before its first. */
  readonly longest: number | null
  /** Rows that a page is asked for; left out: as many as usual. */
  readonly limit?: number
  /** How long the pages were before they became longer again; null: they did not. */
  readonly grownFrom?: number | null
  /** Pages become no longer again than that. */
  readonly mostLimit?: number
  /** How many rows in a row were left out, each too large by itself. */
  readonly leftOut?: number
}

interface HeadPass extends Walk {
  readonly kind: 'head'
  /** The newest creation time seen in this walk; null before its first page. */
  readonly newest: number | null
  /** Where it meets what is known; null when nothing is. */
  readonly until: number | null
  /** Rows still to be read again, however well known they are. */
  readonly rereadRows: number
}

interface TailPass extends Walk {
  readonly kind: 'tail'
  readonly from: number
}

/** How much of what is known is read again: so far back in time, and so many rows at least. */
interface Overlap {
  readonly ms: number
  readonly rows: number
}

/** A tail counts its pages anew after this one. */
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

/** Nothing older than the goal is missing: it may have been set anew since. */
export function isWhole(known: IndexState | null, goal: number): boolean {
  return known !== null && known.oldest <= goal
}

/** Whatever the service lists by its creation time. */
export interface Listed {
  readonly created_at: string
}

export interface Page {
  readonly rows: readonly Listed[]
  /** Rows as the service gave them, those included that cannot be read. */
  readonly length: number
  readonly asOf: number
}

/** What a page leads to: the pass that goes on (null: it is over) and the stretch now known (null: as before). */
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
  span: { oldest: number; newest: number },
): Progress {
  const newest = Math.max(pass.newest ?? -Infinity, span.newest)
  // no later than the answer: behind a row that is dated ahead nothing new would be looked for any more
  const seen = Math.min(Number.isFinite(newest) ? newest : asOf, asOf)
  if (isLast)
    return { pass: null, state: { newest: seen, oldest: pass.goal, complete: true, syncedAt: asOf } }
  const isFirst = pass.until === null || !known
  // of a page without a readable row nobody knows how far it reaches
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
  oldest: number,
): Progress {
  // the cache was lost under the walk: the next head starts anew
  if (!known) return { pass: null, state: null }
  if (isLast) return { pass: null, state: { ...known, oldest: pass.goal, complete: true, syncedAt: asOf } }
  const state = { ...known, oldest: Math.min(known.oldest, oldest), syncedAt: asOf }
  // the further a page is from the first, the longer a service looks for it; the days that were read are left out then
  const isFar = pass.page >= furthestPage && dayOf(state.oldest) < dayOf(pass.from)
  return { pass: isFar ? { ...pass, page: 1, from: state.oldest } : { ...pass, page: pass.page + 1 }, state }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
