import type { Database } from 'better-sqlite3'
import { type SearchedArticle, textOfArticle, wordsOfArticle } from '#shared/domain/article-search.ts'
import { codeKey } from '#shared/domain/gtin.ts'
import type { Variant } from '#shared/wire/variant.ts'

/** Indexes a variant in a catalogue file: its codes (table `codes`) and its words (full-text index `words`). */

/** A variant and its row number in the file. */
export interface NumberedVariant {
  readonly number: number
  readonly row: Variant
}

interface FindableStatements {
  /** Writes new variants. A search finds them after the indexes are created and `endBulkWords` has run. */
  add(variants: readonly NumberedVariant[]): void
  /** Replaces the codes and words of a variant. The indexes must exist. */
  replace(variant: NumberedVariant): void
}

export function prepareFindable(database: Database): FindableStatements {
  const forget = database.prepare<[number]>('DELETE FROM codes WHERE variant = ?')
  const putCodes = prepareInsertMany(database, 'codes', ['key', 'kind', 'variant'])
  const words = prepareWords(database)
  return {
    add(variants) {
      putCodes(variants.flatMap(codeRows))
      words.add(variants)
    },
    replace(variant) {
      forget.run(variant.number)
      putCodes(codeRows(variant))
      words.replace(variant)
    },
  }
}

function codeRows({ number, row }: NumberedVariant): (readonly [string, number, number])[] {
  return codesOfVariant(row).map(({ key, kind }) => [key, kind, number])
}

/**
 * The number that stands for each kind of code in the table `codes`. If the same code belongs to several variants,
 * those for which its kind has the lowest number come first (see catalogue-schema.ts).
 */
const codeKinds = { ean: 0, sku: 1, article_code: 2 } as const

interface VariantCode {
  readonly key: string
  readonly kind: number
}

/** Returns every code by which a scan finds the variant. */
export function codesOfVariant(variant: Variant): VariantCode[] {
  const texts = [
    [variant.ean, codeKinds.ean],
    [variant.sku, codeKinds.sku],
    [variant.article_code, codeKinds.article_code],
  ] as const
  return texts.map(([text, kind]) => ({ key: codeKey(text ?? ''), kind })).filter(({ key }) => key !== '')
}

function prepareWords(database: Database): FindableStatements {
  const put = prepareInsertMany(database, 'words', ['rowid', 'text'])
  const replace = database.prepare<[number, string]>(
    'INSERT OR REPLACE INTO words (rowid, text) VALUES (?, ?)',
  )
  const know = database.prepare<[string]>('INSERT OR IGNORE INTO vocabulary (word) VALUES (?)')
  return {
    add(variants) {
      put(variants.map(({ number, row }) => [number, textOfArticle(searchedArticle(row))]))
    },
    replace({ number, row }) {
      const article = searchedArticle(row)
      replace.run(number, textOfArticle(article))
      for (const word of wordsOfArticle(article)) know.run(word)
    },
  }
}

/** The fields that a search compares, and their names in the record of a variant. */
const searchedFields = {
  name: 'name',
  ean: 'ean',
  sku: 'sku',
  articleCode: 'article_code',
} as const satisfies Record<keyof SearchedArticle, keyof Variant>

export function searchedArticle({ name, ean, sku, article_code: articleCode }: Variant): SearchedArticle {
  return { name, ean, sku, articleCode }
}

/** The searched fields of a stored variant, and the size of its whole record in bytes. */
export interface SearchedRow extends SearchedArticle {
  readonly bytes: number
}

/**
 * Returns a function that reads only the searched fields of a stored variant, because a search of hundreds of rows must
 * not parse each record.
 */
export function prepareSearched(database: Database): (number: number) => SearchedRow | null {
  const columns = Object.entries(searchedFields).map(([name, field]) => `body ->> '$.${field}' AS ${name}`)
  const row = database.prepare<[number], SearchedRow>(
    `SELECT ${columns.join(', ')}, octet_length(body) AS bytes FROM variants WHERE number = +?`,
  )
  return (number) => row.get(number) ?? null
}

/** Number of letters of the longest prefixes for which the full-text index has a separate index. */
export const indexedLetters = 3

/**
 * Call this function before many variants are added. Each transaction adds a segment to the full-text index; this
 * function delays the merges of segments until `endBulkWords`. It runs inside the caller's transaction, as all
 * functions of this file do.
 */
export function beginBulkWords(database: Database): void {
  setWords(database, 'automerge', 0)
  setWords(database, 'crisismerge', 1_000)
  setWords(database, 'hashsize', 16 * 1024 * 1024)
}

export function endBulkWords(database: Database): void {
  database.exec("INSERT INTO words (words) VALUES ('optimize')")
  setWords(database, 'automerge', 4)
  setWords(database, 'crisismerge', 16)
  setWords(database, 'hashsize', 1024 * 1024)
  database.exec(`
    CREATE VIRTUAL TABLE temp.index_terms USING fts5vocab(main, words, row);
    INSERT OR IGNORE INTO vocabulary (word) SELECT term FROM temp.index_terms;
    DROP TABLE temp.index_terms;
  `)
}

/**
 * Sets an option of the full-text index. The value is a part of the SQL text, because a bound number would be a REAL,
 * which the index refuses.
 */
function setWords(database: Database, option: 'automerge' | 'crisismerge' | 'hashsize', value: number): void {
  database.exec(`INSERT INTO words (words, rank) VALUES ('${option}', ${value})`)
}

type Value = string | number

/** The number of rows that one statement inserts, far below SQLite's limit for parameters. */
const rowsAtOnce = 100

/**
 * Returns a function that inserts many rows with few statements of at most `rowsAtOnce` rows each. Before each
 * statement with several rows, SQLite saves the state of the full-text index for a rollback. With one statement for the
 * codes of each article, this saving took longer than the inserts.
 */
export function prepareInsertMany(
  database: Database,
  table: string,
  columns: readonly string[],
): (rows: readonly (readonly Value[])[]) => void {
  const prepare = (count: number) => {
    const row = `(${columns.map(() => '?').join()})`
    return database.prepare<Value[]>(
      `INSERT INTO ${table} (${columns.join()}) VALUES ${Array.from({ length: count }, () => row).join()}`,
    )
  }
  const one = prepare(1)
  const many = prepare(rowsAtOnce)
  return (rows) => {
    const whole = rows.length - (rows.length % rowsAtOnce)
    for (let at = 0; at < whole; at += rowsAtOnce) many.run(...rows.slice(at, at + rowsAtOnce).flat())
    for (const row of rows.slice(whole)) one.run(...row)
  }
}
