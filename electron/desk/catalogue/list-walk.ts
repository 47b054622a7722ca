import type { Instant } from '#shared/domain/instants.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { PageQuery, RowPage, VariantQuery } from '../ports/api.ts'
import { type FillState, mostWalkRows } from '../ports/catalogue-sync.ts'
import { isLastPage } from '../service/answers.ts'

export interface WalkPage<Row> extends RowPage<Row> {
  /**
   * The time of the response: its Date header or, without this header, the time of this PC; milliseconds since 1970.
   */
  readonly asOf: number
}

export type WalkAnswer<Row> =
  | { readonly kind: 'page'; readonly page: WalkPage<Row> }
  | { readonly kind: 'refused'; readonly status: number; readonly failure: Failure }
  /** `isHeavy`: the response broke off, took too long, or was too large, so a shorter page may succeed. */
  | { readonly kind: 'broken'; readonly isHeavy: boolean; readonly failure: Failure }

/**
 * Reads the pages of a list that the service orders by the creation of its rows. If a call cannot succeed now, the
 * round ends.
 */
export interface WalkSource<Row> {
  read(query: PageQuery): Promise<WalkAnswer<Row>>
  /** Notes that pages of this length fail, so that the next round requests shorter pages. */
  tooLong(limit: number): void
  /** Ends the read of the list with this failure. */
  fail(failure: Failure): never
}

interface WalkPlan {
  readonly state: FillState
  /**
   * Number of rows in the longest page that the service returns; null: the list fits in one page, so this number is
   * unknown.
   */
  readonly pageRows: number | null
}

/**
 * Plans a walk through a whole list, from the last page down to the first. In this order no row is missed if the list
 * changes during the walk. If a row is removed, the rows after it move to lower pages, which are read later. New rows
 * appear after the last page, and the caller reads them afterwards.
 */
export async function planWalk<Row>(
  source: WalkSource<Row>,
  knownLength: number | null,
  guess: number | null,
): Promise<WalkPlan> {
  const { page, limit } = await longestPage(source, knownLength)
  const length = lengthOf(page)
  const isThere = async (nth: number): Promise<boolean> =>
    lengthOf(whole(source, await source.read({ page: nth, limit: 1 }))) > 0
  const expected = length === 0 ? 0 : await countRows(isThere, length, guess)
  if (expected > mostWalkRows) return source.fail(failure('catalogue.too_large'))
  // requests the next pages with the actual length of this page: a service that returns shorter pages may also number
  // its pages by this length
  const given = length === 0 ? limit : length
  return {
    state: { startedAt: page.asOf, limit: given, page: Math.ceil(expected / given) + 1, expected },
    pageRows: expected > length ? length : null,
  }
}

/**
 * Whether a list has less than half the rows of the last complete read, so that one wrong response, such as an empty
 * first page, is the likely reason. Such a list is read only by a later round, after it has planned the walk again.
 * `known`: number of rows of the last complete read; null: there was none.
 */
export function isDrop({ expected }: FillState, known: number | null): boolean {
  return known !== null && expected < known / 2
}

/**
 * Returns the state to store for a walk that must be planned again, because its list has become much shorter
 * (`isDrop`).
 */
export function toPlanAgain(state: FillState): FillState {
  return { ...state, page: state.page + 1 }
}

/** Whether a stored walk must be planned again before its pages are read (`toPlanAgain`). */
export function mustPlanAgain({ page, limit, expected }: FillState): boolean {
  return page > Math.ceil(expected / limit) + 1
}

/**
 * Reads the first page. If the service refuses a page with a status that may concern its length, requests a shorter
 * page. If a page may be too heavy, the read fails, and the next round requests a shorter page: this round does not,
 * because a shorter page fails too if the service has just stopped responding. If `knownLength` is not null and the
 * page is full, requests longer pages, until one fails or returns no additional rows.
 */
