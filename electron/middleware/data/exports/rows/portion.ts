import { type SelectQueryBuilder, sql } from 'kysely'
import { anyContains } from '../../engine/listing.ts'
import type { Schema } from '../../schema/schema.ts'

/** Which of a customer's records an export takes. `from` and `to`: inclusive, on `created_at`, as it is kept. */
export interface ExportScope {
  readonly customerId: string
  readonly from: string | null
  readonly to: string | null
  /** Any part of one of the searched columns, whatever the case of its ASCII letters. */
  readonly search: string | null
}

/** Where the next portion goes on: the last record of the one before. */
export interface Cursor {
  readonly createdAt: string
  readonly id: string
}

export interface Portion<Row> {
  readonly rows: readonly Row[]
  /** Null: there is nothing more. */
  readonly next: Cursor | null
}

/** Records of one portion; small enough that others are served between two of them. */
export const portionSize = 500

/** Narrows a query on one table with `id` and `created_at` to a portion, oldest first. */
export function oldestFirst<Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  scope: ExportScope,
  after: Cursor | null,
  searched: readonly string[],
): SelectQueryBuilder<Schema, Table, Row> {
  let narrowed = query.where(sql<boolean>`customer_id = ${scope.customerId}`)
  if (scope.from !== null) narrowed = narrowed.where(sql<boolean>`created_at >= ${scope.from}`)
  if (scope.to !== null) narrowed = narrowed.where(sql<boolean>`created_at <= ${scope.to}`)
  if (scope.search !== null) narrowed = narrowed.where(anyContains(searched, scope.search))
  if (after !== null)
    narrowed = narrowed.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`)
  return narrowed.orderBy(sql.ref('created_at')).orderBy(sql.ref('id')).limit(portionSize)
}

/** The cursor behind these records. */
export function cursorBehind(records: readonly { id: string; created_at: string }[]): Cursor | null {
  const last = records.at(-1)
  return last === undefined || records.length < portionSize
    ? null
    : { createdAt: last.created_at, id: last.id }
}
