import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Connection, stateOfData } from './database.ts'
import type { Schema } from '../schema/schema.ts'

/** Which page of a list to read. `from` and `to` are inclusive bounds on `created_at`, in its stored format. */
export interface Page {
  readonly from: string | null
  readonly to: string | null
  /**
   * The column by which the list is sorted. Its name comes from our code, never from a client. Rows with equal values
   * are sorted by id, so that no row is on two pages or on none.
   */
  readonly sort: string
  readonly direction: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** A time before all stored times: the start position of a read of all records in the order of time. */
export const beforeAllTimes = '0001-01-01T00:00:00.000Z'

/**
 * Reads one page of a query on a table with `id` and `created_at`, in two steps. The first step filters and sorts only
 * the ids, because a database that sorts whole rows reads all their texts. The second step reads the rows of the page
 * by their ids.
 */
export async function readPage<Table extends keyof Schema, Row extends { readonly id: string | number }>(
  connection: Connection,
  query: SelectQueryBuilder<Schema, Table, Row>,
  page: Page,
): Promise<Row[]> {
  return readInOrder(query.clearWhere(), await idsOfPage(connection, inOrderOf(query, page), page))
}

/** Reads the rows with these ids, in the order of the ids. `query` must have no condition. */
export async function readInOrder<Table extends keyof Schema, Row extends { readonly id: string | number }>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  ids: readonly (string | number)[],
): Promise<Row[]> {
  if (ids.length === 0) return []
  const rows = await query.where(sql<boolean>`id in (${sql.join(ids)})`).execute()
  const found = new Map<string | number, Row>(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** A position in a sorted list: the value of the sort column, and the id. */
export interface RowPlace {
  readonly sort: string
  readonly id: string
}

/** The ids that one step of a visit has found, and the position after which the next step continues. */
export interface Visited {
  readonly ids: readonly string[]
  /** The position after which the next step continues. Null: all rows were visited. */
  readonly next: RowPlace | null
}

/** Number of rows that one step usually visits. With SQLite no other call runs during a step. */
const visitedAtOnce = 500

/**
 * Visits the next `atOnce` rows of a list after the position `after` (null: from the beginning), in the order of the
 * list, and returns the ids of the visited rows that match a filter. Use it only for a filter with two properties: no
 * index contains the filtered column in the order of the list, and a query that applies the filter first would sort too
 * many rows. `all`: the query for all rows of the list; its sort column must have an index. `narrow`: adds the filter
 * to a query.
 */
export async function visitRows<Table extends keyof Schema>(
  all: SelectQueryBuilder<Schema, Table, object>,
  narrow: (query: SelectQueryBuilder<Schema, Table, object>) => SelectQueryBuilder<Schema, Table, object>,
  { page, after, atOnce = visitedAtOnce }: { page: Page; after: RowPlace | null; atOnce?: number },
): Promise<Visited> {
  const column = sql.ref(page.sort)
  const isById = page.sort === 'id'
  const compare = (operator: RawBuilder<unknown>, { sort, id }: RowPlace): RawBuilder<boolean> =>
    isById ? sql`id ${operator} ${id}` : sql`(${column}, id) ${operator} (${sort}, ${id})`
  const [beyond, upTo] = page.direction === 'asc' ? [sql`>`, sql`<=`] : [sql`<`, sql`>=`]
  const rest = after === null ? all : all.where(compare(beyond, after))
  const sorted = rest.orderBy(column, page.direction)
  const inOrder = (isById ? sorted : sorted.orderBy(sql.ref('id'), page.direction)).clearSelect()
  const last = await inOrder
    .select([sql<string>`id`.as('id'), sql<string>`${column}`.as('sort')])
    .offset(atOnce - 1)
    .limit(1)
    .executeTakeFirst()
  // the conditions of the filter come after the condition of the position, because SQLite may choose the index by the
  // first of two conditions
  let selected = narrow(inOrder).select(sql<string>`id`.as('id'))
  if (last !== undefined) selected = selected.where(compare(upTo, last))
  if (page.from !== null) selected = selected.where(sql<boolean>`created_at >= ${page.from}`)
  if (page.to !== null) selected = selected.where(sql<boolean>`created_at <= ${page.to}`)
  const rows = await selected.execute()
  return { ids: rows.map(({ id }) => id), next: last ?? null }
}

/** A query for the sorted ids of a list. `sort` null: sorted by id. */
interface Ordered<Table extends keyof Schema> {
  readonly query: SelectQueryBuilder<Schema, Table, { readonly id: string | number }>
  readonly sort: string | null
  readonly direction: 'asc' | 'desc'
}

/** Returns a query for the sorted ids of a list, with the conditions of `query` and the bounds `from` and `to`. */
export function inOrderOf<Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  { from, to, sort, direction }: Page,
): Ordered<Table> {
  // If the list is sorted by a column other than `created_at`, the operator `not` makes the database use the index of
  // that column, which also contains `created_at`. With the index of `created_at`, the database would have to read and
  // sort all rows between `from` and `to`.
  const isByTime = sort === 'created_at'
  const isSince = isByTime ? sql<boolean>`created_at >= ${from}` : sql<boolean>`not created_at < ${from}`
  const isUntil = isByTime ? sql<boolean>`created_at <= ${to}` : sql<boolean>`not created_at > ${to}`
  const since = from === null ? query : query.where(isSince)
  const within = to === null ? since : since.where(isUntil)
  const sorted = within.orderBy(sql.ref(sort), direction)
  const isById = sort === 'id'
  return {
    query: (isById ? sorted : sorted.orderBy(sql.ref('id'), direction))
      .clearSelect()
      .select(sql<string | number>`id`.as('id')),
    sort: isById ? null : sort,
    direction,
  }
}

/**
 * Number of rows between two remembered positions in a list. A database skips that many rows in about a millisecond.
 */
const rowsBetweenPositions = 10_000

/**
 * Returns the ids of a page. To find an offset, a database reads all index entries before it. To avoid this, the server
 * remembers positions in a list: the end of the page that was read last, and the position after every `between` rows,
 * for pages that are not read one after the other. A position is used only until the next write to the database,
 * because a write may move all rows after it. The positions after every `between` rows are searched only when a second
 * page is read without a write since the first page, because every write makes them invalid.
 */
export async function idsOfPage<Table extends keyof Schema>(
  connection: Connection,
  list: Ordered<Table>,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
  between = rowsBetweenPositions,
): Promise<(string | number)[]> {
  const byOffset = async (): Promise<(string | number)[]> =>
    (await list.query.limit(limit).offset(offset).execute()).map(({ id }) => id)
  // a transaction uses no remembered positions, because its reads contain its own uncommitted changes
  if (offset < between || connection.isTransaction) return byOffset()
  const state = await stateOfData(connection)
  const { positions, isKnown } = positionsOf(connection, list, state)
  if (isKnown && positions.next?.offset !== offset)
    await findPositions(list, positions, Math.floor(offset / between), between)
  const start = startOf(positions, offset, between)
  const rows = await valuesBehind(list, start)
    .limit(limit)
    .offset(offset - (start?.offset ?? 0))
    .execute()
  if ((await stateOfData(connection)) !== state) return start === null ? rows.map(({ id }) => id) : byOffset()
  const last = rows.at(-1)
  if (last !== undefined) positions.next = { ...last, offset: offset + rows.length }
  return rows.map(({ id }) => id)
}

/** A position in a list: the sort value and the id of the row directly before the offset. */
interface Position {
  readonly offset: number
  readonly value: string | number
  readonly id: string | number
}

/** The remembered positions in one list. They are valid only until the next commit to the database. */
interface Positions {
  readonly state: string
  /** The positions after `between` rows, after 2 × `between` rows and so on. */
  readonly all: Position[]
  /** The position after the page of this list that was read last. */
  next: Position | null
}

/** Searches and remembers further positions until there are `count` positions or the list ends. */
async function findPositions<Table extends keyof Schema>(
  list: Ordered<Table>,
  { all }: Positions,
  count: number,
  between: number,
): Promise<void> {
  // reads the number of positions again in each step, because another call may add positions in this list meanwhile
  for (let at = all.length; at < count; at = all.length) {
    const position = await valuesBehind(list, all[at - 1] ?? null)
      .limit(1)
      .offset(between - 1)
      .executeTakeFirst()
    if (position === undefined) return
    all[at] = { ...position, offset: (at + 1) * between }
  }
}

/** Returns the remembered position from which a page is read. Null: the page is read from the beginning of the list. */
function startOf({ all, next }: Positions, offset: number, between: number): Position | null {
  if (next?.offset === offset) return next
  return all[Math.min(all.length, Math.floor(offset / between)) - 1] ?? null
}

/**
 * Returns a query for the rows of a list after a position, or for all rows if the position is null. The column `value`
 * of the query is the value of the sort column, or the id if the list has no sort column.
 */
function valuesBehind<Table extends keyof Schema>(
  { query, sort, direction }: Ordered<Table>,
  position: Position | null,
) {
  const rows = query.select(sql<string | number>`${sql.ref(sort ?? 'id')}`.as('value'))
  if (position === null) return rows
  const than = direction === 'asc' ? sql`>` : sql`<`
  return rows.where(
    sort === null
      ? sql<boolean>`id ${than} ${position.id}`
      : sql<boolean>`(${sql.ref(sort)}, id) ${than} (${position.value}, ${position.id})`,
  )
}

/**
 * Maximum number of lists of one database for which positions are remembered. If there are more, the positions in the
 * least recently used list are dropped. A position takes a few hundred bytes.
 */
const mostLists = 100
const remembered = new WeakMap<Connection, Map<string, Positions>>()

/**
 * Returns the remembered positions in a list. `isKnown`: the list was already read, and nothing was committed since.
 */
function positionsOf<Table extends keyof Schema>(
  connection: Connection,
  { query }: Ordered<Table>,
  state: string,
): { positions: Positions; isKnown: boolean } {
  const lists = remembered.get(connection) ?? new Map<string, Positions>()
  remembered.set(connection, lists)
  const { sql: text, parameters } = query.compile()
  const key = JSON.stringify([text, parameters])
  const known = lists.get(key)
  const isKnown = known?.state === state
  const positions = isKnown ? known : { state, all: [], next: null }
  lists.delete(key)
  lists.set(key, positions)
  const [oldest] = lists.keys()
  if (lists.size > mostLists && oldest !== undefined) lists.delete(oldest)
  return { positions, isKnown }
}

/** Returns the text with its ASCII letters in lower case. */
export function withoutCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/**
 * SQL condition: one of the columns contains the text. The case of ASCII letters does not matter. The case of other
 * letters does, because SQLite converts only ASCII letters.
 */
export function anyContains(columns: readonly string[], text: string): ReturnType<typeof sql<boolean>> {
  // no stored text contains a NUL character, and PostgreSQL refuses a parameter with a NUL character
  if (text.includes('\0')) return sql<boolean>`1 = 0`
  const part = withoutCase(text)
  const each = columns.map((column) => sql`instr(lower(${sql.ref(column)}), ${part}) > 0`)
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}
