import { readdirSync, renameSync, rmSync } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { emptyLog, openSqlite } from '#kit/open-sqlite.ts'
import { makeTables, UnusableCache } from '../cache.ts'
import { careFor, cleanCopyOf, removeDatabase } from '../file-care.ts'
import { asCatalogued, isCorrupt } from '../sqlite-failure.ts'
import { noteChanges } from './recent-changes.ts'
import { recentSchema } from './recent-schema.ts'

const name = 'recent.db'

/**
 * recent.db, a cache of records of the service. An empty file replaces a file that is damaged or of another version.
 * The damaged file is put aside; the one of another version is deleted, because it has no fault to examine.
 */
export interface RecentDatabase {
  /**
   * Whether files of an interrupted rewrite, with old rows, could not be removed at the opening. The next rewrite
   * removes them, or rejects if it cannot.
   */
  readonly hasLeftovers: boolean
  /** Removes files of an interrupted rewrite. Not to be called during a rewrite. Throws the system's errors. */
  removeLeftovers(): void
  /**
   * Removes the damaged file that was put aside, because it may contain records of every scope. Throws the system's
   * errors.
   */
  removeDamaged(): void
  /**
   * Returns the statements of one store. They are prepared at the first use, and again after a damaged file was
   * replaced.
   */
  part<Statements>(prepare: (database: Database) => Statements): RecentPart<Statements>
  /**
   * Replaces the file with a copy of its current rows, which has no traces of deleted rows. The copy is written in a
   * separate thread, while this thread reads and writes the file. At the end this thread repeats the changes in the
   * copy that it made in the file meanwhile. Resolves to false, and keeps the file, if the file is too large, if there
   * were too many or too large changes, or if another connection was using the file or the copy. Rejects with SQLite's
   * or the system's errors.
   */
  rewrite(): Promise<boolean>
  close(): void
}

export interface RecentPart<Statements> {
  /**
   * Runs `action` with the statements. If the file is damaged, replaces it with an empty file and returns
   * `whenHealed()`.
   */
  use<T>(action: (statements: Statements) => T, whenHealed: () => T): T
}

/**
 * Maximum size in bytes of the used pages of a file that is rewritten. While a thread writes a larger copy to the disk,
 * commits and checkpoints of main can wait for the disk for seconds.
 */
const largestRewrite = 500_000_000

/**
 * Opens recent.db. `onHealed`: called after a damaged file was replaced and all content was lost. `largest`: a file
 * with more bytes in used pages is not rewritten.
 */
export function openRecentDatabase(
  dataDir: string,
  onHealed: () => void,
  largest = largestRewrite,
): RecentDatabase {
  const file = join(dataDir, name)
  const copy = cleanCopyOf(file)
  const old = join(dataDir, 'recent.replaced.db')
  // removes the files that a process leaves if it ends during a rewrite
  const removeLeftovers = (): void => {
    removeDatabase(copy)
    removeDatabase(old)
  }
  const hasLeftovers = !succeeds(removeLeftovers)
  let isClosed = false
  let database = openOrHeal(dataDir, onHealed)
  const heal = (): void => {
    database.close()
    putAside(dataDir)
    database = openOrHeal(dataDir, onHealed)
    onHealed()
  }
  return {
    hasLeftovers,
    removeLeftovers,
    removeDamaged: () => {
      removeDamaged(dataDir)
    },
    part(prepare) {
      let prepared: { readonly for: Database; readonly statements: ReturnType<typeof prepare> } | null = null
      return {
        use(action, whenHealed) {
          try {
            // the database is closed if an error occurred while its damaged file was replaced
            if (!database.open && !isClosed) database = openOrHeal(dataDir, onHealed)
            if (prepared?.for !== database) prepared = { for: database, statements: prepare(database) }
            return action(prepared.statements)
          } catch (error) {
            if (!isDamage(error)) throw asCatalogued(error)
            heal()
            return whenHealed()
          }
        },
      }
    },
    async rewrite() {
      removeLeftovers()
      const before = database
      if (usedBytes(before) > largest) return false
      const changes = noteChanges(before)
      try {
        await careFor({ do: 'copy', file })
        // a hard link keeps the old file after its replacement, because main would otherwise wait until the space of
        // the old file is released
        await link(file, old).catch(() => undefined)
        // meanwhile the file may have been closed, or replaced because it was damaged
        if (!before.open || !changes.carryTo(copy)) return false
        // the copy replaces the old file in the next step. So the last changes of the old file need not reach the disk,
        // and main does not wait for them
        before.pragma('synchronous = OFF')
        if (!emptyLog(before)) return false
        before.close()
        try {
          for (const companion of companions) rmSync(file + companion, { force: true })
          renameSync(copy, file)
        } finally {
          database = openOrHeal(dataDir, onHealed)
        }
        return true
      } finally {
        if (before.open) {
          before.pragma('synchronous = NORMAL')
          changes.end()
        }
        removeDatabase(copy)
        await rm(old, { force: true })
      }
    },
    close() {
      isClosed = true
      database.close()
    },
  }
}

/** Runs the action. Returns whether it throws no error. */
function succeeds(action: () => void): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}

/** Returns the size in bytes of the pages of the file that contain data. */
export function usedBytes(database: Database): number {
  const pragma = (name: string): number => Number(database.pragma(name, { simple: true }))
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
}

/** The endings of the files that SQLite keeps beside the database. */
const companions = ['-wal', '-shm']

function openOrHeal(dataDir: string, onHealed: () => void): Database {
  try {
    return openNow(dataDir)
  } catch (error) {
    if (!isDamage(error)) throw asCatalogued(error)
    // opening throws UnusableCache only if the file is of another version
    if (error instanceof UnusableCache) removeDatabase(join(dataDir, name))
    else putAside(dataDir)
    onHealed()
    return openNow(dataDir)
  }
}

function isDamage(error: unknown): boolean {
  return isCorrupt(error) || error instanceof UnusableCache
}

function openNow(dataDir: string): Database {
  const database = openSqlite(join(dataDir, name), 'cache')
  try {
    // overwrites deleted rows, so that names and addresses do not stay in free pages
    database.pragma('secure_delete = ON')
    makeTables(database, recentSchema)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Renames the damaged file, so that its fault can be examined. Removes a damaged file that was renamed earlier. */
function putAside(dataDir: string): void {
  removeDamaged(dataDir)
  renameSync(join(dataDir, name), join(dataDir, 'recent.damaged.db'))
  for (const companion of companions) rmSync(join(dataDir, name + companion), { force: true })
}

function removeDamaged(dataDir: string): void {
  for (const file of readdirSync(dataDir)) {
    if (file.startsWith('recent.damaged')) rmSync(join(dataDir, file), { force: true })
  }
}
