import { isLastPage } from '../service/last-page.ts'
import { standardLength } from './page-length.ts'
import type { VariantQuery } from '../ports/api.ts'

/**
 * A walk through what changed: from the latest changed back to what is known, so that what changes meanwhile comes
 * before what was read and belongs to the next walk.
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

export interface PageFacts {
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