async function longestPage<Row>(
  source: WalkSource<Row>,
  knownLength: number | null,
): Promise<{ page: WalkPage<Row>; limit: number }> {
  let limit = knownLength ?? standardLength
  let answer = await source.read({ page: 1, limit })
  while (answer.kind !== 'page') {
    noteHeavy(source, answer, limit)
    const shorter = shorterThan(limit)
    if (answer.kind === 'broken' || !isAboutLength(answer.status) || shorter === null)
      return source.fail(answer.failure)
    limit = shorter
    answer = await source.read({ page: 1, limit })
  }
  let { page } = answer
  for (let longer = longerThan(limit); knownLength !== null && lengthOf(page) === limit && longer !== null;) {
    const trial = await source.read({ page: 1, limit: longer })
    if (trial.kind !== 'page' || lengthOf(trial.page) <= limit) break
    page = trial.page
    limit = longer
    longer = longerThan(limit)
  }
  return { page, limit }
}

/** Returns the same walk with shorter pages. The new walk reads some rows a second time. */
export function shortened(state: FillState, limit: number): FillState {
  if (limit >= state.limit) return state
  return { ...state, limit, page: Math.ceil(((state.page - 1) * state.limit) / limit) + 1 }
}

interface WalkSteps<Row> {
  keep(page: WalkPage<Row>, state: FillState): void
  /** Called between two pages. If it returns true, the walk stops; a later call can continue it. */
  isPaused(): boolean
}

/**
 * Reads the remaining pages of a walk. Returns false if the walk was paused. Fails if this call reads more than
 * `mostWalkRows` rows.
 */
export async function walk<Row>(
  source: WalkSource<Row>,
  from: FillState,
  steps: WalkSteps<Row>,
): Promise<boolean> {
  const read = (page: number): Promise<WalkAnswer<Row>> => source.read({ page, limit: from.limit })
  let { page } = from
  let ahead = page > 1 ? read(page - 1) : null
  let seen = 0
  while (ahead) {
    const answer = await ahead
    noteHeavy(source, answer, from.limit)
    let rows = whole(source, answer)
    page--
    // an empty page is read again if it had rows when the walk was planned: the response may be wrong
    if (lengthOf(rows) === 0 && page * from.limit <= from.expected) rows = whole(source, await read(page))
    // also checks the number of rows that were read: this number can exceed the planned number, because pages can
    // become longer after the plan was made
    seen += lengthOf(rows)
    if (seen > mostWalkRows) return source.fail(failure('catalogue.too_large'))
    const isPaused = page > 1 && steps.isPaused()
    // requests the next page while this page is written; a failure of that request is handled when the page is needed
    ahead = page > 1 && !isPaused ? read(page - 1) : null
    ahead?.catch(() => undefined)
    steps.keep(rows, { ...from, page })
    if (isPaused) return false
  }
  return true
}

/** Notes the length of a page that failed because it may be too heavy. */
export function noteHeavy<Row>(
  source: Pick<WalkSource<Row>, 'tooLong'>,
  answer: WalkAnswer<Row>,
  limit: number,
): void {
  if (answer.kind === 'broken' && answer.isHeavy) source.tooLong(limit)
}

function whole<Row>(source: WalkSource<Row>, answer: WalkAnswer<Row>): WalkPage<Row> {
  return answer.kind === 'page' ? answer.page : source.fail(answer.failure)
}

export function lengthOf({ rows, skipped }: RowPage<unknown>): number {
  return rows.length + skipped.length
}

/**
 * A walk through changed rows, newest change first. It ends after the first page with a change before `edge`, or at the
 * last page of the list. If a row changes during the walk, it moves to a page that was read already; the next walk
 * finds it.
 */
export interface ChangesWalk {
  readonly page: number
  readonly limit: number
  /**
   * Largest number of rows in one page of this walk; null before the first page. It stays null if the first page is
   * requested again with a larger `limit`.
   */
  readonly pageLength: number | null
  /** When the walk began, by the service's clock. All times in this interface are milliseconds since 1970. */
  readonly startedAt: Instant | null
  /** The changes before this moment were read by an earlier walk. */
  readonly edge: number
}

/**
 * A walk also reads the changes within this time before its watermark, in milliseconds, because the clocks of the
 * service's machines differ a little.
 */
const overlapMs = 10 * 60_000

