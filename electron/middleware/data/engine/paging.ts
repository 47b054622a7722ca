import { type AliasedRawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { longestTexts, otherText } from '#shared/wire/limits.ts'
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
 * A column of free text, cut to the longest that the wire takes today. Earlier versions took texts of megabytes: lists and
 * exports read hundreds of rows at once, so they leave the rest in the database.
 */
export function shortened<Column extends 'note' | 'customer_note'>(
  column: Column,
): AliasedRawBuilder<string | null, Column> {
  const longest = longestTexts[column] ?? otherText
  return sql<string | null>`substr(${sql.ref(column)}, 1, ${longest})`.as(column)
}
