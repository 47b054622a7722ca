import { type ColumnDataType, type Dialect, SqliteDialect, sql, type RawBuilder } from 'kysely'
import { openSqlite } from '#kit/open-sqlite.ts'

/**
 * All that differs between database engines. SQLite serves one process and one connection, so kysely runs its
 * transactions one after the other and a row needs no lock of its own.
 */
export function createDialect(databaseFile: string): Dialect {
  return new SqliteDialect({ database: openSqlite(databaseFile, 'precious') })
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
