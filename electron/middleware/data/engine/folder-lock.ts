import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'

/** The file of the lock in the folder. */
export const lockFile = 'middleware.lock'

/** Holds a data folder until it is released or its process ends. */
export interface FolderLock {
  release(): void
}

/**
 * Takes the folder for this process, or returns null while another one has it. The lock is an open transaction on a
 * file of its own: the operating system ends it together with the process, also with one that is killed.
 */
export function lockFolder(folder: string): FolderLock | null {
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
