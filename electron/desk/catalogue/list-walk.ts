import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { PageQuery, RowPage, VariantQuery } from '../ports/api.ts'
import { type FillState, mostWalkRows } from '../ports/catalogue-sync.ts'
import { isLastPage } from '../service/answers.ts'

export interface WalkPage<Row> extends RowPage<Row> {
  /** The answer's Date, milliseconds since 1970. */
  readonly asOf: number
}

export type WalkAnswer<Row> =
  | { readonly kind: 'page'; readonly page: WalkPage<Row> }
  | { readonly kind: 'refused'; readonly status: number; readonly failure: Failure }
  /** `isHeavy`: it broke off, took too long, or was too large; a shorter page may come through. */
  | { readonly kind: 'broken'; readonly isHeavy: boolean; readonly failure: Failure }

/** A list of the service in the order in which its rows were made; a call that cannot succeed now ends the round. */
export interface WalkSource<Row> {
  read(query: PageQuery): Promise<WalkAnswer<Row>>
  /** Ends the round. */
  fail(failure: Failure): never
}

interface WalkPlan {
  readonly state: FillState
  /** Rows in the longest page that the service gives; null: fewer are there. */
  readonly pageRows: number | null
}

/**
 * A whole list page by page, from the last page down to the first. So no row is missed whatever happens meanwhile: rows
 * that follow a removed one move towards the pages still to be read, and new rows come behind the last page, where the
 * caller looks afterwards.
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
  // with the length that the service gives, pages begin at the same rows however it counts them
  const given = length === 0 ? limit : length
  return {
    state: { startedAt: page.asOf, limit: given, page: Math.ceil(expected / given) + 1, expected },
    pageRows: expected > length ? length : null,
  }
}

/** The first page: shorter while it is refused, longer as long as that brings more. */
async function longestPage<Row>(
  source: WalkSource<Row>,
  knownLength: number | null,
): Promise<{ page: WalkPage<Row>; limit: number }> {
  let limit = knownLength ?? standardLength
  let answer = await source.read({ page: 1, limit })
  while (answer.kind !== 'page') {
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

/** The same walk with shorter pages: some of the rows come twice. */
export function shortened(state: FillState, limit: number): FillState {
  if (limit >= state.limit) return state
  return { ...state, limit, page: Math.ceil(((state.page - 1) * state.limit) / limit) + 1 }
}

interface WalkSteps<Row> {
  keep(page: WalkPage<Row>, state: FillState): void
  /** Pages of this length break: the next try takes shorter ones. */
  tooLong(limit: number): void
  /** Asked between two pages; true leaves the rest for later. */
  isPaused(): boolean
}

/** Reads what is left of a walk; false: paused. Fails beyond `mostWalkRows`. */
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
    if (answer.kind === 'broken' && answer.isHeavy) steps.tooLong(from.limit)
    const rows = whole(source, answer)
    page--
    // pages may be longer than they were when the rows were counted
    seen += lengthOf(rows)
    if (seen > mostWalkRows) return source.fail(failure('catalogue.too_large'))
    const isPaused = page > 1 && steps.isPaused()
    // the next page comes while this one is written; one that fails is met at its own turn
    ahead = page > 1 && !isPaused ? read(page - 1) : null
    ahead?.catch(() => undefined)
    steps.keep(rows, { ...from, page })
    if (isPaused) return false
  }
  return true
}

function whole<Row>(source: WalkSource<Row>, answer: WalkAnswer<Row>): WalkPage<Row> {
  return answer.kind === 'page' ? answer.page : source.fail(answer.failure)
}

export function lengthOf({ rows, skipped }: RowPage<unknown>): number {
  return rows.length + skipped.length
}

/**
 * A walk through changed rows, newest change first, until it reaches a row that is known. A row that changes during the
 * walk appears on a page that was read already; the next walk finds it.
 */
