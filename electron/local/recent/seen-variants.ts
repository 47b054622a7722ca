import type { Database, Statement } from 'better-sqlite3'
import type { FoundVariants, StoredVariant } from '#desk/ports/catalogue-store.ts'
import {
  codeMatch,
  mostLetters,
  matchesSearch,
  type SearchedArticle,
  searchParts,
  searchWords,
  wordsOfArticle,
} from '#shared/domain/article-search.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { parseBody } from '../cache.ts'
import { codesOfVariant, searchedArticle } from '../catalogue/catalogue-index.ts'
import { comparedCharacters, mostCharacters } from '../catalogue/catalogue-search.ts'
import { mostCodeRows, mostOfCode, type RankedVariant } from '../catalogue/catalogue-reader.ts'
import type { RecentDatabase } from './recent-database.ts'
import { prepareSeenVariants } from './seen-rows.ts'

interface SeenVariants {
  get(id: string): StoredVariant | null
  /** Returns the variants with a code, like `CatalogueReader.byCode`. */
  byCode(key: string): RankedVariant[]
  /** Returns the variants that match a text (see CatalogueStore). */
  search(text: string, limit: number): FoundVariants
  keep(variants: readonly Variant[], asOf: number): void
}

interface SeenRecord {
  body: string
  as_of: number
}

/**
 * Creates the store of the variants that the service sends outside the walks of the catalogue, for example in
 * shipments. They are stored in recent.db, because the catalogue does not always contain them.
 */
export function createSeenVariants(recent: RecentDatabase, scope: ScopeKey): SeenVariants {
  const part = recent.part((database) => {
    const names = readNames(database, scope)
    return {
      mayHave: (name: string) => names.mayHave(name),
      get: prepareGet(database),
      byCode: database.prepare<[string, string], SeenRecord & { kind: number }>(
        `SELECT v.body, v.as_of, c.kind
         FROM (
           SELECT scope, variant_id, min(kind) AS kind FROM (
             SELECT scope, variant_id, kind FROM seen_variant_codes
             WHERE scope = ? AND key = ? ORDER BY kind LIMIT ${mostCodeRows})
           GROUP BY variant_id ORDER BY min(kind) LIMIT ${mostOfCode}) c
         CROSS JOIN seen_variants v ON v.scope = c.scope AND v.id = c.variant_id`,
      ),
      search: prepareSearch(database, scope),
      keep: prepareKeep(database, scope, names),
    }
  })
  return {
    get: (id) =>
      part.use(
        ({ get, mayHave }) => {
          const record = mayHave(id) ? get.get(scope, id) : undefined
          return record ? toStored(record) : null
        },
        () => null,
      ),
    byCode: (key) =>
      part.use(
        ({ byCode, mayHave }) => {
          const records = mayHave(key) ? byCode.all(scope, key) : []
          return records.map((record) => ({ ...toStored(record), kind: record.kind }))
        },
        () => [],
      ),
    search: (text, limit) =>
      part.use(
        ({ search }) => search(text, limit),
        () => ({ variants: [], more: false }),
      ),
    keep: (variants, asOf) => {
      part.use(
        ({ keep }) => keep(variants, asOf),
        () => undefined,
      )
    },
  }
}

function prepareGet(database: Database): Statement<[string, string], SeenRecord> {
  return database.prepare('SELECT body, as_of FROM seen_variants WHERE scope = ? AND id = ?')
}

/**
 * Maximum number of ids and codes that are kept in memory. If there are more, none are kept, and each search by code
 * reads the file.
 */
const mostRemembered = 20_000

/** The ids and codes of all rows, kept in memory so that a scan of an unknown code needs no read. */
interface Names {
  /**
   * Whether it is possible that a row has this id or code. Always true if there are too many ids and codes to keep them
   * in memory.
   */
  mayHave(name: string): boolean
  add(name: string): void
}

function readNames(database: Database, scope: ScopeKey): Names {
  const all = database
    .prepare<[string, string, number], string>(
      `SELECT id FROM seen_variants WHERE scope = ?
       UNION ALL SELECT key FROM seen_variant_codes WHERE scope = ? LIMIT ?`,
    )
    .pluck()
    .all(scope, scope, mostRemembered + 1)
  let known: Set<string> | null = all.length > mostRemembered ? null : new Set(all)
  return {
    mayHave: (name) => known === null || known.has(name),
    add(name) {
      known?.add(name)
      // the set can become too large even if the table has few rows, because it also contains ids and codes of rows
      // that were removed
      if (known && known.size > mostRemembered) known = null
    },
  }
}

/** Maximum number of rows that one search reads. */
const mostHolding = 500

