import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../../electron/middleware', import.meta.url).pathname

/**
 * The files that may write to each table of the stock ledger: the module of the ledger (data/goods/ledger.ts), and the
 * code that fills the tables of a new database.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  stock_entries: ['data/goods/ledger.ts', 'data/seeds/seed.ts'],
  reservations: ['data/goods/ledger.ts', 'data/seeds/seed.ts'],
  batches: ['data/goods/ledger.ts', 'data/seeds/seed-moves.ts'],
}

/** Matches statements that write to a table, both of the query builder and in SQL text. */
function writers(table: string): string[] {
  const statement = new RegExp(
    `(insertInto|insertAll|updateTable|deleteFrom|replaceInto|mergeInto)\\(\\s*(\\w+,\\s*)?['"\`]${table}\\b|` +
      `\\b(insert\\s+(or\\s+\\w+\\s+)?into|replace\\s+into|update|delete\\s+from)\\s+${table}\\b`,
    'i',
  )
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('data/schema/'))
    .filter((file) => statement.test(readFileSync(join(root, file), 'utf8')))
    .toSorted()
}

describe('the tables of the stock ledger', () => {
  it.each(Object.entries(allowed))(
    'are written only by the module of the ledger and by the code that fills a new database: %s',
    (table, files) => {
      expect(writers(table)).toEqual(files)
    },
  )
})
