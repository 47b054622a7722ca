import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Database, SqliteError } from 'better-sqlite3'
import type { FilePaths } from '#desk/ports/catalogue-sync.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { makeFolder } from '#kit/durable-files.ts'
import { hasTables, makeTables } from '../cache.ts'
import { takeReadyFile } from './catalogue-disk.ts'
import type { CatalogueFileKind } from './catalogue-schema.ts'

/** The thread ends after each round and then frees this memory. */
const writerCacheKib = 32 * 1024

/** Opens a file for writing; creates a missing one with its tables. Throws UnusableCache or SQLite's error. */
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
 * Opens the sync thread's file; null if the thread has not written it yet. No memory mapping, because a mapped file
 * that is truncated ends the process. Throws UnusableCache or SQLite's error.
 */
export function openToRead({ schema, cacheKib }: CatalogueFileKind, file: string): Database | null {
  if (!existsSync(file)) return null
  const database = openSqlite(file, 'cache', { readonly: true })
  try {
    database.pragma(`cache_size = -${cacheKib}`)
    database.pragma('mmap_size = 0')
    if (hasTables(database, schema.version)) return database
    // the file was created a moment ago, and its tables do not exist yet
    database.close()
    return null
  } catch (error) {
    database.close()
    throw error
  }
}

/** A cache file that another thread writes, for main. Never throws: an unreadable file is lost and counts as empty. */
export interface CacheFileReader<Statements> {
  read<T>(action: (statements: Statements) => T, otherwise: T): T
  /** The file is unusable and must be rebuilt. It is not open here. */
  isLost(): boolean
  lose(error: unknown): void
  /** A new file was begun in its place. */
  found(): void
  /** Takes a finished file into use, if there is one. The step is synchronous, so that no read happens in between. */
  takeReady(): void
  close(): void
}

interface CacheFileParts<Statements> {
  readonly paths: FilePaths
  readonly kind: CatalogueFileKind
  readonly prepare: (database: Database) => Statements
  readonly onLost: (error: unknown) => void
}

/** The file is opened at the first read, so that a start with a full file costs no more than with an empty one. */
export function openCacheFile<Statements>({
  paths,
  kind,
  prepare,
  onLost,
}: CacheFileParts<Statements>): CacheFileReader<Statements> {
  let opened: { readonly database: Database; readonly statements: Statements } | null = null
  let isLost = false
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
      if (isLost) return otherwise
      try {
        if (!opened) {
          const database = openToRead(kind, paths.current)
          if (!database) return otherwise
          // only then: a file with unreadable tables must not stay open
          opened = { database, statements: prepareOrClose(database, prepare) }
        }
        return action(opened.statements)
      } catch (error) {
        // the thread kept its lock for longer than the wait: the file is busy, not broken
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
    close,
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
