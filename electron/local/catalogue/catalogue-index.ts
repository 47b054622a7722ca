import type { Database } from 'better-sqlite3'
import { type SearchedArticle, textOfArticle, wordsOfArticle } from '#shared/domain/article-search.ts'
import { codeKey } from '#shared/domain/gtin.ts'
import type { Variant } from '#shared/wire/variant.ts'

/** How a code stands for a variant; the smallest kind wins (see catalogue-schema.ts). */
const codeKinds = { ean: 0, sku: 1, article_code: 2 } as const

interface VariantCode {
  readonly key: string
  readonly kind: number
}

/** Every code under which a scan finds the variant. */
export function codesOfVariant(variant: Variant): VariantCode[] {
  const texts = [
    [variant.ean, codeKinds.ean],
    [variant.sku, codeKinds.sku],
    [variant.article_code, codeKinds.article_code],
  ] as const
  return texts.map(([text, kind]) => ({ key: codeKey(text ?? ''), kind })).filter(({ key }) => key !== '')
}

/** A variant and the number that its file has for it. */
export interface NumberedVariant {
  readonly number: number
  readonly row: Variant
}

/** The codes and words under which a variant is found. */
interface FindableStatements {
  /** Of new variants; the indexes and `endBulkWords` make them findable. */
  add(variants: readonly NumberedVariant[]): void
  /** Instead of the earlier codes and words of the variant; needs the indexes. */
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

/** The longest beginning that the index gives without gathering. */
export const indexedLetters = 3

/**
 * A fill in bulk leaves the index in as many pieces as it has transactions: they are merged once, at its end. Inside the
 * caller's transaction, like all that follows.
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

/** As text: a bound number arrives as a real one, which the index refuses. */
function setWords(database: Database, option: 'automerge' | 'crisismerge' | 'hashsize', value: number): void {
  database.exec(`INSERT INTO words (words, rank) VALUES ('${option}', ${value})`)
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

export function searchedArticle({ name, ean, sku, article_code: articleCode }: Variant): SearchedArticle {
  return { name, ean, sku, articleCode }
}

type Value = string | number

/** Rows of one statement, far below SQLite's limit of parameters. */
const rowsAtOnce = 100

/**
 * Puts rows in, by few statements. For each statement of several rows SQLite has an index of words that is being written
 * note where it stands, in case that statement is taken back: a statement for each article's three codes cost a fill more
 * than all of its rows.
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
