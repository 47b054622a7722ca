import { type RawBuilder, sql } from 'kysely'
import { isoTime } from '#kit/clock.ts'
import { storedBytes, type Connection } from '../engine/database.ts'
import { anyContains, beforeAllTimes } from '../engine/listing.ts'
import type { LedgerMoment } from '../goods/ledger.ts'
import { tables } from '../schema/schema.ts'

/**
 * Which records of a customer an export contains. `from` and `to` are inclusive bounds on `created_at`, in its stored
 * format.
 */
export interface ExportScope {
  readonly customerId: string
  readonly from: string | null
  readonly to: string | null
  /** If not null, only records that have this text in a searched column. The case of ASCII letters does not matter. */
  readonly search: string | null
  /** The moment whose stock the file shows (`presentMoment`). Null: the file shows no such moment. */
  readonly moment: LedgerMoment | null
}

/**
 * Runs one read of an export. Other calls run between two reads, so each read must limit the number of rows that it
 * visits. Rows that do not match the search count too.
 */
export type Read = <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>

/** The value of one column in one line of a file. */
export type Cell = string | number | boolean | null

/** One type of export: its columns, and the function that reads its lines. */
export interface ExportSource {
  /** The names of the columns, in the default order of a file. */
  readonly columns: readonly string[]
  /**
   * Whether the file shows the stock at the moment at which the service begins to write it. If so, it also contains
   * records that were created after the request: pieces that were moved meanwhile may be in new lots.
   */
  readonly isOfMoment: boolean
  /**
   * Yields all lines with the given columns, a few at a time. The cells of a line are created only when the consumer
   * takes the line, because a thousand lines may repeat one long text of a record.
   */
  lines(read: Read, scope: ExportScope, columns: readonly string[]): AsyncIterable<Iterable<readonly Cell[]>>
}

/** Defines an export by its columns. `rows` yields the records in the order of the file, a few at a time. */
export function defineExport<Row>(
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  rows: (read: Read, scope: ExportScope) => AsyncIterable<readonly Row[]>,
  { isOfMoment }: Pick<ExportSource, 'isOfMoment'> = { isOfMoment: false },
): ExportSource {
  return {
    isOfMoment,
    columns: Object.keys(columns),
    async *lines(read, scope, wanted) {
      for await (const some of rows(read, scope)) yield linesOf(some, columns, wanted)
    },
  }
}

function* linesOf<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  wanted: readonly string[],
): Generator<Cell[]> {
  for (const row of rows) yield wanted.map((name) => columns[name]?.(row) ?? null)
}

type WalkedTable =
  'exports' | 'inbounds' | 'modifications' | 'orders' | 'shipments' | 'transfers' | 'variants'

interface Walk<Row> {
  readonly table: WalkedTable
  readonly columns: readonly (keyof Row & string)[]
  readonly searched: readonly string[]
  /** A further condition that the records must meet. */
  readonly only?: RawBuilder<boolean>
}

/**
 * Maximum number of records that one read visits, and maximum sum of their bytes. A record with more bytes is read
 * alone.
 */
const visitedAtOnce = 500
const bytesAtOnce = 1024 * 1024
/** Number of records whose lines one statement reads. Each record may have a thousand lines. */
const recordsAtOnce = 20

/**
 * Yields those of the customer's records in one table that the export contains: oldest first, up to `recordsAtOnce` at
 * a time.
 */
export async function* walkRecords<Row extends { readonly id: string }>(
  read: Read,
  scope: ExportScope,
  walk: Walk<Row>,
): AsyncGenerator<Row[]> {
  let after: Key | null = { created_at: scope.from ?? beforeAllTimes, id: '' }
  while (after !== null) {
    const begin: Key = after
    const step: { records: Row[]; next: Key | null } = await read((connection) =>
      readRecords(connection, scope, walk, begin),
    )
    for (let at = 0; at < step.records.length; at += recordsAtOnce)
      yield step.records.slice(at, at + recordsAtOnce)
    after = step.next
  }
}

interface Key {
  readonly created_at: string
  readonly id: string
}

/**
 * Visits the next records after `after` and returns those that match. `next`: the key after which the next read begins.
 * Null: there are no further records.
 */
async function readRecords<Row extends { readonly id: string }>(
  connection: Connection,
  scope: ExportScope,
  { table, columns, searched, only }: Walk<Row>,
  after: Key,
): Promise<{ records: Row[]; next: Key | null }> {
  const keys = await keysAfter(connection, scope, table, after)
  const visited: Key[] = []
  let bytes = 0
  for (const key of keys) {
    bytes += key.size
    if (visited.length > 0 && bytes > bytesAtOnce) break
    visited.push(key)
  }
  const last = visited.at(-1)
  if (last === undefined) return { records: [], next: null }
  const conditions = [
    sql`id in (${sql.join(visited.map(({ id }) => id))})`,
    ...(only === undefined ? [] : [only]),
    ...(scope.search === null ? [] : [anyContains(searched, scope.search)]),
  ]
  const { rows } = await sql<Row>`select ${sql.join(columns.map((column) => sql.ref(column)))}
    from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`.execute(connection)
  const found = new Map(rows.map((row) => [row.id, row]))
  const isEnd = visited.length === keys.length && keys.length < visitedAtOnce
  return { records: visited.flatMap(({ id }) => found.get(id) ?? []), next: isEnd ? null : last }
}

