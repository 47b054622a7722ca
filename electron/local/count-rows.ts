import { statSync } from 'node:fs'
import { openSqlite } from '#kit/open-sqlite.ts'

/** Counting reads every page of a table. */
const largestFile = 200 * 1024 * 1024

/**
 * The number of rows in each table of a database, for support; null if the file is larger than 200 MiB. Reads beside the
 * open desk. Throws the system's and SQLite's own errors.
 */
export function countRows(file: string): Record<string, number> | null {
  if (statSync(file).size > largestFile) return null
  const database = openSqlite(file, 'cache', { readonly: true })
  try {
    const tables = database
      .prepare<[], { name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
      )
      .all()
    const rowsOf = (table: string): number =>
      database.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM "${table}"`).get()?.rows ?? 0
    return Object.fromEntries(tables.map(({ name }) => [name, rowsOf(name)]))
  } finally {
    database.close()
  }
}
