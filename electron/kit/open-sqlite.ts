import Database from 'better-sqlite3'
import { makePrivateDatabase } from './private-files.ts'

/**
 * `precious`: a committed transaction survives a power failure. `cache`: commits are faster, but a power failure may
 * undo them.
 */
export type Durability = 'precious' | 'cache'

/**
 * Opens a SQLite file in WAL mode and sets `synchronous`, because better-sqlite3 opens WAL databases with
 * synchronous=NORMAL, which can lose committed transactions when the power fails. Right after the switch to WAL, SQLite
 * reports a wrong value of `synchronous`, so a test reads the value after a reopen and a write. The file, and the files
 * that SQLite keeps beside it, are private to this account.
 */
export function openSqlite(
  file: string,
  durability: Durability,
  options: { readonly?: boolean } = {},
): Database.Database {
  if (!options.readonly && file !== ':memory:') makePrivateDatabase(file)
  const database = new Database(file, { readonly: options.readonly ?? false })
  try {
    if (!options.readonly) turnToWal(database)
    database.pragma(`synchronous = ${durability === 'precious' ? 'FULL' : 'NORMAL'}`)
    database.pragma('foreign_keys = ON')
    database.pragma('busy_timeout = 5000')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const mostTries = 100
const pauseMs = 20

/**
 * Switches to WAL, which locks the whole file for a moment. If another process does the same at that moment, SQLite
 * reports busy at once and ignores its timeout, because each process would wait for the other. Therefore the switch is
 * tried again.
 */
function turnToWal(database: Database.Database): void {
  for (let tries = 1; ; tries++) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!isBusy || tries === mostTries) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}

/**
 * Writes the log (WAL) of an open database to its file and empties it, because it contains earlier versions of changed
 * and deleted rows. `schema`: the name of the database in the connection. Returns false at once, without an error, if
 * another connection is using the log. Throws SQLite's errors.
 */
export function emptyLog(database: Database.Database, schema: 'main' | 'copy' = 'main'): boolean {
  const timeout = Number(database.pragma('busy_timeout', { simple: true }))
  database.pragma('busy_timeout = 0')
  try {
    return database.pragma(`${schema}.wal_checkpoint(TRUNCATE)`, { simple: true }) === 0
  } finally {
    database.pragma(`busy_timeout = ${timeout}`)
  }
}
