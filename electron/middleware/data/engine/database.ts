import { type Kysely, PostgresAdapter, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Logger } from '#kit/logger.ts'
import { partsIndex } from '../schema/create-statements.ts'
import type { Schema } from '../schema/schema.ts'
import { codeOf, isConflict, untilAccepted } from './conflicts.ts'
import type { DatabaseLimits } from './postgres.ts'
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
 * and leaves it unchanged. For any other failure, throws the error of the engine. `limits` apply to PostgreSQL.
 */
export async function openDatabase(
  { databaseFile, databaseUrl = null }: DatabasePlace,
  logger: Pick<Logger, 'warn'>,
  limits: DatabaseLimits = {},
): Promise<Database> {
  if (databaseUrl === null) return openSqliteDatabase(databaseFile)
  // the module is loaded only if it is needed, because most processes, such as the embedded middleware, use SQLite
  const { openPostgresDatabase } = await import('./postgres.ts')
  const onConnectionError = (error: Error): void => {
    logger.warn({ err: error }, 'a connection to the database broke')
  }
  return openPostgresDatabase(databaseUrl, onConnectionError, limits)
}

/** Whether the database is a PostgreSQL database; if not, it is an SQLite file. */
export function isPostgres(connection: Connection): boolean {
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
 * Runs `work` in a transaction whose statements each see all commits before them (on PostgreSQL `read committed`). Use
 * it only if each rule that `work` relies on is a condition of a statement that changes rows. PostgreSQL then refuses
 * the transaction only for a deadlock. It may refuse a transaction of `inTransaction` also because another transaction
 * uses the same storage page of a table. Throws the errors of `work`.
 */
export async function inWritingTransaction<Result>(
  database: Database,
  work: (connection: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return untilAccepted(() => database.transaction().setIsolationLevel('read committed').execute(work))
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
 * Returns PostgreSQL's present snapshot as text: which transactions are committed. It needs no lock, and waits for no
 * transaction. Null: the engine is SQLite, which runs transactions one after the other.
 */
export async function presentSnapshot(connection: Connection): Promise<string | null> {
  if (!isPostgres(connection)) return null
  const { rows } = await sql<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`.execute(
    connection,
  )
  return rows[0]?.snapshot ?? null
}

/**
 * Returns the condition that a row of the table was inserted by a transaction that was not committed in `snapshot`
 * (`presentSnapshot`). The rows must be recent, and never changed after their insertion: `xmin` is the number of the
 * inserting transaction without its upper 32 bits, so the condition uses the latest such number that is possible.
 */
export function insertedAfter(tableName: keyof Schema, snapshot: string): RawBuilder<boolean> {
  const next = sql`(select pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`
  const age = sql`((${next} - ${sql.ref(`${tableName}.xmin`)}::text::bigint) & 4294967295)`
  return sql<boolean>`not pg_visible_in_snapshot((${next} - ${age})::text::xid8, ${snapshot}::pg_snapshot)`
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

/**
 * Returns the highest number that a row of the table ever got in its column of the type `sequence`, also if the row was
 * deleted. On PostgreSQL it may be the number of a transaction that is not committed. 0: no row got a number. The rows
 * are read too, because a logical replication to another PostgreSQL server copies no sequences.
 */
export async function highestNumber(
  connection: Connection,
  tableName: keyof Schema,
  column: string,
): Promise<number> {
  const issued = isPostgres(connection)
    ? sql`select pg_sequence_last_value(pg_get_serial_sequence(${tableName}, ${column})::regclass)`
    : sql`select seq from sqlite_sequence where name = ${tableName}`
  const { rows } = await sql<{ issued: number | null; stored: number | null }>`select (${issued}) as issued,
    (select max(${sql.ref(column)}) from ${sql.table(tableName)}) as stored`.execute(connection)
  return Math.max(0, rows[0]?.issued ?? 0, rows[0]?.stored ?? 0)
}

/**
 * Returns the condition `column = value` in a form for which SQLite uses no index. SQLite has no statistics: if the
 * query also has a condition for several ids, SQLite would choose an index of the column and read all rows with the
 * value. PostgreSQL treats this form as an equality and chooses an index by its statistics.
 */
export function equalsWithoutIndex(column: string, value: string): RawBuilder<boolean> {
  return sql<boolean>`not ${sql.ref(column)} <> ${value}`
}

/** Returns SQL for a table `wanted` with the values in its column `value`, for a statement that looks up each value. */
export function wantedValues(connection: Connection, values: readonly string[]): RawBuilder<unknown> {
  return isPostgres(connection)
    ? sql`unnest(${values}::text[]) as wanted (value)`
    : sql`json_each(${JSON.stringify(values)}) as wanted`
}

/**
 * Length in characters of the parts into which a searched text is divided. The index has an entry for each sequence of
 * three characters.
 */
const pieceLength = 3
/** Maximum number of parts of the searched text that SQLite looks up in its index. */
const mostPieces = 12
/**
 * Maximum number of pieces of a searched text that PostgreSQL looks up in its index. It is smaller than for SQLite,
 * because PostgreSQL compares each piece again with each row that the index finds.
 */
const mostComparedPieces = 6
/**
 * Matches the three-character pieces for which the index of PostgreSQL finds exactly the rows that contain the piece.
 * For a character such as `-` the index has no entry, so PostgreSQL would read all rows. Letters except a to z have an
 * entry in some locales only, and different pieces with such letters may have the same entry.
 */
const exactPiece = /^[a-z0-9]{3}$/

/**
 * Returns at most `most` distinct pieces of a text, each with three characters. If the text has more pieces, returns
 * pieces that are spread evenly over it. `suits`: matches the pieces that can be looked up.
 */
function piecesOf(text: string, most: number, suits: RegExp): string[] {
  const characters = Array.from(text)
  const all = characters
    .slice(0, 1 - pieceLength)
    .map((_, at) => characters.slice(at, at + pieceLength).join(''))
    .filter((piece) => suits.test(piece))
  const count = Math.min(all.length, most)
  const step = count < 2 ? 0 : (all.length - 1) / (count - 1)
  return [...new Set(Array.from({ length: count }, (_, index) => all[Math.round(index * step)] ?? ''))]
}

/**
 * Returns a query for the ids of the rows that contain `part` in their searched columns (schema/table.ts). `part`: at
 * least three characters, in lower case. The query also finds rows of other customers, and rows that contain
 * three-character pieces of `part` but not `part` itself. So the caller must compare the texts of the rows. Null: the
 * index cannot find `part`, so the caller must read all rows.
 *
 * The index is searched for single pieces of `part`, not for the whole `part`. In a search for the whole `part`, the
 * index would compare the positions of the pieces in each row that contains all pieces, even if no row contains `part`.
 * A limit on the number of found rows would not stop this comparison. For a text that consists of one repeated letter,
 * the comparison took half a millisecond in each row.
 */
export function rowsWithPart(connection: Connection, part: string): RawBuilder<{ id: string }> | null {
  if (isPostgres(connection)) {
    const likes = piecesOf(part, mostComparedPieces, exactPiece).map(
      (piece) => sql`words like ${`%${piece}%`}`,
    )
    return likes.length === 0 ? null : sql`select id from searched_texts where ${sql.join(likes, sql` and `)}`
  }
  const phrases = piecesOf(part, mostPieces, /./su).map((piece) => `"${piece.replaceAll('"', '""')}"`)
  return sql`select searched_texts.id from searched_parts
        join searched_texts on searched_texts.number = searched_parts.rowid
        where searched_parts match ${phrases.join(' AND ')}`
}

/**
 * Runs `write`, which writes many searched texts in the transaction of `connection`. On PostgreSQL their entries are
 * added to the index in one pass after `write`, and then no search has to read them separately. Throws the errors of
 * `write`.
 */
export async function indexingInOnePass(connection: Connection, write: () => Promise<void>): Promise<void> {
  if (!isPostgres(connection)) return write()
  await sql`set local gin_pending_list_limit = '64MB'`.execute(connection)
  await write()
  await sql`set local gin_pending_list_limit to default`.execute(connection)
  await sql`select gin_clean_pending_list(${partsIndex})`.execute(connection)
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
  /^(SQLITE_(BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|READONLY)|(08|53|57|58)...$|0A000$|25006$|25P0[34]$|ECONN(REFUSED|RESET|ABORTED)$|E(TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH)$|EAI_AGAIN$|ENOTFOUND$)/
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

const shortages = /^(SQLITE_(FULL$|IOERR|NOMEM$)|53[124]00$|57014$|58...$|25P0[34]$)/

/**
 * Whether a statement failed because the storage has too little space or memory, or because the statement or its
 * transaction took too long. Large data can be the cause, so that the same statement may fail again and again. Each
 * such failure is also a storage failure (`isStorageFailure`).
 */
export function isShortage(error: unknown): boolean {
  return shortages.test(codeOf(error))
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
