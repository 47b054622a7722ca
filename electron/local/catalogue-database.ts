import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openSqlite } from '#kit/open-sqlite.ts'
import { catalogueGoods } from './migrations/catalogue-0001-goods.ts'
import { schemaVersion } from './migrate.ts'

const migration = catalogueGoods

const indexes = `
  CREATE INDEX IF NOT EXISTS codes_by_key ON codes (key, kind, variant);
  CREATE INDEX IF NOT EXISTS codes_by_variant ON codes (variant);
`

/**
 * Opens or makes a catalogue file to write to; null for one of another version, which is of no use. `indexed` false
 * leaves the codes without indexes, for a fill in bulk.
 */
export function openCatalogueToWrite(file: string, indexed: boolean): Database | null {
  mkdirSync(dirname(file), { recursive: true })
  const database = openSqlite(file, 'cache')
  try {
    const version = schemaVersion(database)
    if (version === 0)
      database
        .transaction(() => {
          database.exec(migration.sql)
          if (indexed) indexCodes(database)
          database.pragma(`user_version = ${migration.version}`)
        })
        .immediate()
    else if (version !== migration.version) {
      database.close()
      return null
    }
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

export function indexCodes(database: Database): void {
  database.exec(indexes)
}

/** A file that is there but cannot be used: another version, or no database at all. */
export class UnusableCatalogue extends Error {}

/** Opens what the sync thread wrote; null where it has not written yet. Throws UnusableCatalogue, or SQLite's own. */
export function openCatalogueToRead(file: string): Database | null {
  if (!existsSync(file)) return null
  const database = openSqlite(file, 'cache', { readonly: true })
  try {
    const version = schemaVersion(database)
    if (version === migration.version) return database
    if (version !== 0) throw new UnusableCatalogue(`schema ${version}`)
    // made a moment ago, and its tables are not there yet
    database.close()
    return null
  } catch (error) {
    database.close()
    throw error
  }
}
