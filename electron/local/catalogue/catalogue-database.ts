import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openSqlite } from '#kit/open-sqlite.ts'
import { makeFolder } from '#kit/write-now.ts'
import { catalogueGoods } from '../migrations/catalogue-0001-goods.ts'
import { catalogueSearch } from '../migrations/catalogue-0002-search.ts'
import { allLots } from '../migrations/lots-0001-lots.ts'
import type { Migration } from '../migrations/migration.ts'
import { applyMigrations, schemaVersion } from '../migrate.ts'

/** A kind of cache file: its versions, and the memory that a connection may keep pages in. */
interface CacheKind {
  readonly migrations: readonly Migration[]
  readonly cacheKib: number
}

export const goodsFile: CacheKind = { migrations: [catalogueGoods, catalogueSearch], cacheKib: 16 * 1024 }
export const lotsFile: CacheKind = { migrations: [allLots], cacheKib: 2 * 1024 }

/** The thread ends after each round, so its memory is lent, not kept. */
const writerCacheKib = 32 * 1024

export interface OpenedToWrite {
  readonly database: Database
  /** The version that the file had: 0 for a new one. */
  readonly from: number
}

/**
 * Opens or makes a cache file to write to, brought to the newest version; null for one of a newer Scandesk, which is of
 * no use, or, with `fresh`, for any other version.
 */
export function openToWrite({ migrations }: CacheKind, file: string, fresh: boolean): OpenedToWrite | null {
  makeFolder(dirname(file))
  const database = openSqlite(file, 'cache')
  try {
    database.pragma(`cache_size = -${writerCacheKib}`)
    const from = schemaVersion(database)
    if (from > migrations.length || (fresh && from !== 0 && from !== migrations.length)) {
      database.close()
      return null
    }
    // inside the transaction the version is read again: another process may have been faster
    const build = database.transaction(() => {
      applyMigrations(database, migrations.slice(schemaVersion(database)))
    })
    if (from < migrations.length) build.immediate()
    return { database, from }
  } catch (error) {
    database.close()
    throw error
  }
}

/** A file that is there but cannot be used: a newer version, or rows that are no longer what was written. */
export class UnusableCatalogue extends Error {}

/**
 * Opens what the sync thread wrote; null where it has not written yet. An older version is read as far as it goes. No
 * memory mapping: a file that is cut short while it is mapped ends the process. Throws UnusableCatalogue, or SQLite's own.
 */
export function openToRead({ migrations, cacheKib }: CacheKind, file: string): Database | null {
  if (!existsSync(file)) return null
  const database = openSqlite(file, 'cache', { readonly: true })
  try {
    database.pragma(`cache_size = -${cacheKib}`)
    database.pragma('mmap_size = 0')
    const version = schemaVersion(database)
    if (version > migrations.length) throw new UnusableCatalogue(`schema ${version}`)
    if (version > 0) return database
    // made a moment ago, and its tables are not there yet
    database.close()
    return null
  } catch (error) {
    database.close()
    throw error
  }
}
