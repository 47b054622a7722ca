import type { Database } from 'better-sqlite3'
import { type SearchedArticle, textOfArticle, wordsOfArticle } from '#shared/domain/article-search.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { prepareInsertMany } from './insert-many.ts'

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
