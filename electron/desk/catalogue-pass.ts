import { isLastPage } from './last-page.ts'
import type { VariantQuery } from './ports/api.ts'

/**
 * One walk through all variants. `all`: from the oldest made, so that what is made meanwhile follows at the end.
 * `changes`: from the latest changed back to what is known, so that what changes meanwhile comes before what was read
 * and belongs to the next walk.
 */
export interface CataloguePass {
  readonly kind: 'all' | 'changes'
  readonly page: number
  readonly limit: number
  /** Rows of the longest page of this walk; null before its first. */
  readonly pageLength: number | null
  /** By the service's clock, when the walk began; milliseconds since 1970, like every time here. */
  readonly startedAt: number | null
  /** Changes older than this are known. */
  readonly edge: number
}

/** Page lengths to try, the largest first: api.md names no maximum, and a service may refuse a large one with 400. */
const limits = [1000, 500, 250, 100, 50]

/** How far before its watermark a walk reads again: the clocks of the service's machines differ a little. */
const overlapMs = 10 * 60_000

export function beginAll(): CataloguePass {
  return { kind: 'all', page: 1, limit: limits[0] ?? 50, pageLength: null, startedAt: null, edge: 0 }
}

export function beginChanges(watermark: number): CataloguePass {
  return { ...beginAll(), kind: 'changes', edge: watermark - overlapMs }
}

export function queryOf({ kind, page, limit }: CataloguePass): VariantQuery {
  return kind === 'all'
    ? { sort: 'createdAt', direction: 'asc', page, limit }
    : { sort: 'modifiedAt', direction: 'desc', page, limit }
}

/** The same walk with shorter pages; null where the shortest was refused too, or the walk is past its first page. */
export function withShorterPages(pass: CataloguePass): CataloguePass | null {
  const limit = limits.find((one) => one < pass.limit)
  return limit === undefined || pass.page !== 1 ? null : { ...pass, limit }
}

export interface PageFacts {
  /** Rows as the service sent them, the odd ones too. */
  readonly length: number
  /** Of the rows that could be read; Infinity where there was none. */
  readonly oldestChange: number
  /** The answer's Date. */
  readonly asOf: number
}

/** The walk that goes on after this page, and whether it does. */
export function advance(pass: CataloguePass, page: PageFacts): { pass: CataloguePass; isOver: boolean } {
  const startedAt = pass.startedAt ?? page.asOf
  const isLast = isLastPage(page.length, pass.pageLength)
  const isOld = pass.kind === 'changes' && page.oldestChange < pass.edge
  const next = {
    ...pass,
    page: pass.page + 1,
    pageLength: Math.max(pass.pageLength ?? 0, page.length),
    startedAt,
  }
  return { pass: next, isOver: isLast || isOld }
}

/**
 * How many rows there are, found by asking whether there is an nth: doubling, then halving. The API gives no total.
 * `atLeast`: so many are known. Null when an answer failed to come.
 */
export async function countByProbing(
  isThere: (nth: number) => Promise<boolean | null>,
  atLeast: number,
): Promise<number | null> {
  let there = atLeast
  let missing = Math.max(1, atLeast * 2)
  for (;;) {
    const answer = await isThere(missing)
    if (answer === null) return null
    if (!answer) break
    there = missing
    missing *= 2
  }
  while (missing - there > 1) {
    const middle = Math.floor((there + missing) / 2)
    const answer = await isThere(middle)
    if (answer === null) return null
    if (answer) there = middle
    else missing = middle
  }
  return there
}
