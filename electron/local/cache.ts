import type { Database } from 'better-sqlite3'
import type { z } from 'zod'
import { schemaVersion } from './migrate.ts'

/**
 * The tables of a cache: recent.db or a file of the catalogue. A cache has no migrations, because the service still has
 * all of its content: a change of the tables gets the next version, and a file of another version is replaced by a new
 * one.
 */
export interface CacheSchema {
  readonly version: number
  readonly sql: string
}

/** SQLite can read the file, but it is not a cache of this version, or a row is not in its written form. */
export class UnusableCache extends Error {}

/** Creates the tables of a new file. Returns whether it was new. Throws UnusableCache. */
export function makeTables(database: Database, { version, sql }: CacheSchema): boolean {
  if (hasTables(database, version)) return false
  const make = database.transaction(() => {
    // another process may have been faster
    if (hasTables(database, version)) return false
    database.exec(sql)
    database.pragma(`user_version = ${version}`)
    return true
  })
  return make.immediate()
}

/** False for an empty file. Throws UnusableCache for a file of another version, or of another program. */
export function hasTables(database: Database, version: number): boolean {
  // in this order: another process may create the tables in between
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  const found = schemaVersion(database)
  if (found === version) return true
  if (found === 0 && isEmpty) return false
  throw new UnusableCache(`schema ${found}`)
}

/** Returns the record that a cache keeps as JSON, or null if the text is not in its written form. */
export function readBody<T>(schema: z.ZodType<T>, body: string): T | null {
  try {
    return schema.safeParse(JSON.parse(body)).data ?? null
  } catch {
    return null
  }
}

/** Returns the record that a cache keeps as JSON. Throws UnusableCache if the text is not in its written form. */
export function parseBody<T>(schema: z.ZodType<T>, body: string): T {
  const record = readBody(schema, body)
  if (record === null) throw new UnusableCache('a row is not in the form in which it was written')
  return record
}
