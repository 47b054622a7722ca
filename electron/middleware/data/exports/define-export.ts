import { type SelectQueryBuilder, sql } from 'kysely'
import { isoTime } from '#kit/clock.ts'
import type { Connection } from '../engine/database.ts'
import { anyContains } from '../engine/listing.ts'
import type { Schema } from '../schema/schema.ts'

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

/** One type of export: its columns, and where its records come from. */
export interface ExportSource {
  /** In the order of a file that chooses none. */
  readonly columns: readonly string[]
  /** The next lines, with the given columns. */
  lines(
    connection: Connection,
    scope: ExportScope,
    after: Cursor | null,
    columns: readonly string[],
  ): Promise<{ lines: Cell[][]; next: Cursor | null }>
}

export function defineExport<Row>(
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  read: (connection: Connection, scope: ExportScope, after: Cursor | null) => Promise<Portion<Row>>,
): ExportSource {
  return {
    columns: Object.keys(columns),
    async lines(connection, scope, after, wanted) {
      const { rows, next } = await read(connection, scope, after)
      return { lines: rows.map((row) => wanted.map((name) => columns[name]?.(row) ?? null)), next }
    },
  }
}

/** A stored time as the API writes it. */
export function timeCell(stored: string): string {
  return isoTime(Date.parse(stored))
}

/** Two decimals at most. */
export function money(value: number): number {
  return Math.round(value * 100) / 100
}

/** What a column says of a record. */
export type Cell = string | number | boolean | null

/** Tells a spreadsheet that the file is UTF-8. */
export const byteOrderMark = '\uFEFF'

/**
 * Lines of RFC 4180, each with its ending. A text that a spreadsheet would take for a formula starts with `'`. Spreadsheets
 * of many countries separate cells by `;`, and some by tabs: there a formula may begin in the middle of a text.
 */
export function csvLines(lines: readonly (readonly Cell[])[]): string {
  return lines.map((cells) => `${cells.map(field).join(',')}\r\n`).join('')
}

/** Full-width signs count too: spreadsheets take them for the plain ones. */
const formulaStart = /^(?=[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/g

function field(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = cell.replaceAll(formulaStart, "'")
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
