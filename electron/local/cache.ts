import type { Database } from 'better-sqlite3'
import type { z } from 'zod'
import { schemaVersion } from './migrate.ts'

/**
 * The tables of a cache: recent.db or a file of the catalogue. A cache has no migrations, because all of its content
 * can be read from the service again. Every change of the tables needs a new version: a file of another version is
 * replaced with a new, empty file.
 */
export interface CacheSchema {
  readonly version: number
  readonly sql: string
}

/**
 * Thrown if SQLite can read the file, but the file is not a cache of this version, or a row is not in the format that
 * the cache writes.
 */
export class UnusableCache extends Error {}

/** Creates the tables of a new file. Returns whether the file was new. Throws UnusableCache like `hasTables`. */
export function makeTables(database: Database, { version, sql }: CacheSchema): boolean {
  if (hasTables(database, version)) return false
  const make = database.transaction(() => {
    // another process may have created the tables since the first check
    if (hasTables(database, version)) return false
    database.exec(sql)
    database.pragma(`user_version = ${version}`)
    return true
  })
  return make.immediate()
}

/**
 * Whether the file has the tables of a cache; false for an empty file. Throws UnusableCache for a file of another
 * version or of another program.
 */
export function hasTables(database: Database, version: number): boolean {
  // reads the tables before the version, because another process may create the tables between the two reads
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  const found = schemaVersion(database)
  if (found === version) return true
  if (found === 0 && isEmpty) return false
  throw new UnusableCache(`schema ${found}`)
}

/**
 * Parses a JSON text of a cache and returns its record. Returns null if the text does not have the format that the
 * cache writes.
 */
export function readBody<T>(schema: z.ZodType<T>, body: string): T | null {
  try {
    return schema.safeParse(JSON.parse(body)).data ?? null
  } catch {
    return null
  }
}

/**
 * Parses a JSON text of a cache and returns its record. Throws UnusableCache if the text does not have the format that
 * the cache writes.
 */
export function parseBody<T>(schema: z.ZodType<T>, body: string): T {
  const record = readBody(schema, body)
  if (record === null) throw new UnusableCache('a row is not in the form in which it was written')
  return record
}
