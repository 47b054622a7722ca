import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openSqlite } from '#kit/open-sqlite.ts'
import { makeTables, UnusableCache } from '../cache.ts'
import { asCatalogued, isCorrupt } from '../sqlite-failure.ts'
import { recentSchema } from './recent-schema.ts'

const name = 'recent.db'

/**
 * recent.db, which heals itself: it only repeats what the service says, so one that is damaged or of another version is put
 * aside and filled again.
 */
export interface RecentDatabase {
  /** One store's part of it: statements that are prepared at the first use, and again after a healing. */
  part<Statements>(prepare: (database: Database) => Statements): RecentPart<Statements>
  close(): void
}

export interface RecentPart<Statements> {
  /** Runs on prepared statements; on a damaged file starts an empty one and answers `whenHealed`. */
  use<T>(action: (statements: Statements) => T, whenHealed: () => T): T
}

/** `onHealed` tells that everything in it was lost. */
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
    // it holds names and addresses, and not for ever
    database.pragma('secure_delete = ON')
    makeTables(database, recentSchema)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Keeps one damaged file, the latest, for whoever wants to know why. */
function putAside(dataDir: string): void {
  for (const file of readdirSync(dataDir)) {
    if (file.startsWith('recent.damaged')) rmSync(join(dataDir, file), { force: true })
  }
  renameSync(join(dataDir, name), join(dataDir, 'recent.damaged.db'))
  for (const companion of ['-wal', '-shm']) rmSync(join(dataDir, name + companion), { force: true })
}
