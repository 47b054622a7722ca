import {
  type ColumnDataType,
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  type RawBuilder,
  sql,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import { openSqlite } from '#kit/open-sqlite.ts'
import type { Schema } from '../schema/schema.ts'
import { limitReads } from './reading-limit.ts'

/**
 * All that differs between database engines. A process has one connection to SQLite, so kysely runs its transactions
 * one after the other, those of another process wait for their turn, and a row needs no lock of its own.
 */
export function createDialect(databaseFile: string): Dialect {
  const file = openSqlite(databaseFile, 'precious')
  // what is deleted or changed is overwritten in its page: a later erasure finds no copies that earlier changes left
  file.pragma('secure_delete = on')
  // a process that was killed may have left in the log what it had erased
  file.pragma('wal_checkpoint(truncate)')
  const config = { database: limitReads(file) }
  const dialect = new SqliteDialect(config)
  return {
    createDriver: () => new WriterDriver(config),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (database) => dialect.createIntrospector(database),
  }
}

/**
 * Takes the lock for writing when a transaction begins. One that has read first and finds that another process has
 * written meanwhile could not go on: SQLite refuses it at once, however long it would wait.
 */
class WriterDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/**
 * Runs a deletion or a change such that what it removes is in no file of the database afterwards: its pages are
 * overwritten, and the log that held the old ones is emptied. A database of an earlier version may keep copies in pages
 * that were freed before. Throws what `removal` throws.
 */
export async function eraseForGood(database: Kysely<Schema>, removal: () => Promise<unknown>): Promise<void> {
  await removal()
  await sql`pragma wal_checkpoint(truncate)`.execute(database)
}

/** Column type of raw bytes. */
export const bytesColumn: ColumnDataType | RawBuilder<unknown> = 'blob'

/** Most bound values in one statement; SQLite's own ceiling is 32766. */
export const maxBoundValues = 30_000

/** Next value of a counter, as an upsert that both engines take. */
export function increment(): RawBuilder<number> {
  return sql<number>`counters.value + 1`
}

/** Whether a write was refused because the row exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
  )
}
