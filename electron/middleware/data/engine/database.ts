import { setTimeout } from 'node:timers/promises'
import { type Kysely, PostgresAdapter, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Logger } from '#kit/logger.ts'
import type { Schema } from '../schema/schema.ts'
import { type DataLock, openSqliteDatabase } from './sqlite.ts'

export type Database = Kysely<Schema>
/** The parameter of repository functions: the database, or the transaction of the caller. */
export type Connection = Database | Transaction<Schema>

/** Where the data are. Only one process may use them. */
export interface DatabasePlace {
  /** A file of SQLite, or `:memory:`. */
  readonly databaseFile: string
  /** The URL of a PostgreSQL database, which is used in place of the file. */
  readonly databaseUrl?: string | null
}

/**
 * Opens a database and creates the tables of a new one. Throws a readable message for a database of another version,
 * which stays unchanged, and otherwise the error of the engine.
 */
export async function openDatabase(
  { databaseFile, databaseUrl = null }: DatabasePlace,
  logger: Pick<Logger, 'warn'>,
): Promise<Database> {
  if (databaseUrl === null) return openSqliteDatabase(databaseFile)
  // loaded only if needed, because a desk starts its middleware with SQLite
  const { openPostgresDatabase } = await import('./postgres.ts')
  return openPostgresDatabase(databaseUrl, (error) => {
    logger.warn({ err: error }, 'a connection to the database broke')
  })
}

/**
 * Locks a PostgreSQL database for this process, or returns null if another process has locked it. `lost` is called when
 * the connection of the lock breaks; the lock is then requested again until it is granted. `taken`: another process has
 * it.
 */
export async function lockPostgres(
  databaseUrl: string,
  notify: { readonly lost: (error: Error) => void; readonly taken: () => void },
): Promise<DataLock | null> {
  const { lockPostgresDatabase } = await import('./postgres.ts')
  return lockPostgresDatabase(databaseUrl, notify)
}

function isPostgres(connection: Connection): boolean {
  return connection.getExecutor().adapter instanceof PostgresAdapter
}

/** Number of times that PostgreSQL may refuse a transaction before its caller fails. */
const mostConflicts = 20
const longestPauseMs = 50

/**
 * Runs `work` in a transaction, as if no other transaction ran at the same time. SQLite runs them one after the other.
 * PostgreSQL refuses one of those that affect each other, and `work` runs again, so it must change nothing but the
 * database. Throws the errors of `work`.
 */
export async function inTransaction<Result>(
  database: Database,
  work: (connection: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await database.transaction().execute(work)
    } catch (error) {
      if (!isConflict(error) || conflicts > mostConflicts) throw error
      await setTimeout(Math.random() * Math.min(longestPauseMs, 2 ** conflicts))
    }
  }
}

/** Returns the values as a table `wanted` with the column `value`, for a statement that looks up each of them. */
export function wantedValues(connection: Connection, values: readonly string[]): RawBuilder<unknown> {
  return isPostgres(connection)
    ? sql`unnest(${values}::text[]) as wanted (value)`
    : sql`json_each(${JSON.stringify(values)}) as wanted`
}

/**
 * Returns a query for the `id` of each row whose searched columns (schema/table.ts) contain a text in lower case of at
 * least three characters. It also finds a text that continues from one column to the next, and rows of all customers.
 */
export function rowsWithPart(connection: Connection, part: string): RawBuilder<{ id: string }> {
  return isPostgres(connection)
    ? sql`select id from searched_texts where words like ${`%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`
    : sql`select searched_texts.id from searched_parts
        join searched_texts on searched_texts.number = searched_parts.rowid
        where searched_parts match ${`"${part.replaceAll('"', '""')}"`}`
}

/** Returns the texts of a stored array as a table `entry` with the column `value`. `column`: from our code. */
export function entriesOf(connection: Connection, column: string): RawBuilder<unknown> {
  return isPostgres(connection)
    ? sql`json_array_elements_text(${sql.ref(column)}) as entry (value)`
    : sql`json_each(${sql.ref(column)}) as entry`
}

/** Returns the size of a stored value in bytes. SQLite does not read a text for it. `column`: from our code. */
export function storedBytes(connection: Connection, column: string): RawBuilder<number> {
  return isPostgres(connection)
    ? sql<number>`octet_length(cast(${sql.ref(column)} as text))`
    : sql<number>`octet_length(${sql.ref(column)})`
}

/** Returns a text as its bytes in UTF-8. `column`: from our code. */
export function bytesOfText(connection: Connection, column: string): RawBuilder<Buffer> {
  return isPostgres(connection)
    ? sql<Buffer>`convert_to(${sql.ref(column)}, 'UTF8')`
    : sql<Buffer>`cast(${sql.ref(column)} as blob)`
}

/**
 * Runs a deletion or a change so that no file of SQLite contains the removed data afterwards: the pages are
 * overwritten, and the write-ahead log with the old pages is emptied. PostgreSQL removes old rows later (`vacuum`).
 * Throws the errors of `removal`.
 */
export async function eraseForGood(database: Database, removal: () => Promise<unknown>): Promise<void> {
  await removal()
  if (!isPostgres(database)) await sql`pragma wal_checkpoint(truncate)`.execute(database)
}

/**
 * Returns a text that is the same at two times only if nothing was committed between them. In PostgreSQL this includes
 * the other databases of the server.
 */
export async function stateOfData(connection: Connection): Promise<string> {
  const state = isPostgres(connection)
    ? sql<{ state: string }>`select pg_current_snapshot()::text as state`
    : // the changes by this connection and by others
      sql<{ state: string }>`select total_changes() || ' ' || data_version as state from pragma_data_version`
  return (await state.execute(connection)).rows[0]?.state ?? ''
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether PostgreSQL refused a transaction because of another one: serialization_failure or deadlock_detected. */
function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

const uniqueViolations = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'])

/** Whether a write was refused because the row already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolations.has(codeOf(error))
}

const storageFailures =
  /^(SQLITE_(BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|READONLY)|(08|53|57|58)...$|ECONN(REFUSED|RESET|ABORTED)$|ETIMEDOUT$|EPIPE$)/
/** Messages of pg without a code: a connection that ended, and none that became free in time. */
const lostConnections = /^(Connection terminated|timeout exceeded when trying to connect)/

/**
 * Whether a statement failed because of the disk, of the server or of another process, so that the same statement may
 * succeed later.
 */
export function isStorageFailure(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== '') return storageFailures.test(code) || isConflict(error)
  return error instanceof Error && lostConnections.test(error.message)
}

/** Maximum number of bound values in one statement. SQLite's own limit is 32,766, PostgreSQL's 65,535. */
const maxBoundValues = 30_000

/** Splits rows into portions that one statement can bind. */
export function portions<Row extends object>(rows: readonly Row[]): Row[][] {
  const columns = Object.keys(rows[0] ?? {}).length
  const atOnce = Math.max(1, Math.floor(maxBoundValues / Math.max(1, columns)))
  const count = Math.ceil(rows.length / atOnce)
  return Array.from({ length: count }, (_, index) => rows.slice(index * atOnce, (index + 1) * atOnce))
}