/**
 * Returns the function that searches the table. The function compares every row that contains the longest word of the
 * text, until the number of rows or characters reaches a limit (`mostHolding`, `mostCharacters`). Only the variants
 * that the function returns are parsed, because a variant may have 100 kB. The search uses no index, because the table
 * has far fewer rows than a catalogue.
 */
function prepareSearch(database: Database, scope: ScopeKey): SeenVariants['search'] {
  const holding = database.prepare<[string, string, number], SearchedArticle & { readonly id: string }>(
    `SELECT id, name, ean, sku, article_code AS articleCode FROM seen_variants
     WHERE scope = ? AND instr(words, ?) > 0 ORDER BY id LIMIT ?`,
  )
  const get = prepareGet(database)
  return (text, limit) => {
    const parts = searchParts(text)
    const words = parts.flatMap((part) => part.words).sort((a, b) => b.length - a.length)
    if (words[0] === undefined) return { variants: [], more: false }
    const found: { readonly id: string; readonly rank: number }[] = []
    let rows = 0
    let characters = 0
    for (const { id, ...article } of holding.iterate(scope, words[0], mostHolding)) {
      const rank = { whole: 0, start: 1, none: 2 }[codeMatch(article, text) ?? 'none']
      if (rank < 2 || matchesSearch(article, parts)) found.push({ id, rank })
      rows++
      characters += comparedCharacters(article)
      if (characters >= mostCharacters) break
    }
    const shown = found.sort((a, b) => a.rank - b.rank).slice(0, limit)
    return {
      variants: shown.flatMap(({ id }) => {
        const record = get.get(scope, id)
        return record ? [toStored(record)] : []
      }),
      more: found.length > limit || rows === mostHolding || characters >= mostCharacters,
    }
  }
}

/** Returns the fields that a search compares. A search compares only the beginning of a long text. */
function comparedArticle(variant: Variant): SearchedArticle {
  const { name, ean, sku, articleCode } = searchedArticle(variant)
  const short = (text: string): string => text.slice(0, mostLetters)
  return {
    name: short(name),
    ean: ean && short(ean),
    sku: sku && short(sku),
    articleCode: short(articleCode),
  }
}

/** Maximum number of characters of the words of a variant. The usual names and codes have a few hundred. */
const longestWords = 1_000

/** Returns the words of the texts that a search compares, separated by spaces. */
function wordsOf(variant: Variant): string {
  const codes = codesOfVariant(variant).flatMap(({ key }) => searchWords(key.slice(0, mostLetters)))
  const words = new Set([...codes, ...wordsOfArticle(searchedArticle(variant))])
  return [...words].join(' ').slice(0, longestWords)
}

/** Maximum number of old rows that each new response removes while a scope has too many rows (`SeenRows.cut`). */
const mostCut = 500

function prepareKeep(database: Database, scope: ScopeKey, names: Names): SeenVariants['keep'] {
  const upsert = database.prepare<
    {
      scope: ScopeKey
      id: string
      asOf: number
      body: string
      words: string
    } & SearchedArticle
  >(
    `INSERT INTO seen_variants (scope, id, as_of, words, name, ean, sku, article_code, body)
     VALUES (@scope, @id, @asOf, @words, @name, @ean, @sku, @articleCode, @body)
     ON CONFLICT DO UPDATE SET as_of = excluded.as_of, words = excluded.words, name = excluded.name,
       ean = excluded.ean, sku = excluded.sku, article_code = excluded.article_code, body = excluded.body`,
  )
  const forget = database.prepare<[string, string]>(
    'DELETE FROM seen_variant_codes WHERE scope = ? AND variant_id = ?',
  )
  const code = database.prepare<{ scope: ScopeKey; key: string; kind: number; variantId: string }>(
    `INSERT INTO seen_variant_codes (scope, key, kind, variant_id) VALUES (@scope, @key, @kind, @variantId)
     ON CONFLICT DO NOTHING`,
  )
  const seen = prepareSeenVariants(database)
  const keep = database.transaction((variants: readonly Variant[], asOf: number) => {
    for (const one of variants) {
      names.add(one.id)
      const compared = { ...comparedArticle(one), words: wordsOf(one) }
      upsert.run({ scope, id: one.id, asOf, ...compared, body: JSON.stringify(one) })
      forget.run(scope, one.id)
      for (const { key, kind } of codesOfVariant(one)) {
        names.add(key)
        code.run({ scope, key, kind, variantId: one.id })
      }
    }
    seen.cut(scope, mostCut)
  })
  return (variants, asOf) => keep.immediate(variants, asOf)
}

function toStored(record: SeenRecord): StoredVariant {
  return { variant: parseBody(variant, record.body), asOf: record.as_of }
}
