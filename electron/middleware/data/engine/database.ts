import { type Kysely, PostgresAdapter, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Logger } from '#kit/logger.ts'
import type { Schema } from '../schema/schema.ts'
import { codeOf, isConflict, untilAccepted } from './conflicts.ts'
import { openSqliteDatabase } from './sqlite.ts'

export type Database = Kysely<Schema>
/** The first parameter of repository functions: the database, or the transaction of the caller. */
export type Connection = Database | Transaction<Schema>

/**
 * Where the data are stored. Only one process may use an SQLite file; any number of processes may use a PostgreSQL
 * database.
 */
export interface DatabasePlace {
  /** The SQLite file, or `:memory:`. */
  readonly databaseFile: string
  /** The URL of a PostgreSQL database, which is used in place of the file. */
  readonly databaseUrl?: string | null
}

/**
 * Opens a database, and creates the tables if it is new. If the database has another version, throws a readable message
 * and leaves it unchanged. For any other failure, throws the error of the engine.
 */
export async function openDatabase(
  { databaseFile, databaseUrl = null }: DatabasePlace,
  logger: Pick<Logger, 'warn'>,
): Promise<Database> {
  if (databaseUrl === null) return openSqliteDatabase(databaseFile)
  // loaded only if needed, because most processes, such as the embedded middleware, use SQLite
  const { openPostgresDatabase } = await import('./postgres.ts')
  return openPostgresDatabase(databaseUrl, (error) => {
    logger.warn({ err: error }, 'a connection to the database broke')
  })
}

function isPostgres(connection: Connection): boolean {
  return connection.getExecutor().adapter instanceof PostgresAdapter
}

/**
 * Runs `work` in a transaction, as if no other transaction ran at the same time. SQLite runs transactions one after the
 * other. PostgreSQL runs them in parallel; if transactions conflict, it refuses one of them, and its `work` runs again.
 * `work` must therefore change nothing except the database. Throws the errors of `work`.
 */
