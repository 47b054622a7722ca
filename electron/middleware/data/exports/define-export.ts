import { type SelectQueryBuilder, sql } from 'kysely'
import { isoTime } from '#kit/clock.ts'
import type { Connection } from '../engine/database.ts'
import { anyContains } from '../engine/listing.ts'
import type { Schema } from '../schema/schema.ts'

/**
 * Selects the records of a customer for an export. `from` and `to` are inclusive bounds on `created_at`, in its stored
 * format.
 */
export interface ExportScope {
  readonly customerId: string
  readonly from: string | null
  readonly to: string | null
  /** Part of one of the searched columns. The case of ASCII letters does not matter. */
  readonly search: string | null
}

/** The last record of a portion. The next portion continues after it. */
export interface Cursor {
  readonly createdAt: string
  readonly id: string
}

export interface Portion<Row> {
  readonly rows: readonly Row[]
  /** Null: there are no further records. */
  readonly next: Cursor | null
}

/** Records of one portion. The number is small, so that other calls run between two portions. */
export const portionSize = 500

/** Restricts a query on one table with `id` and `created_at` to a portion, oldest first. */
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

/** Returns the cursor after these records. */
export function cursorBehind(records: readonly { id: string; created_at: string }[]): Cursor | null {
  const last = records.at(-1)
  return last === undefined || records.length < portionSize
    ? null
    : { createdAt: last.created_at, id: last.id }
}

/** One type of export: its columns and the source of its records. */
export interface ExportSource {
  /** In the default order of a file. */
  readonly columns: readonly string[]
  /** Returns the next lines, with the given columns. */
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

/** Returns a stored time in the format of the API. */
export function timeCell(stored: string): string {
  return isoTime(Date.parse(stored))
}

/** Rounds to two decimals. */
export function money(value: number): number {
  return Math.round(value * 100) / 100
}

/** The value of a column for a record. */
export type Cell = string | number | boolean | null

/** Marks the file as UTF-8 for spreadsheets. */
export const byteOrderMark = '\uFEFF'

/**
 * Returns lines of RFC 4180, each with its line end. A text that a spreadsheet would take for a formula gets a `'` in
 * front of its sign. Spreadsheets of many countries separate cells by `;`, some by tabs, and some are told to ignore
 * quotation marks. So each separator in a text may begin a cell. Numbers stay as they are.
 */
export function csvLines(lines: readonly (readonly Cell[])[]): string {
  return lines.map((cells) => `${cells.map(field).join(',')}\r\n`).join('')
}

/**
 * The places for a `'`: after the start of a text or a separator, and the blanks, invisible characters and quotation
 * marks behind it, if a sign follows or a tab or carriage return that is no line end. Spreadsheets treat full-width
 * signs like the ASCII ones.
 */
const formulaStart =
  /^(?=[\r\n])|(?<=^|[,;\t\r\n])(?<gap>(?:[^\S\t\r\n]|[\p{Cf}\0-\x08\x0E-\x1F\x7F"])*)(?=[=+\-@＝＋－＠\t]|\r(?!\n))/gu

function field(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = cell.replaceAll(formulaStart, "$<gap>'")
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
