import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { countRows } from './count-rows.ts'
import { isAboutLength, longerThan, shorterThan, standardLength } from './page-length.ts'
import type { PageQuery, RowPage } from '../ports/api.ts'
import { type FillState, mostWalkRows } from '../ports/catalogue-file.ts'

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

export interface WalkPlan {
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

export interface WalkSteps<Row> {
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