/** Length of the first page. It is short, because most walks find few changes; longer pages follow if necessary. */
const firstLength = 100

export function beginChanges(watermark: number, pageRows: number | null): ChangesWalk {
  const limit = Math.min(firstLength, pageRows ?? firstLength)
  return { page: 1, limit, pageLength: null, startedAt: null, edge: watermark - overlapMs }
}

/**
 * Whether the pages of this walk are longer than the first page of a new walk. Only then can a later walk avoid the
 * failure of a page with shorter pages.
 */
export function hasLongPages({ limit }: ChangesWalk): boolean {
  return limit > firstLength
}

export function queryOf({ page, limit }: ChangesWalk): VariantQuery {
  return { sort: 'modifiedAt', direction: 'desc', page, limit }
}

interface PageFacts {
  /** Number of rows of this page that the service sent, including unreadable ones. */
  readonly length: number
  /** The time of the oldest change among the readable rows; Infinity if there is none. */
  readonly oldestChange: number
  /** The time of the response (`WalkPage.asOf`). */
  readonly asOf: number
}

/**
 * Returns the walk as it continues after this page, and whether the walk is over. `pageRows`: number of rows in the
 * longest page that the service returns.
 */
export function advance(
  walk: ChangesWalk,
  page: PageFacts,
  pageRows: number | null,
): { walk: ChangesWalk; isOver: boolean } {
  const startedAt = walk.startedAt ?? page.asOf
  const isOver = isLastPage(page.length, walk.pageLength) || page.oldestChange < walk.edge
  const longest = pageRows ?? standardLength
  // the short first page is full, so more changes may follow: starts the walk again with long pages, because the pages
  // of another length begin at other rows
  if (walk.page === 1 && page.length === walk.limit && longest > walk.limit)
    return { walk: { ...walk, limit: longest, startedAt }, isOver }
  const pageLength = Math.max(walk.pageLength ?? 0, page.length)
  // requests the next pages with the actual length of this page: a service that returns shorter pages may also number
  // its pages by this length
  const limit = walk.page === 1 && page.length > 0 ? page.length : walk.limit
  return { walk: { ...walk, page: walk.page + 1, limit, pageLength, startedAt }, isOver }
}

/** Maximum number of rows to count. No real list has more, so a service that returns more has wrong pages. */
const most = 1e9

/**
 * Counts the rows of a list, because the API returns no total. Requests single rows by their number. The distance
 * between the requested numbers first doubles and then halves, until the last existing row is found. `atLeast`: the
 * number of rows known to exist. `guess`: the result of the last count; if it is almost right, fewer requests are
 * needed.
 */
export async function countRows(
  isThere: (nth: number) => Promise<boolean>,
  atLeast: number,
  guess: number | null,
): Promise<number> {
  let lastFound = atLeast
  let missing: number | null = null
  let step = Math.max(1, atLeast)
  if (guess !== null && guess > atLeast) {
    step = 1
    if (await isThere(guess)) lastFound = guess
    else missing = guess
  }
  while (missing === null && lastFound < most) {
    if (await isThere(lastFound + step)) lastFound += step
    else missing = lastFound + step
    step *= 2
  }
  while (missing !== null && missing - lastFound > 1) {
    const middle = Math.floor((lastFound + missing) / 2)
    if (await isThere(middle)) lastFound = middle
    else missing = middle
  }
  return lastFound
}

/**
 * The page lengths that may be requested, in descending order. The contract names no maximum (API.md 19); a service may
 * refuse a long page with 400, or return fewer rows than requested.
 */
const lengths = [5000, 2000, 1000, 500, 250, 100, 50, 25, 10]

/**
 * The page length that a walk through a whole list requests first if it knows no other length. It is the largest length
 * that the API of the embedded middleware allows.
 */
const standardLength = 1000

export function shorterThan(length: number): number | null {
  return lengths.find((one) => one < length) ?? null
}

function longerThan(length: number): number | null {
  return lengths.findLast((one) => one > length) ?? null
}

/** Whether a refusal with this status may concern the page length. */
export function isAboutLength(status: number): boolean {
  return status === 400 || status === 413 || status === 422
}
