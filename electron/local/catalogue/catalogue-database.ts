import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openSqlite } from '#kit/open-sqlite.ts'
import { makeFolder } from '#kit/durable-files.ts'
import { hasTables, makeTables } from '../cache.ts'
import type { CatalogueFileKind } from './catalogue-schema.ts'

/** The thread ends after each round, so its memory is lent, not kept. */
const writerCacheKib = 32 * 1024

/** Opens a file to write to; one that is not there is made, with its tables. Throws UnusableCache, or SQLite's own. */
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
 * Opens what the sync thread wrote; null where it has not written yet. No memory mapping: a file that is cut short while it
 * is mapped ends the process. Throws UnusableCache, or SQLite's own.
 */
export function openToRead({ schema, cacheKib }: CatalogueFileKind, file: string): Database | null {
  if (!existsSync(file)) return null
  const database = openSqlite(file, 'cache', { readonly: true })
  try {
    database.pragma(`cache_size = -${cacheKib}`)
    database.pragma('mmap_size = 0')
    if (hasTables(database, schema.version)) return database
    // made a moment ago, and its tables are not there yet
    database.close()
    return null
  } catch (error) {
    database.close()
    throw error
  }
}