export interface ChangesWalk {
  readonly page: number
  readonly limit: number
  /** Rows of the longest page of this length; null before its first. */
  readonly pageLength: number | null
  /** By the service's clock, when the walk began; milliseconds since 1970, like every time here. */
  readonly startedAt: number | null
  /** Changes older than this are known. */
  readonly edge: number
}

/** How far before its watermark a walk reads again: the clocks of the service's machines differ a little. */
const overlapMs = 10 * 60_000

/** Most looks find little: the first page is short, and long ones follow where it does not do. */
const firstLength = 100

export function beginChanges(watermark: number, pageRows: number | null): ChangesWalk {
  const limit = Math.min(firstLength, pageRows ?? firstLength)
  return { page: 1, limit, pageLength: null, startedAt: null, edge: watermark - overlapMs }
}

export function queryOf({ page, limit }: ChangesWalk): VariantQuery {
  return { sort: 'modifiedAt', direction: 'desc', page, limit }
}

interface PageFacts {
  /** Rows as the service sent them, the odd ones too. */
  readonly length: number
  /** Of the rows that could be read; Infinity where there was none. */
  readonly oldestChange: number
  /** The answer's Date. */
  readonly asOf: number
}

/** The walk that goes on after this page, and whether it does. `pageRows`: the longest page that the service gives. */
export function advance(
  walk: ChangesWalk,
  page: PageFacts,
  pageRows: number | null,
): { walk: ChangesWalk; isOver: boolean } {
  const startedAt = walk.startedAt ?? page.asOf
  const isOver = isLastPage(page.length, walk.pageLength) || page.oldestChange < walk.edge
  const longest = pageRows ?? standardLength
  // long pages begin at the first one again: it cannot be said from which row on a page of another length goes on
  if (walk.page === 1 && page.length === walk.limit && longest > walk.limit)
    return { walk: { ...walk, limit: longest, startedAt }, isOver }
  const pageLength = Math.max(walk.pageLength ?? 0, page.length)
  // with the length that the service gives, pages begin at the same rows however it counts them
  const limit = walk.page === 1 && page.length > 0 ? page.length : walk.limit
  return { walk: { ...walk, page: walk.page + 1, limit, pageLength, startedAt }, isOver }
}

/** Beyond any stock: a service that says yes to this says yes to everything. */
const most = 1e9

/**
 * How many rows a list has, found by asking whether there is an nth: steps that double, then halve. The API gives no
 * total. `atLeast`: the number of rows that are known to exist. `guess`: the last count; a good guess saves questions.
 */
export async function countRows(
  isThere: (nth: number) => Promise<boolean>,
  atLeast: number,
  guess: number | null,
): Promise<number> {
  let there = atLeast
  let missing: number | null = null
  let step = Math.max(1, atLeast)
  if (guess !== null && guess > atLeast) {
    step = 1
    if (await isThere(guess)) there = guess
    else missing = guess
  }
  while (missing === null && there < most) {
    if (await isThere(there + step)) there += step
    else missing = there + step
    step *= 2
  }
  while (missing !== null && missing - there > 1) {
    const middle = Math.floor((there + missing) / 2)
    if (await isThere(middle)) there = middle
    else missing = middle
  }
  return there
}

/**
 * Page lengths to ask for, the largest first: the contract names no maximum (API.md 19), and a service may refuse a
 * long page with 400 or give fewer rows than it was asked for.
 */
const lengths = [5000, 2000, 1000, 500, 250, 100, 50, 25, 10]

/** What is asked for first: the largest that our own middleware documents. */
const standardLength = 1000

export function shorterThan(length: number): number | null {
  return lengths.find((one) => one < length) ?? null
}

function longerThan(length: number): number | null {
  return lengths.findLast((one) => one > length) ?? null
}

/** Whether a service that refuses so may take a shorter page. */
export function isAboutLength(status: number): boolean {
  return status === 400 || status === 413 || status === 422
}
