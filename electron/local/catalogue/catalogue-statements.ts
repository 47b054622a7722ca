import type { Database } from 'better-sqlite3'
import type { ListRows, VariantRows } from '#desk/ports/catalogue-file.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { readBody } from '../cache.ts'
import type { NumberedVariant } from './catalogue-words.ts'
import { prepareFindable } from './findable.ts'
import { prepareSkipped } from './skipped-statements.ts'

/** Numbers that a catalogue file keeps of itself; times in milliseconds since 1970, by the service's clock. */
export type Fact =
  | 'variants'
  | 'watermark'
  | 'full_read_at'
  | 'page_rows'
  | 'methods_as_of'
  | 'types_as_of'
  // the read of everything that is under way
  | 'fill_started_at'
  | 'fill_limit'
  | 'fill_page'
  | 'fill_expected'

export interface CatalogueStatements extends FactStatements {
  /** For a fill in bulk, whose indexes follow. Answers the rows that are there already, and were left as they are. */
  addRows(page: VariantRows): Variant[]
  /** Rows, codes and words, in place of what was there. Answers how many variants were new. */
  replaceRows(page: VariantRows): number
  /** A row as another file holds it, with its age. */
  readonly carryRow: (record: VariantRecord) => void
  replaceList(list: 'shipping_methods' | 'location_types', rows: ListRows<object>): void
  countVariants(): number
}

export interface VariantRecord {
  readonly id: string
  readonly modified_at: number
  readonly as_of: number
  readonly body: string
}

export interface FactStatements {
  readonly fact: (key: Fact) => number | null
  readonly setFact: (key: Fact, value: number) => void
}

export function prepareFacts(database: Database): FactStatements {
  const fact = database.prepare<[string], number | null>('SELECT value FROM facts WHERE key = ?').pluck()
  const setFact = database.prepare<[string, number]>(
    'INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  return {
    fact: (key) => fact.get(key) ?? null,
    setFact: (key, value) => void setFact.run(key, value),
  }
}

const listNames = { shipping_methods: 'shippingmethods', location_types: 'locationtypes' } as const

export function prepareCatalogue(database: Database): CatalogueStatements {
  const facts = prepareFacts(database)
  const skipped = prepareSkipped(database)
  const clearList = database.prepare<[string]>('DELETE FROM small_lists WHERE list = ?')
  const addToList = database.prepare<[string, number, string]>(
    'INSERT INTO small_lists (list, position, body) VALUES (?, ?, ?)',
  )
  const count = database.prepare<[], number>('SELECT count(*) FROM variants').pluck()
  return {
    ...facts,
    ...prepareRows(database, facts),
    replaceList(list, { rows, skipped: odd, asOf }) {
      clearList.run(list)
      for (const [position, row] of rows.entries()) addToList.run(list, position, JSON.stringify(row))
      skipped.clear(listNames[list])
      skipped.put(listNames[list], odd, asOf)
    },
    countVariants: () => count.get() ?? 0,
  }
}

function prepareRows(
  database: Database,
  facts: FactStatements,
): Pick<CatalogueStatements, 'addRows' | 'replaceRows' | 'carryRow'> {
  const { known, insert, insertNew, update } = prepareVariants(database)
  const { freeze, hasSkipped } = prepareFreeze(database)
  const skipped = prepareSkipped(database)
  const findable = prepareFindable(database)
  const putSkipped = (page: VariantRows): void => {
    const watermark = facts.fact('watermark')
    for (const { id } of page.skipped) if (id !== null && watermark !== null) freeze.run(watermark, id)
    skipped.put('variants', page.skipped, page.asOf)
  }
  const add = (row: Variant, asOf: number, body: string): number =>
    Number(insert.run(written(row, asOf, body)).lastInsertRowid)
  return {
    addRows(page) {
      const mayBeSkipped = hasSkipped.get() === 1
      const again: Variant[] = []
      const fresh: NumberedVariant[] = []
      for (const row of page.rows) {
        const { changes, lastInsertRowid } = insertNew.run(written(row, page.asOf, JSON.stringify(row)))
        if (changes === 0) again.push(row)
        else fresh.push({ number: Number(lastInsertRowid), row })
        // seen in another state a page before
        if (mayBeSkipped) skipped.forget('variants', row.id)
      }
      findable.add(fresh)
      putSkipped(page)
      return again
    },
    carryRow({ id, as_of: asOf, body }) {
      const row = readBody(variant, body)
      if (row && known.get(id) === undefined) findable.replace({ number: add(row, asOf, body), row })
    },
    replaceRows(page) {
      let added = 0
      for (const row of page.rows) {
        const before = known.get(row.id)
        const body = JSON.stringify(row)
        skipped.forget('variants', row.id)
        // a look for changes always reads some that are known
        if (before?.body === body) continue
        if (before) {
          const modifiedAt = Date.parse(row.modified_at)
          update.run({ number: before.number, modifiedAt, asOf: page.asOf, body })
        } else added++
        findable.replace({ number: before?.number ?? add(row, page.asOf, body), row })
      }
      putSkipped(page)
      return added
    },
  }
}

interface WrittenVariant {
  readonly id: string
  readonly modifiedAt: number
  readonly asOf: number
  readonly body: string
}

const insertVariant =
  'INSERT INTO variants (id, modified_at, as_of, body) VALUES (@id, @modifiedAt, @asOf, @body)'

function prepareVariants(database: Database) {
  return {
    known: database.prepare<[string], { number: number; body: string }>(
      'SELECT number, body FROM variants WHERE id = ?',
    ),
    insert: database.prepare<WrittenVariant>(insertVariant),
    insertNew: database.prepare<WrittenVariant>(`${insertVariant} ON CONFLICT DO NOTHING`),
    update: database.prepare<Omit<WrittenVariant, 'id'> & { number: number }>(
      'UPDATE variants SET modified_at = @modifiedAt, as_of = @asOf, body = @body WHERE number = @number',
    ),
  }
}

function written({ id, modified_at }: Variant, asOf: number, body: string): WrittenVariant {
  return { id, modifiedAt: Date.parse(modified_at), asOf, body }
}

function prepareFreeze(database: Database) {
  return {
    // what a row that cannot be read was like before was true for as long as all the others
    freeze: database.prepare<[number, string]>(
      `UPDATE variants SET as_of = max(as_of, ?) WHERE id = ?
         AND NOT EXISTS (SELECT 1 FROM skipped WHERE list = 'variants' AND key = variants.id)`,
    ),
    hasSkipped: database.prepare<[], number>('SELECT EXISTS (SELECT 1 FROM skipped)').pluck(),
  }
}
