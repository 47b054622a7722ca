import { type Database, SqliteError } from 'better-sqlite3'
import type { FilePaths } from '#desk/ports/catalogue-thread.ts'
import { takeReadyFile } from './catalogue-paths.ts'

/** A cache file that another thread makes, as main reads it. Never throws: what cannot be read is lost, and empty. */
export interface CacheFileReader<Statements> {
  read<T>(action: (statements: Statements) => T, otherwise: T): T
  /** The file is of no use and must be made anew. Nothing has it open here. */
  isLost(): boolean
  lose(error: unknown): void
  /** Another one was begun in its place. */
  found(): void
  /** Takes a finished file into use, if there is one: in one go, so that no read comes in between. */
  takeReady(): void
  close(): void
}

interface CacheFileParts<Statements> {
  readonly paths: FilePaths
  /** Null: there is nothing yet. */
  readonly open: (file: string) => Database | null
  readonly prepare: (database: Database) => Statements
  readonly onLost: (error: unknown) => void
}

/** The file is opened at the first read, so that a start with a full one costs no more than with an empty one. */
export function openCacheFile<Statements>({
  paths,
  open,
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
          const database = open(paths.current)
          if (!database) return otherwise
          // only then: a file whose tables are not to be read must not stay open
          opened = { database, statements: prepareOrClose(database, prepare) }
        }
        return action(opened.statements)
      } catch (error) {
        // held by the thread for longer than the wait: busy, not broken
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
