import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Database, SqliteError } from 'better-sqlite3'
import type { FilePaths } from '#desk/ports/catalogue-sync.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { makeFolder } from '#kit/durable-files.ts'
import { hasTables, makeTables } from '../cache.ts'
import { takeReadyFile } from './catalogue-disk.ts'
import type { CatalogueFileKind } from './catalogue-schema.ts'

/**
 * SQLite's page cache for each file that the sync thread writes, in KiB. The thread ends after each round and then
 * frees this memory.
 */
const writerCacheKib = 32 * 1024

/**
 * Opens a file for writing. If the file does not exist, creates it with its tables. Throws UnusableCache or SQLite's
 * error.
 */
export function openToWrite(
  { schema }: CatalogueFileKind,
  file: string,
): { readonly database: Database; readonly isNew: boolean } {
  makeFolder(dirname(file))
  const database = openSqlite(file, 'cache')
  try {
    database.pragma(`cache_size = -${writerCacheKib}`)
    return { database, isNew: makeTables(database, schema) }
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens a file that the sync thread writes, for reading only. Returns null if the thread has not written it yet. Uses
 * no memory mapping, because the process would crash if a mapped file were truncated. Throws UnusableCache or SQLite's
 * error.
 */
export function openToRead({ schema, cacheKib }: CatalogueFileKind, file: string): Database | null {
  if (!existsSync(file)) return null
  const database = openSqlite(file, 'cache', { readonly: true })
  try {
    database.pragma(`cache_size = -${cacheKib}`)
    database.pragma('mmap_size = 0')
    if (hasTables(database, schema.version)) return database
    // the file counts as not written yet: the thread has just created it, and its tables do not exist yet
    database.close()
    return null
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * The main thread's access to a cache file that the sync thread writes. A read never throws: an unreadable file counts
 * as empty, and `isLost` returns true. A file that is only locked for too long counts as empty for this one read.
 */
export interface CacheFileReader<Statements> {
  read<T>(action: (statements: Statements) => T, otherwise: T): T
  /** Whether the file is unusable and must be rebuilt. An unusable file is closed. */
  isLost(): boolean
  lose(error: unknown): void
  /** Call this method after the thread has begun a new file that replaces a lost one. */
  found(): void
  /**
   * If the thread has completed a new file, replaces the current file with it. The call is synchronous, so that no read
   * can happen between its steps.
   */
  takeReady(): void
  /**
   * Closes the file for good. A later read, such as one of a list that pauses between its rows, returns `otherwise`. It
   * must not open the file again, because nothing would close it, and Windows cannot replace an open file.
   */
  close(): void
}

interface CacheFileParts<Statements> {
  readonly paths: FilePaths
  readonly kind: CatalogueFileKind
  readonly prepare: (database: Database) => Statements
  readonly onLost: (error: unknown) => void
}

/**
 * Returns the access to a cache file. The file is opened at the first read, so that the app starts as fast with a full
 * file as with an empty one.
 */
export function openCacheFile<Statements>({
  paths,
  kind,
  prepare,
  onLost,
}: CacheFileParts<Statements>): CacheFileReader<Statements> {
  let opened: { readonly database: Database; readonly statements: Statements } | null = null
  let isLost = false
  let isClosed = false
  const close = (): void => {
    opened?.database.close()
    opened = null
  }
  const lose = (error: unknown): void => {
    close()
    const isNews = !isLost
    isLost = true
    if (isNews) onLost(error)
  }
  const takeReady = (): void => {
    close()
    if (takeReadyFile(paths)) isLost = false
  }
  takeReady()
  return {
    read(action, otherwise) {
      if (isLost || isClosed) return otherwise
      try {
        if (!opened) {
          const database = openToRead(kind, paths.current)
          if (!database) return otherwise
          // `opened` is set only after the tables were read: a file with unreadable tables must not stay open
          opened = { database, statements: prepareOrClose(database, prepare) }
        }
        return action(opened.statements)
      } catch (error) {
        // if the thread held its lock for longer than this read waits, the file is busy and not damaged
        if (!isBusy(error)) lose(error)
        return otherwise
      }
    },
    isLost: () => isLost,
    lose,
    found() {
      close()
      isLost = false
    },
    takeReady,
    close() {
      isClosed = true
      close()
    },
  }
}

function prepareOrClose<Statements>(
  database: Database,
  prepare: (database: Database) => Statements,
): Statements {
  try {
    return prepare(database)
  } catch (error) {
    database.close()
    throw error
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code)
}
