import Database from 'better-sqlite3'
import { makePrivateDatabase } from './private-files.ts'

/** `precious`: an acknowledged commit survives a power cut; `cache`: the file may be lost, so commits are cheap. */
export type Durability = 'precious' | 'cache'

/**
 * Opens a SQLite file in WAL mode. better-sqlite3 opens WAL databases at synchronous=NORMAL, which loses acknowledged
 * commits on a power cut, and the pragma returns a wrong value right after the switch to WAL. So it is set explicitly
 * on the connection that the product uses, and a test reads it back after a reopen and a write. The file, and those
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
 * Switches to WAL, which locks the whole file for a moment. If another process does the same at that moment SQLite
 * reports busy at once, whatever its timeout, because each would wait for the other.
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
