import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openSqlite } from '#kit/open-sqlite.ts'
import { catalogueShipments } from './migrations/catalogue-0001-shipments.ts'
import { asCatalogued, isCorrupt } from './sqlite-failure.ts'

const migrations = [catalogueShipments]
const name = 'catalogue.db'

/** catalogue.db, which heals itself: it only repeats what the service says, so a broken one is put aside and refilled. */
export interface Catalogue<Statements> {
  /** Runs on prepared statements; on a damaged file starts an empty one and answers `whenHealed`. */
  use<T>(action: (statements: Statements) => T, whenHealed: () => T): T
  close(): void
}

/** `onHealed` tells that everything in it was lost. */
export function openCatalogue<Statements>(
  dataDir: string,
  prepare: (database: Database) => Statements,
  onHealed: () => void,
): Catalogue<Statements> {
  let { database, statements } = openOrHeal(dataDir, prepare, onHealed)
  return {
    use(action, whenHealed) {
      try {
        return action(statements)
      } catch (error) {
        if (!isDamage(error)) throw asCatalogued(error)
        database.close()
        putAside(dataDir)
        ;({ database, statements } = openOrHeal(dataDir, prepare, onHealed))
        onHealed()
        return whenHealed()
      }
    },
    close: () => void database.close(),
  }
}

interface Opened<Statements> {
  readonly database: Database
  readonly statements: Statements
}

function openOrHeal<Statements>(
  dataDir: string,
  prepare: (database: Database) => Statements,
  onHealed: () => void,
): Opened<Statements> {
  try {
    return openNow(dataDir, prepare)
  } catch (error) {
    if (!isDamage(error)) throw asCatalogued(error)
    putAside(dataDir)
    onHealed()
    return openNow(dataDir, prepare)
  }
}

/** Readable for SQLite but not for us: a newer version's schema, or a row that is no longer what was written. */
export class UnusableCatalogue extends Error {}

function isDamage(error: unknown): boolean {
  return isCorrupt(error) || error instanceof UnusableCatalogue
}

function openNow<Statements>(
  dataDir: string,
  prepare: (database: Database) => Statements,
): Opened<Statements> {
  const database = openSqlite(join(dataDir, name), 'cache')
  try {
    const version = Number(database.pragma('user_version', { simple: true }))
    if (version > migrations.length) throw new UnusableCatalogue()
    const build = database.transaction(() => {
      for (const migration of migrations.slice(version)) {
        database.exec(migration.sql)
        database.pragma(`user_version = ${migration.version}`)
      }
    })
    build.immediate()
    return { database, statements: prepare(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Keeps one damaged file, the latest, for whoever wants to know why. */
function putAside(dataDir: string): void {
  for (const file of readdirSync(dataDir)) {
    if (file.startsWith('catalogue.damaged')) rmSync(join(dataDir, file), { force: true })
  }
  renameSync(join(dataDir, name), join(dataDir, 'catalogue.damaged.db'))
  for (const companion of ['-wal', '-shm']) rmSync(join(dataDir, name + companion), { force: true })
}
