import { type SelectQueryBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** One page of a list. `from` and `to` are inclusive bounds on `created_at`, in its stored format. */
export interface Page {
  readonly from: string | null
  readonly to: string | null
  /**
   * A column name from our code. Rows with equal values are sorted by id, so that pages neither overlap nor omit a row.
   */
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
 * Whether one of the columns contains the text. The case of ASCII letters does not matter. Only ASCII letters are
 * folded on both sides, because SQLite folds no others and a text must match its stored form.
 */
export function anyContains(columns: readonly string[], text: string): ReturnType<typeof sql<boolean>> {
  const part = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const each = columns.map((column) => sql`instr(lower(${sql.ref(column)}), ${part}) > 0`)
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}