/**
 * Returns the keys of the next records and the sizes of their rows in bytes. The query has no condition except the
 * range of keys, so it visits no more rows than it returns. SQLite computes the size of a text without reading it.
 */
export async function keysAfter(
  connection: Connection,
  { customerId, to }: ExportScope,
  table: WalkedTable,
  after: Key,
): Promise<(Key & { readonly size: number })[]> {
  const sizes = Object.keys(tables[table].columns).map(
    (column) => sql`coalesce(${storedBytes(connection, column)}, 0)`,
  )
  const { rows } = await sql<
    Key & { size: number }
  >`select id, created_at, ${sql.join(sizes, sql` + `)} as size
    from ${sql.table(table)}
    where customer_id = ${customerId} and (created_at, id) > (${after.created_at}, ${after.id})
      and ${to === null ? sql`true` : sql`created_at <= ${to}`}
    order by created_at, id limit ${visitedAtOnce}`.execute(connection)
  return rows
}

/** Returns a stored time in the format of the API. */
export function timeCell(stored: string): string {
  return isoTime(Date.parse(stored))
}

/** Rounds an amount to two decimals. */
export function money(value: number): number {
  return Math.round(value * 100) / 100
}

/** Marks the file as UTF-8 for spreadsheets. */
const byteOrderMark = '\uFEFF'

/** A part of a file ends when it has this number of characters or this number of lines, whichever comes first. */
const charactersOfPart = 1024 * 1024
const linesOfPart = 500

/** Yields the text of a file in parts, so that no more than one part of a large file is in memory. */
export async function* csvParts(
  columns: readonly string[],
  lines: AsyncIterable<Iterable<readonly Cell[]>>,
): AsyncGenerator<string> {
  let text = byteOrderMark + csvLines([columns])
  let count = 0
  for await (const some of lines)
    for (const line of some) {
      text += csvLines([line])
      count += 1
      if (text.length < charactersOfPart && count < linesOfPart) continue
      yield text
      text = ''
      count = 0
    }
  if (text !== '') yield text
}

/**
 * Returns lines in the format of RFC 4180, each with its line end. In a text that a spreadsheet would treat as a
 * formula, a `'` is inserted before the first sign of the formula. Some spreadsheets separate cells by `;` or tabs, and
 * some ignore quotation marks, so a cell may begin after each separator inside a text. Numbers stay unchanged. If a
 * line begins with a negative number, its texts are put in quotation marks. A spreadsheet that does not separate by
 * commas treats such a line as one cell with a formula, and the quotation marks keep it from calculating the texts.
 */
export function csvLines(lines: readonly (readonly Cell[])[]): string {
  return lines
    .map((cells) => `${cells.map((cell) => field(cell, isNegative(cells[0]))).join(',')}\r\n`)
    .join('')
}

function isNegative(cell: Cell | undefined): boolean {
  return typeof cell === 'number' && cell < 0
}

function field(cell: Cell, isQuoted: boolean): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = withoutFormulas(cell)
  // split and join are used, because replaceAll takes ten times as long for a text with many quotation marks
  return isQuoted || /[",;\t\r\n]/.test(text) ? `"${text.split('"').join('""')}"` : text
}

/** The characters with which a formula begins. Spreadsheets treat full-width characters like the ASCII ones. */
const signs = '=+-@＝＋－＠'
const separators = ',;\t\r\n'
/** Blanks, invisible characters and quotation marks. A spreadsheet may skip them before the sign of a formula. */
const skipped = /^[\s\p{Cf}\0-\x08\x0E-\x1F\x7F"]$/u

/**
 * Inserts a `'` wherever a cell could begin with a formula. A cell may begin at the start of the text and after each
 * separator, and a spreadsheet may skip some characters at the beginning of a cell. There the `'` is inserted before a
 * sign (`signs`), a tab or a single carriage return. At the start of the text it is also inserted before a line end.
 * The text is read only once, because a new search from each beginning of a cell would be slow for a text with many
 * skipped characters.
 */
function withoutFormulas(text: string): string {
  if (!/[=+\-@＝＋－＠\t\r]|^\n/.test(text)) return text
  let made = ''
  let copied = 0
  let at = 0
  let isStart = true
  for (const character of text) {
    if (isStart && beginsFormula(character, text, at)) {
      made += `${text.slice(copied, at)}'`
      copied = at
    }
    isStart = separators.includes(character) || (isStart && isSkipped(character))
    at += character.length
  }
  return made + text.slice(copied)
}

/**
 * Whether it is possible that a spreadsheet skips the character at the beginning of a cell. Blanks and quotation marks
 * are compared first, because they are frequent and the pattern is slower.
 */
function isSkipped(character: string): boolean {
  return character === ' ' || character === '"' || skipped.test(character)
}

function beginsFormula(character: string, text: string, at: number): boolean {
  if (signs.includes(character) || character === '\t') return true
  if (character === '\r') return at === 0 || text[at + 1] !== '\n'
  return character === '\n' && at === 0
}
