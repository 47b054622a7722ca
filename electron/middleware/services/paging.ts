import type { Page, RowPlace, Visited } from '../data/engine/listing.ts'
import { defaultPage } from '#shared/wire/listing.ts'
import { nearestMoment } from '#shared/wire/primitives.ts'
import { invalidField } from './refusal.ts'
import { betweenSteps } from './turns.ts'

/** Defaults of a list (API.md 1.8) and the column of each sort option. */
export interface Listing<Sort extends string> {
  readonly columns: Readonly<Record<Sort, string>>
  readonly sort: NoInfer<Sort>
  readonly direction: 'asc' | 'desc'
}

/** The list query after validation. A missing parameter takes the listing's default. */
export interface ListQuery<Sort extends string> {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly limit?: number | undefined
  readonly page?: number | undefined
  readonly direction?: 'asc' | 'desc' | undefined
  readonly sort?: Sort | undefined
}

/**
 * Returns the page that a query names, with the defaults of the list. Pages 0 and 1 are both the first page, because
 * some clients count from 0 and others from 1. Refused with 400: a `from` or `to` that does not exist.
 */
export function toPage<Sort extends string>(query: ListQuery<Sort>, listing: Listing<Sort>): Page {
  const limit = query.limit ?? defaultPage
  return {
    from: query.from === undefined ? null : boundary('from', query.from),
    to: query.to === undefined ? null : boundary('to', query.to),
    sort: listing.columns[query.sort ?? listing.sort],
    direction: query.direction ?? listing.direction,
    limit,
    // The offset is limited to safe integers, because the driver would pass a larger number as a floating-point number,
    // which SQLite refuses.
    offset: Math.min((Math.max(query.page ?? 1, 1) - 1) * limit, Number.MAX_SAFE_INTEGER),
  }
}

/**
 * Returns the first (`from`) or last (`to`) millisecond of a UTC day `2026-03-01` or minute `2026-03-01 12:30`. A time
 * before 1970 or after 2100 is replaced by the nearest time in this range, because some clients send the first or last
 * date of their programming language, and not every database has a year 0.
 */
export function boundary(edge: 'from' | 'to', text: string, field: string = edge): string {
  const [day = '', minute] = text.split(' ')
  const start = `${day}T${minute ?? '00:00'}:00.000Z`
  // the parsed time is compared with the text, because Date.parse accepts the 30th of February and returns a day in
  // March
  const time = Date.parse(start)
  if (Number.isNaN(time) || new Date(time).toISOString() !== start) throw invalidField(field, 'Invalid date')
  return nearestTime(edge === 'from' ? start : `${day}T${minute ?? '23:59'}:59.999Z`)
}

/**
 * Returns a time in the database's format. A time before 1970 or after 2100 is replaced by the nearest time in this
 * range.
 */
export function nearestTime(text: string): string {
  return new Date(nearestMoment(Date.parse(text))).toISOString()
}

/**
 * Returns the ids of one page of a list. Visits the rows in the order of the list, from its beginning to the end of the
 * page, in steps. Between two steps, the calls of other owners (customers and warehouse users) have their turns.
 * `visit`: visits the rows of one step, after the given position; null: from the beginning.
 */
export async function idsOfVisitedPage(
  { offset, limit }: Pick<Page, 'offset' | 'limit'>,
  visit: (after: RowPlace | null) => Promise<Visited>,
): Promise<string[]> {
  const ids: string[] = []
  let after: RowPlace | null = null
  do {
    const visited: Visited = await visit(after)
    ids.push(...visited.ids)
    after = visited.next
    await betweenSteps()
  } while (after !== null && ids.length < offset + limit)
  return ids.slice(offset, offset + limit)
}
