import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, Kysely, SqliteDialect, SqliteDriver } from 'kysely'
import { openSqlite } from '#kit/open-sqlite.ts'
import { createStatements, sqliteTables } from '../schema/create-statements.ts'
import { type Schema, schemaVersion, tables } from '../schema/schema.ts'
import { limitReads, noteCommit } from './reading-limit.ts'

/**
 * Opens the file (or `:memory:`), and creates the tables if it is new. A process has one connection to SQLite, so
 * kysely runs its transactions one after the other. Transactions of another process wait for the lock of the file, so
 * rows need no locks. Throws a readable message for a database of another version, which stays unchanged.
 */
export function openSqliteDatabase(databaseFile: string): Kysely<Schema> {
  const file = openSqlite(databaseFile, 'precious')
  try {
    createTables(file)
    // overwrites deleted and changed data in the file, so that old copies cannot remain after a later erasure
    file.pragma('secure_delete = on')
    // a process that was killed may have left erased data in the write-ahead log
    file.pragma('wal_checkpoint(truncate)')
  } catch (error) {
    file.close()
    throw error
  }
  const config = { database: limitReads(file) }
  const dialect = new SqliteDialect(config)
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new WriterDriver(config),
      createAdapter: () => dialect.createAdapter(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createIntrospector: (database) => dialect.createIntrospector(database),
    },
  })
}

function createTables(file: BetterSqlite.Database): void {
  file
    .transaction(() => {
      const version = Number(file.pragma('user_version', { simple: true }))
      if (version === schemaVersion) return
      const isNew = version === 0 && file.prepare('select 1 from sqlite_master').get() === undefined
      if (!isNew)
        throw new Error(
          `The database ${file.name} was made by another version of the middleware, and stays unchanged: use that version, or a new folder.`,
        )
      for (const statement of createStatements(tables, sqliteTables)) file.exec(statement)
      file.pragma(`user_version = ${schemaVersion}`)
    })
    .immediate()
}

/**
 * Takes the write lock at the beginning of a transaction. Otherwise, after a write by another process, SQLite would at
 * once refuse the first write of a transaction that has already read.
 */
class WriterDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    noteCommit()
  }
}

/** The lock of one process on its data. It ends when it is released or the process ends. */
export interface DataLock {
  release(): void
}

/** The name of the lock file in the folder. */
export const lockFile = 'middleware.lock'

/**
 * Locks the folder for this process. Returns null if another process has locked it. The lock is an open transaction on
 * a separate file: the operating system ends the transaction with the process, even if the process is killed.
 */
export function lockFolder(folder: string): DataLock | null {
  const database = new BetterSqlite(join(folder, lockFile), { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null
    throw error
  }
  return { release: () => void database.close() }
}