export async function inTransaction<Result>(
  database: Database,
  work: (connection: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return untilAccepted(() => database.transaction().execute(work))
}

/**
 * Call this in a transaction that adds numbered rows, before the transaction takes its first number. Such transactions
 * then commit in the order of their numbers, so a reader who has seen a number has seen all lower numbers. SQLite runs
 * transactions one after the other, so it needs no lock for this.
 */
export async function commitInOrder(connection: Connection): Promise<void> {
  if (isPostgres(connection))
    await sql`select pg_advisory_xact_lock(hashtextextended('scandesk ordered numbers', 0))`.execute(
      connection,
    )
}

/**
 * Returns the next number of a PostgreSQL sequence, without a lock. Null: the engine is SQLite, which has no sequences.
 */
export async function nextOfSequence(connection: Connection, name: string): Promise<number | null> {
  if (!isPostgres(connection)) return null
  const { rows } = await sql<{ value: number }>`select nextval(${`serial_${name}`}) as value`.execute(
    connection,
  )
  return rows[0]?.value ?? null
}

/** Makes a PostgreSQL sequence continue after `value`. If `value` is 0, the next number is 1. */
export async function continueSequence(connection: Connection, name: string, value: number): Promise<void> {
  if (isPostgres(connection))
    await sql`select setval(${`serial_${name}`}, ${Math.max(1, value)}, ${value > 0})`.execute(connection)
}

/** Returns SQL for a table `wanted` with the values in its column `value`, for a statement that looks up each value. */
export function wantedValues(connection: Connection, values: readonly string[]): RawBuilder<unknown> {
  return isPostgres(connection)
    ? sql`unnest(${values}::text[]) as wanted (value)`
    : sql`json_each(${JSON.stringify(values)}) as wanted`
}

/** Maximum number of parts of a searched text that are looked up in the index. */
const mostPieces = 12
/**
 * Length in characters of the parts of a searched text. The index has an entry for each sequence of three characters.
 */
const pieceLength = 3

/**
 * Returns different parts of a text with three characters each, at most `mostPieces`. For a long text, the parts are
 * spread evenly over the text.
 */
function piecesOf(text: string): string[] {
  const characters = Array.from(text)
  const last = characters.length - pieceLength
  const count = Math.min(last + 1, mostPieces)
  const starts = Array.from({ length: count }, (_, index) =>
    count === 1 ? 0 : Math.round((index * last) / (count - 1)),
  )
  return [...new Set(starts.map((start) => characters.slice(start, start + pieceLength).join('')))]
}

/**
 * Returns a query for the ids of the rows that contain `part` in their searched columns (schema/table.ts). `part`: at
 * least three characters, in lower case. The query also finds rows of other customers, and rows that contain the
 * three-character pieces of `part` at other places. So the caller must compare the texts of the rows.
 *
 * The index is searched for single pieces of `part`, not for `part` as a whole. For the whole, the index would compare
 * the places of all pieces in each row that contains them, even if no row contains `part`. A limit on the number of
 * found rows would not end such a query. Rows with one repeated letter took half a millisecond each.
 */
export function rowsWithPart(connection: Connection, part: string): RawBuilder<{ id: string }> {
  const pieces = piecesOf(part)
  if (isPostgres(connection)) {
    const likes = pieces.map(
      (piece) => sql`words like ${`%${piece.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`,
    )
    return sql`select id from searched_texts where ${sql.join(likes, sql` and `)}`
  }
  const phrases = pieces.map((piece) => `"${piece.replaceAll('"', '""')}"`)
  return sql`select searched_texts.id from searched_parts
        join searched_texts on searched_texts.number = searched_parts.rowid
        where searched_parts match ${phrases.join(' AND ')}`
}

/**
 * Returns SQL for a table `entry` with the texts of a stored array in its column `value`. `column` must not come from a
 * request.
 */
export function entriesOf(connection: Connection, column: string): RawBuilder<unknown> {
  return isPostgres(connection)
    ? sql`json_array_elements_text(${sql.ref(column)}) as entry (value)`
    : sql`json_each(${sql.ref(column)}) as entry`
}

/**
 * Returns SQL for the size of a stored value in bytes. SQLite determines the size without reading the value. `column`
 * must not come from a request.
 */
export function storedBytes(connection: Connection, column: string): RawBuilder<number> {
  return isPostgres(connection)
    ? sql<number>`octet_length(cast(${sql.ref(column)} as text))`
    : sql<number>`octet_length(${sql.ref(column)})`
}

/** Returns SQL for the bytes of a text in UTF-8. `column` must not come from a request. */
export function bytesOfText(connection: Connection, column: string): RawBuilder<Buffer> {
  return isPostgres(connection)
    ? sql<Buffer>`convert_to(${sql.ref(column)}, 'UTF8')`
    : sql<Buffer>`cast(${sql.ref(column)} as blob)`
}

/**
 * Runs `removal`, which deletes or changes data, so that afterwards no file of SQLite contains the old data: SQLite
 * overwrites the pages, and the write-ahead log with the old pages is emptied. PostgreSQL removes old rows later
 * (`vacuum`). Throws the errors of `removal`.
 */
export async function eraseForGood(database: Database, removal: () => Promise<unknown>): Promise<void> {
  await removal()
  if (!isPostgres(database)) await sql`pragma wal_checkpoint(truncate)`.execute(database)
}

/**
 * Returns a text that changes with every commit: two equal texts mean that nothing was committed between them. In
 * PostgreSQL, commits to other databases of the server also change the text.
 */
export async function stateOfData(connection: Connection): Promise<string> {
  const state = isPostgres(connection)
    ? sql<{ state: string }>`select pg_current_snapshot()::text as state`
    : // `total_changes` counts the changes by this connection, `data_version` those by other connections
      sql<{ state: string }>`select total_changes() || ' ' || data_version as state from pragma_data_version`
  return (await state.execute(connection)).rows[0]?.state ?? ''
}

const uniqueViolations = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'])

/** Whether a write was refused because the row already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolations.has(codeOf(error))
}

const storageFailures =
  /^(SQLITE_(BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|READONLY)|(08|53|57|58)...$|25006$|25P0[34]$|ECONN(REFUSED|RESET|ABORTED)$|E(TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH)$|EAI_AGAIN$|ENOTFOUND$)/
/**
 * Messages of errors of `pg` that have no code: the connection ended before or during a statement, or no connection
 * became free in time.
 */
const lostConnections =
  /^(Connection terminated|Query read timeout$|Client (has encountered a connection error|was closed) and is not queryable|timeout exceeded when trying to connect)/

/**
 * Whether a statement failed because of the disk, the server or another process. The same statement may succeed later.
 */
export function isStorageFailure(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== '') return storageFailures.test(code) || isConflict(error)
  return error instanceof Error && lostConnections.test(error.message)
}

/** Maximum number of bound values in one statement. SQLite allows 32,766, PostgreSQL 65,535. */
const maxBoundValues = 30_000

/** Splits rows into portions that are small enough for one statement. */
export function portions<Row extends object>(rows: readonly Row[]): Row[][] {
  const columns = Object.keys(rows[0] ?? {}).length
  const atOnce = Math.max(1, Math.floor(maxBoundValues / Math.max(1, columns)))
  const count = Math.ceil(rows.length / atOnce)
  return Array.from({ length: count }, (_, index) => rows.slice(index * atOnce, (index + 1) * atOnce))
}
