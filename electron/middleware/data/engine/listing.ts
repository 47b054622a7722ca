import { type SelectQueryBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** One page of a list. `from` and `to` are inclusive bounds on `created_at`, in the form that column keeps. */
export interface Page {
  readonly from: string | null
  readonly to: string | null
  /** A column of ours; ties are broken by id, so that pages neither overlap nor leave a row out. */
  readonly sort: string
  readonly direction: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** Narrows a query on a table with `id` and `created_at` to one page. */
export function paged<Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  page: Page,
): SelectQueryBuilder<Schema, Table, Row> {
  const since = page.from === null ? query : query.where(sql<boolean>`created_at >= ${page.from}`)
  const within = page.to === null ? since : since.where(sql<boolean>`created_at <= ${page.to}`)
  const sorted = within.orderBy(sql.ref(page.sort), page.direction)
  return (page.sort === 'id' ? sorted : sorted.orderBy(sql.ref('id'), page.direction))
    .limit(page.limit)
    .offset(page.offset)
}

/**
 * Whether one of the columns holds the text, whatever the case of its ASCII letters. Only those are folded on both
 * sides: the engine knows no others, and a text must be found as it is written.
 */
export function anyContains(columns: readonly string[], text: string): ReturnType<typeof sql<boolean>> {
  const part = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const each = columns.map((column) => sql`instr(lower(${sql.ref(column)}), ${part}) > 0`)
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}
