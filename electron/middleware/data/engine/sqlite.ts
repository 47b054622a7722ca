import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely'
import { emptyLog, openSqlite } from '#kit/open-sqlite.ts'
import { createStatements, sqliteTables } from '../schema/create-statements.ts'
import { type Schema, schemaVersion, tables } from '../schema/schema.ts'
import { limitReads, noteCommit } from './reading-limit.ts'

/** Thrown if another version of the middleware created the database. */
export class OtherVersion extends Error {}

/** The endings of the names of the files that SQLite keeps beside a database. */
const companions = ['-wal', '-shm']

/**
 * Renames a database that is not open, with the files that SQLite keeps beside it, and returns the new path. Deletes
 * the database that was renamed before. Throws the error of the system.
 */
export function setDatabaseAside(databaseFile: string): string {
  const aside = `${databaseFile}.other-version`
  for (const ending of [...companions, '']) rmSync(aside + ending, { force: true })
  // The log files are renamed before the database file. In the other order, an interruption could leave an old log,
  // which SQLite would then use as the log of the new database.
  for (const ending of [...companions, ''])
    if (existsSync(databaseFile + ending)) renameSync(databaseFile + ending, aside + ending)
  return aside
}

/**
 * Opens the file (or `:memory:`), and creates the tables if it is new. A process has one connection to SQLite, so
 * kysely runs its transactions one after the other. Transactions of another process wait for the lock of the file, so
 * rows need no locks. If the database has another version, throws `OtherVersion` and leaves it unchanged.
 */
export function openSqliteDatabase(databaseFile: string): Kysely<Schema> {
  const file = openSqlite(databaseFile, 'precious')
  try {
    createTables(file)
    // makes SQLite overwrite deleted and changed data, so that no old copies of the data remain in the file
    file.pragma('secure_delete = on')
  } catch (error) {
    file.close()
    throw error
  }
  const config = { database: limitReads(file) }
  const dialect = new SqliteDialect(config)
  const database = new Kysely<Schema>({
    dialect: {
      createDriver: () => new WriterDriver(config, file),
      createAdapter: () => dialect.createAdapter(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createIntrospector: (each) => dialect.createIntrospector(each),
    },
  })
  files.set(database, file)
  return database
}

/** The connections of the open databases to their files. */
const files = new WeakMap<Kysely<Schema>, BetterSqlite.Database>()

/**
 * Writes the write-ahead log to the file and empties it, between two transactions. Afterwards no file contains old
 * values of deleted and changed rows, because SQLite has overwritten them in the pages of the file. Returns false at
 * once if another program is reading the file. Throws the errors of SQLite.
 */
export function emptyLogOf(database: Kysely<Schema>): Promise<boolean> {
  const file = files.get(database)
  if (file === undefined) throw new Error('This database was not opened by openSqliteDatabase')
  return database.connection().execute(() => Promise.resolve(emptyLog(file)))
}

function createTables(file: BetterSqlite.Database): void {
  file
    .transaction(() => {
      const version = Number(file.pragma('user_version', { simple: true }))
      if (version === schemaVersion) return
      const isNew = version === 0 && file.prepare('select 1 from sqlite_master').get() === undefined
      if (!isNew)
        throw new OtherVersion(
          `The database ${file.name} was made by another version of the middleware, and stays unchanged: use that version, or a new folder.`,
        )
      for (const statement of createStatements(tables, sqliteTables)) file.exec(statement)
      file.pragma(`user_version = ${schemaVersion}`)
    })
    .immediate()
}

/**
 * Takes the write lock at the beginning of each transaction. Otherwise SQLite would refuse the first write of a
 * transaction that has already read, if another process has written since that read.
 */
class WriterDriver extends SqliteDriver {
  readonly #file: BetterSqlite.Database

  constructor(config: SqliteDialectConfig, file: BetterSqlite.Database) {
    super(config)
    this.#file = file
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    noteCommit()
  }

  /**
   * For some errors, such as a full disk, SQLite has already rolled back the transaction. A second rollback would fail,
   * and the caller would get that failure in place of the error of its statement.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.inTransaction) await super.rollbackTransaction(connection)
  }
}

/** The lock of one process on its data. It lasts until the process releases it or ends. */
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
