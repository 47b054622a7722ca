import type { Database } from 'better-sqlite3'
import type { SkippedRow } from '#desk/ports/api.ts'
import type { CatalogueList, SkippedEntry } from '#desk/ports/catalogue-store.ts'
import type { FillState, ListRows, VariantRows } from '#desk/ports/catalogue-sync.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { shortened } from '#shared/writes/bounds.ts'
import { readBody } from '../cache.ts'
import { type NumberedVariant, prepareFindable } from './catalogue-index.ts'

/**
 * The keys of the numbers that a catalogue file stores about itself. Times are milliseconds since 1970 by the service's
 * clock.
 */
type Fact =
  | 'variants'
  // the number of unreadable rows; triggers of the table `skipped` update it (catalogue-schema.ts)
  | 'skipped'
  | 'watermark'
  | 'full_read_at'
  | 'page_rows'
  | 'methods_as_of'
  | 'types_as_of'
  // the progress of an unfinished complete read
  | 'fill_started_at'
  | 'fill_limit'
  | 'fill_page'
  | 'fill_expected'

export interface CatalogueStatements extends FactStatements {
  /**
   * Adds rows during a complete read, before the indexes exist. Does not add rows whose id is already in the file, and
   * returns these rows.
   */
  addRows(page: VariantRows): Variant[]
  /** Replaces variants with their codes and words. Returns the number of new variants. */
  replaceRows(page: VariantRows): number
  /**
   * Adds a row of another catalogue file. `as_of`: the latest time at which the service certainly had the row in this
   * state.
   */
  readonly carryRow: (record: VariantRecord) => void
  /** Replaces all rows of a list. Stores the beginning of each text (see `shortened`). */
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

/** Returns the progress of a complete read from the unfinished file; null if no read has begun. */
export function readState({ fact }: Pick<FactStatements, 'fact'>): FillState | null {
  const startedAt = fact('fill_started_at')
  const limit = fact('fill_limit')
  const page = fact('fill_page')
  const expected = fact('fill_expected')
  if (startedAt === null || limit === null || page === null || expected === null) return null
  return { startedAt, limit, page, expected }
}

export function writeState({ setFact }: Pick<FactStatements, 'setFact'>, state: FillState): void {
  setFact('fill_started_at', state.startedAt)
  setFact('fill_limit', state.limit)
  setFact('fill_page', state.page)
  setFact('fill_expected', state.expected)
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
      for (const [position, row] of rows.entries()) addToList.run(list, position, shortBody(row))
      skipped.clear(listNames[list])
      skipped.put(listNames[list], odd, asOf)
    },
    countVariants: () => count.get() ?? 0,
  }
}

/** Returns the row as JSON, in which each text except the id is shortened. */
function shortBody(row: object): string {
  const fields = Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' && name !== 'id' ? shortened(value) : value,
  ])
  return JSON.stringify(Object.fromEntries(fields))
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
        // the row is not listed as unreadable any more; an earlier page of this read may have contained it in an
        // unreadable form
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
        // an unchanged row needs no write; every read of changes returns some unchanged rows
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
  readonly modifiedAt: Instant
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
    // keeps the stored state of a variant whose newer state cannot be read. The file has all changes up to the
    // watermark, so the stored state was still valid at the watermark; `as_of` keeps this watermark. At later
    // watermarks the stored state may be outdated
    freeze: database.prepare<[number, string]>(
      `UPDATE variants SET as_of = max(as_of, ?) WHERE id = ?
         AND NOT EXISTS (SELECT 1 FROM skipped WHERE list = 'variants' AND key = variants.id)`,
    ),
    hasSkipped: database.prepare<[], number>('SELECT EXISTS (SELECT 1 FROM skipped)').pluck(),
  }
}

/**
 * The SQL statements that add and remove entries about unreadable rows (table `skipped`). The file of variants and the
 * file of lots both have this table.
 */
interface SkippedStatements {
  put(list: CatalogueList, rows: readonly SkippedRow[], seenAt: Instant): void
  /** Removes a row from the list of unreadable rows, because it can be read again. */
  forget(list: CatalogueList, id: string): void
  clear(list: CatalogueList): void
}

/**
 * Maximum number of characters that are stored of the id of an unreadable row, and of the text of its problem. The
 * service may send such texts in any length.
 */
const longest = 100

export function prepareSkipped(database: Database): SkippedStatements {
  const put = database.prepare<{
    list: string
    key: string
    id: string | null
    problem: string
    seenAt: Instant
  }>(
    `INSERT INTO skipped (list, key, id, problem, seen_at) VALUES (@list, @key, @id, @problem, @seenAt)
     ON CONFLICT DO UPDATE SET problem = excluded.problem, seen_at = excluded.seen_at`,
  )
  const forget = database.prepare<[string, string]>('DELETE FROM skipped WHERE list = ? AND key = ?')
  const clear = database.prepare<[string]>('DELETE FROM skipped WHERE list = ?')
  return {
    put(list, rows, seenAt) {
      for (const row of rows) {
        const id = row.id?.slice(0, longest) ?? null
        const problem = row.problem.slice(0, longest)
        put.run({ list, key: id ?? problem, id, problem, seenAt })
      }
    },
    forget: (list, id) => void forget.run(list, id),
    clear: (list) => void clear.run(list),
  }
}

/** Returns a function that returns the unreadable rows that were seen last, at most `limit`, the newest first. */
export function prepareNewestSkipped(database: Database): (limit: number) => SkippedEntry[] {
  const newest = database.prepare<[number], SkippedEntry>(
    'SELECT list, id, problem, seen_at AS seenAt FROM skipped ORDER BY seen_at DESC, list, key LIMIT ?',
  )
  return (limit) => newest.all(limit)
}
