import type { Database } from 'better-sqlite3'
import type { VariantRows } from '#desk/ports/catalogue-file.ts'
import { codesOfVariant } from './variant-codes.ts'

/** Numbers that a catalogue file keeps of itself; times in milliseconds since 1970, by the service's clock. */
export type Fact =
  | 'variants'
  | 'watermark'
  | 'full_read_at'
  | 'methods_as_of'
  | 'types_as_of'
  // the read of everything that is under way
  | 'fill_started_at'
  | 'fill_limit'
  | 'fill_page'
  | 'fill_page_length'

export interface CatalogueStatements {
  fact(key: Fact): number | null
  setFact(key: Fact, value: number): void
  /** Rows without their codes: for a fill in bulk. */
  addRows(page: VariantRows): void
  /** Rows and codes, in place of what was there. */
  replaceRows(page: VariantRows): void
  replaceList(list: 'shipping_methods' | 'location_types', rows: readonly object[]): void
  countVariants(): number
}

export function prepareCatalogue(database: Database): CatalogueStatements {
  const fact = database.prepare<[string], number | null>('SELECT value FROM facts WHERE key = ?').pluck()
  const setFact = database.prepare<[string, number]>(
    'INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const upsert = database.prepare<[string, number, number, string]>(
    `INSERT INTO variants (id, modified_at, as_of, body) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET modified_at = excluded.modified_at, as_of = excluded.as_of, body = excluded.body`,
  )
  const skip = database.prepare<[string, string]>(
    'INSERT INTO skipped (id, problem) VALUES (?, ?) ON CONFLICT DO UPDATE SET problem = excluded.problem',
  )
  const readAfterAll = database.prepare<[string]>('DELETE FROM skipped WHERE id = ?')
  const addRows = ({ rows, skipped, asOf }: VariantRows): void => {
    for (const row of rows) upsert.run(row.id, Date.parse(row.modified_at), asOf, JSON.stringify(row))
    for (const one of skipped) skip.run(one.id ?? '', one.problem)
  }
  const replaceCodes = prepareCodes(database)
  const clearList = database.prepare<[string]>('DELETE FROM small_lists WHERE list = ?')
  const addToList = database.prepare<[string, number, string]>(
    'INSERT INTO small_lists (list, position, body) VALUES (?, ?, ?)',
  )
  const count = database.prepare<[], number>('SELECT count(*) FROM variants').pluck()
  return {
    fact: (key) => fact.get(key) ?? null,
    setFact: (key, value) => void setFact.run(key, value),
    addRows,
    replaceRows(page) {
      addRows(page)
      for (const row of page.rows) {
        readAfterAll.run(row.id)
        replaceCodes(row)
      }
    },
    replaceList(list, rows) {
      clearList.run(list)
      for (const [position, row] of rows.entries()) addToList.run(list, position, JSON.stringify(row))
    },
    countVariants: () => count.get() ?? 0,
  }
}

function prepareCodes(database: Database): (row: VariantRows['rows'][number]) => void {
  const forget = database.prepare<[string]>(
    'DELETE FROM codes WHERE variant = (SELECT number FROM variants WHERE id = ?)',
  )
  const add = database.prepare<[string, number, string]>(
    'INSERT INTO codes (key, kind, variant) SELECT ?, ?, number FROM variants WHERE id = ?',
  )
  return (row) => {
    forget.run(row.id)
    for (const { key, kind } of codesOfVariant(row)) add.run(key, kind, row.id)
  }
}
