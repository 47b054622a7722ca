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

/** An instant before all stored ones, for a walk from the beginning. */
export const beforeAllTimes = '0001-01-01T00:00:00.000Z'

/**
 * Reads one page of a query on a table with `id` and `created_at`. Only the ids are filtered and sorted, because a
 * database that sorts rows reads their texts too, which may be all texts of a customer. Then the rows of the page are
 * read by their ids.
 */
export async function readPage<Table extends keyof Schema, Row extends { readonly id: string | number }>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  page: Page,
): Promise<Row[]> {
  return readInOrder(query.clearWhere(), await idsOfPage(query, page))
}

/** Reads the rows with these ids, in their order. `query` must have no condition. */
export async function readInOrder<Table extends keyof Schema, Row extends { readonly id: string | number }>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  ids: readonly (string | number)[],
): Promise<Row[]> {
  if (ids.length === 0) return []
  const rows = await query.where(sql<boolean>`id in (${sql.join(ids)})`).execute()
  const found = new Map<string | number, Row>(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

async function idsOfPage<Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  { from, to, sort, direction, limit, offset }: Page,
): Promise<(string | number)[]> {
  // A list in another order than that of the times filters by the times in the index of its order. `not` prevents the
  // database from using the index of the times instead: it would then read and sort a row for each time.
  const isByTime = sort === 'created_at'
  const isSince = isByTime ? sql<boolean>`created_at >= ${from}` : sql<boolean>`not created_at < ${from}`
  const isUntil = isByTime ? sql<boolean>`created_at <= ${to}` : sql<boolean>`not created_at > ${to}`
  const since = from === null ? query : query.where(isSince)
  const within = to === null ? since : since.where(isUntil)
  const sorted = within.orderBy(sql.ref(sort), direction)
  const rows = await (sort === 'id' ? sorted : sorted.orderBy(sql.ref('id'), direction))
    .clearSelect()
    .select(sql<string | number>`id`.as('id'))
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Whether one of the columns contains the text. The case of ASCII letters does not matter. Only ASCII letters are
 * folded on both sides, because SQLite folds no others and a text must match its stored form.
 */
export function anyContains(columns: readonly string[], text: string): ReturnType<typeof sql<boolean>> {
  // no stored text contains it, and PostgreSQL refuses it
  if (text.includes('\0')) return sql<boolean>`1 = 0`
  const part = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const each = columns.map((column) => sql`instr(lower(${sql.ref(column)}), ${part}) > 0`)
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}
