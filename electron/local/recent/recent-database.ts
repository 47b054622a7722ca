import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openSqlite } from '#kit/open-sqlite.ts'
import { makeTables, UnusableCache } from '../cache.ts'
import { asCatalogued, isCorrupt } from '../sqlite-failure.ts'
import { recentSchema } from './recent-schema.ts'

const name = 'recent.db'

/**
 * recent.db, a cache of records of the service. A file that is damaged or of another version is put aside, and an empty
 * file replaces it.
 */
export interface RecentDatabase {
  /**
   * Returns the statements of one store. They are prepared at the first use, and again after a damaged file was
   * replaced.
   */
  part<Statements>(prepare: (database: Database) => Statements): RecentPart<Statements>
  close(): void
}

export interface RecentPart<Statements> {
  /**
   * Runs `action` with the statements. If the file is damaged, replaces it with an empty file and returns
   * `whenHealed()`.
   */
  use<T>(action: (statements: Statements) => T, whenHealed: () => T): T
}

/** Opens recent.db. `onHealed`: called after a damaged file was replaced and all content was lost. */
export function openRecentDatabase(dataDir: string, onHealed: () => void): RecentDatabase {
  let database = openOrHeal(dataDir, onHealed)
  const heal = (): void => {
    database.close()
    putAside(dataDir)
    database = openOrHeal(dataDir, onHealed)
    onHealed()
  }
  return {
    part(prepare) {
      let prepared: { readonly for: Database; readonly statements: ReturnType<typeof prepare> } | null = null
      return {
        use(action, whenHealed) {
          try {
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
    close: () => void database.close(),
  }
}

function openOrHeal(dataDir: string, onHealed: () => void): Database {
  try {
    return openNow(dataDir)
  } catch (error) {
    if (!isDamage(error)) throw asCatalogued(error)
    putAside(dataDir)
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
  for (const file of readdirSync(dataDir)) {
    if (file.startsWith('recent.damaged')) rmSync(join(dataDir, file), { force: true })
  }
  renameSync(join(dataDir, name), join(dataDir, 'recent.damaged.db'))
  for (const companion of ['-wal', '-shm']) rmSync(join(dataDir, name + companion), { force: true })
}
