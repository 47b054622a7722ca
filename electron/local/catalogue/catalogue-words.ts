import type { Database } from 'better-sqlite3'
import { type SearchedArticle, textOfArticle, wordsOfArticle } from '#shared/domain/article-search.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { prepareInsertMany } from './insert-many.ts'

/**
 * The words of every variant by its number, and each word once. They are put in folded (see textOfArticle), so that the
 * tokenizer only cuts at ASCII signs and a search compares exactly what was put in. Beginnings of up to three
 * letters have an index of their own; a longer one is replaced by the words that begin so, because the index would
 * gather all of their articles before it gives the first.
 */
const tables = `
  CREATE VIRTUAL TABLE words USING fts5(
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '1 2 3'
  );
  CREATE TABLE vocabulary (word TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
`

/** The longest beginning that the index gives without gathering. */
export const indexedLetters = 3

export function hasWords(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'vocabulary'").get() !== undefined
}

/** Inside the caller's transaction, like all that follows. */
export function makeWords(database: Database): void {
  database.exec(tables)
}

/** A fill in bulk leaves the index in as many pieces as it has transactions: put together once, at its end. */
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

/** Makes the words of variants that are there already. */
export function buildWords(database: Database): void {
  makeWords(database)
  database.function('words_of', { deterministic: true }, (name, sku, articleCode) =>
    textOfArticle({ name: String(name), ean: null, sku: textOrNull(sku), articleCode: String(articleCode) }),
  )
  database.exec(`
    INSERT INTO words (rowid, text)
    SELECT number, words_of(body ->> '$.name', body ->> '$.sku', body ->> '$.article_code') FROM variants`)
  endBulkWords(database)
}

/** A variant and the number that its file has for it. */
export interface NumberedVariant {
  readonly number: number
  readonly row: Variant
}

export interface WordStatements {
  /** The words of new variants; `endBulkWords` makes them findable. */
  add(variants: readonly NumberedVariant[]): void
  /** In place of what the variant's words were. */
  replace(variant: NumberedVariant): void
}

export function prepareWords(database: Database): WordStatements {
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

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
