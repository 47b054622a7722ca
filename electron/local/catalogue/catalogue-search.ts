import type { Database } from 'better-sqlite3'
import {
  type CodeStretch,
  codeStretches,
  isAscii,
  matchesSearch,
  mostLetters,
  type SearchedArticle,
  type SearchPart,
  searchParts,
} from '#shared/domain/article-search.ts'
import { codeKey } from '#shared/domain/gtin.ts'
import { indexedLetters, type SearchedRow } from './catalogue-index.ts'

/**
 * The search of articles. It runs in main at each key that the operator types, so each of its steps reads a limited
 * number of rows, whatever texts the service has. If a step reaches its limit, articles may be missing in the result.
 * The result then reports that more variants match, and the operator finds them by typing more of a word. Only one
 * step has no limit: the query for the articles that contain several typed words, each of which is in many articles
 * (`joined`).
 */

interface FoundNumbers {
  readonly numbers: readonly number[]
  /**
   * Whether more variants match than `numbers` contains. Also true if this is unknown, because a step reached its
   * limit.
   */
  readonly more: boolean
}

/**
 * If a search has several words and one may be the beginning of a code, at most this many articles are compared for
 * each range of codes with this beginning (`CodeStretch`).
 */
const mostOfPart = 100
/**
 * Maximum number of parts of a search that are tried as the beginning of a code. The parts with a digit are tried
 * first, because words of names seldom have one; longer parts are tried before shorter ones.
 */
const mostParts = 3
/** Maximum number of codes that are read from a range of codes if only the GTINs in the range are wanted. */
const mostKeys = 1_000
/** Maximum number of words that are looked up in the full-text index, the longest first. */
const mostWords = 6
/**
 * Maximum number of words in one query of the full-text index. If a search has more words, the query contains the
 * rarest of them.
 */
const mostJoined = 3
/** Maximum number of indexed words with the same beginning that a query lists in place of one typed word. */
const mostSpelled = 32
/**
 * Maximum number of articles that one search compares with the searched words. If more articles than this contain a
 * searched word, `joined` uses the query `wider` of this word.
 */
export const mostCompared = 2_000
/**
 * Maximum total size of the records that one search compares, in bytes: 8 kB for each row, several times the usual
 * size. A single record may have 120 kB.
 */
const mostComparedBytes = 16 * 1024 * 1024
/**
 * Maximum number of characters in names and codes that one search compares. A text with other letters than ASCII is
 * folded word by word, which takes up to 0.4 ms for one article. An ASCII text needs no folding, so each of its
 * characters counts as one eighth.
 */
export const mostCharacters = 50_000
/** Maximum number of codes of a variant: EAN, SKU and article code. */
const codesOfEach = 3

/** The highest Unicode character: it sorts after every key with the same beginning. */
const last = '\u{10FFFF}'

/**
 * Returns the function that searches variants and returns at most `limit` row numbers: first of the variants with
 * exactly this code, then of those with a code that begins with the text, then of the other matches. `read` returns the
 * searched fields of the row with the given number.
 */
export function prepareSearch(
  database: Database,
  read: (number: number) => SearchedRow | null,
): (text: string, limit: number) => FoundNumbers {
  const byKey = database
    .prepare<[string, number], number>(
      'SELECT variant FROM codes WHERE key = +? ORDER BY kind, variant LIMIT ?',
    )
    .pluck()
  const byStart = prepareStretches(database)
  const byWords = prepareWords(database)
  return (text, limit) => {
    const parts = searchParts(text).filter(({ words }) => words.length > 0)
    const found = new Found(limit)
    if (parts.length === 0) return found.end()
    // each code of a variant is a separate row, so the row number of a variant may occur more than once
    const mostRows = codesOfEach * (limit + 1)
    found.addAll(byKey.all(codeKey(text), mostRows))
    // the typed text is also looked up without repeated parts and without parts that have no letter or digit, because a
    // code may begin with the remaining text
    const meant = parts.map((part) => part.text).join(' ')
    for (const typed of new Set([text, meant]))
      for (const stretch of codeStretches(typed)) found.addRows(byStart(stretch, mostRows))
    const comparison = new Comparison(read, parts)
    if (parts.length > 1 && !found.isFull()) addMixed(found, parts, byStart, comparison)
    if (!found.isFull()) addByWords(found, parts, byWords, comparison)
    if (comparison.isOver) found.isCut = true
    return found.end()
  }
}

/** Row numbers, and whether rows may be missing because a limit was reached. */
interface Rows {
  readonly numbers: readonly number[]
  readonly isCut: boolean
}

class Found {
  readonly #limit: number
  readonly #numbers = new Set<number>()
  isCut = false

  constructor(limit: number) {
    this.#limit = limit
  }

  isFull(): boolean {
    return this.#numbers.size > this.#limit
  }

  addAll(numbers: Iterable<number>): void {
    for (const number of numbers) {
      if (this.isFull()) return
      this.#numbers.add(number)
    }
  }

  addRows({ numbers, isCut }: Rows): void {
    this.addAll(numbers)
    this.isCut ||= isCut
  }

  end(): FoundNumbers {
    const numbers = [...this.#numbers]
    return { numbers: numbers.slice(0, this.#limit), more: this.isCut || this.isFull() }
  }
}

/**
 * Compares rows with the parts of a search, until the number, bytes or characters of the compared rows reach a limit.
 */
class Comparison {
  readonly #read: (number: number) => SearchedRow | null
  readonly #parts: readonly SearchPart[]
  #rows = mostCompared
  #bytes = mostComparedBytes
  #characters = mostCharacters
  /** Whether a row was not compared because of a limit. */
  isOver = false

  constructor(read: (number: number) => SearchedRow | null, parts: readonly SearchPart[]) {
    this.#read = read
    this.#parts = parts
  }

  /** Whether the row matches; false if a limit was reached. */
  matches(number: number): boolean {
    this.isOver ||= Math.min(this.#rows, this.#bytes, this.#characters) <= 0
    const row = this.isOver ? null : this.#read(number)
    if (row === null) return false
    this.#rows--
    this.#bytes -= row.bytes
    this.#characters -= comparedCharacters(row)
    return matchesSearch(row, this.#parts)
  }
}

/** Returns the number of characters of an article that count in `mostCharacters`. */
export function comparedCharacters({ name, sku, articleCode }: SearchedArticle): number {
  return [name, sku ?? '', articleCode].reduce(
    (sum, text) => sum + Math.min(text.length, mostLetters) / (isAscii.test(text) ? 8 : 1),
    0,
  )
}

/** Returns the variants with a code in the range, at most `limit` rows, in the order of their codes. */
type ByStart = (stretch: CodeStretch, limit: number) => Rows

function prepareStretches(database: Database): ByStart {
  const range = 'FROM codes WHERE key >= ? AND key < ? ORDER BY key, kind, variant LIMIT ?'
  const all = database.prepare<[string, string, number], number>(`SELECT variant ${range}`).pluck()
  // the limit counts the rows before the filter for GTINs, because a service may have millions of other codes in the
  // range
  const withKind = database.prepare<[string, string, number], { variant: number; gtin: 0 | 1 }>(
    `SELECT variant, length(key) = 14 AND key NOT GLOB '*[^0-9]*' AS gtin ${range}`,
  )
  return ({ start, gtin }, limit) => {
    if (!gtin) return { numbers: all.all(start, start + last, limit), isCut: false }
    const rows = withKind.all(start, start + last, mostKeys)
    const numbers = rows.filter((row) => row.gtin === 1).map(({ variant }) => variant)
    return { numbers: numbers.slice(0, limit), isCut: rows.length === mostKeys && numbers.length < limit }
  }
}

/**
 * Adds variants for which one part of the text is the beginning of a code, and the other parts are words or codes:
 * "shirt KN-7".
 */
function addMixed(
  found: Found,
  parts: readonly SearchPart[],
  byStart: ByStart,
  comparison: Comparison,
): void {
  const likelyFirst = parts.toSorted(
    (a, b) => Number(hasDigit(b)) - Number(hasDigit(a)) || lengthOf(b) - lengthOf(a),
  )
  for (const { stretches } of likelyFirst.slice(0, mostParts)) {
    const candidates = stretches.map((stretch) => byStart(stretch, mostOfPart))
    const numbers = candidates.flatMap((rows) => rows.numbers)
    found.addRows({
      numbers: [...new Set(numbers)].filter((number) => comparison.matches(number)),
      isCut: numbers.length >= mostOfPart || candidates.some((rows) => rows.isCut),
    })
  }
  // a variant whose code begins with an untried part may match too, so the result may be incomplete
  const untried = likelyFirst.slice(mostParts)
  found.isCut ||=
    untried.length > mostParts ||
    untried.some(({ stretches }) =>
      stretches.some((stretch) => {
        const { numbers, isCut } = byStart(stretch, 1)
        return numbers.length > 0 || isCut
      }),
    )
}

function hasDigit({ text }: SearchPart): boolean {
  return /\p{N}/u.test(text)
}

function lengthOf({ stretches }: SearchPart): number {
  return stretches[0]?.start.length ?? 0
}

/** Two queries of the full-text index for the beginning of a word. FTS5 returns the rows of each query one by one. */
interface SpelledWord {
  /** Finds articles that have a word with this beginning. */
  readonly words: string
  /**
   * Whether `words` finds all articles that have a word with this beginning. False if more than `mostSpelled` different
   * words have this beginning.
   */
  readonly isWhole: boolean
  /**
   * Finds all articles that have a word with this beginning, and possibly other articles. This query always contains
   * exactly one word or one prefix.
   */
  readonly wider: string
}

interface ByWords {
  spell(word: string): SpelledWord
  iterate(query: string): Iterable<number>
  /** Counts the rows of a query, up to one more than `mostCompared`. */
  count(query: string): number
}

/**
 * Prepares the queries for words. Words contain only letters and digits, so no word contains a quotation mark that
 * would end the quoted text.
 */
function prepareWords(database: Database): ByWords {
  const ofQuery = 'SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid'
  const all = database.prepare<[string], number>(ofQuery).pluck()
  const count = database
    .prepare<[string, number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)',
    )
    .pluck()
  const beginning = database
    .prepare<[string, string, number], string>(
      'SELECT word FROM vocabulary WHERE word >= ? AND word < ? LIMIT ?',
    )
    .pluck()
  return {
    spell(word) {
      const letters = Array.from(word)
      const prefix = `"${letters.slice(0, indexedLetters).join('')}" *`
      if (letters.length <= indexedLetters) return { words: prefix, isWhole: true, wider: prefix }
      const spelled = beginning.all(word, word + last, mostSpelled + 1)
      const isWhole = spelled.length <= mostSpelled
      const [first = word, ...others] = spelled.slice(0, mostSpelled)
      if (others.length === 0) return { words: `"${first}"`, isWhole, wider: `"${first}"` }
      const words = [first, ...others].map((one) => `"${one}"`)
      return { words: `(${words.join(' OR ')})`, isWhole, wider: prefix }
    },
    iterate: (query) => all.iterate(query),
    count: (query) => count.get(query, mostCompared + 1) ?? 0,
  }
}

function addByWords(
  found: Found,
  parts: readonly SearchPart[],
  byWords: ByWords,
  comparison: Comparison,
): void {
  const needed = neededWords(parts)
  const [first, ...others] = needed.slice(0, mostWords).map((word) => byWords.spell(word))
  if (first === undefined) return
  if (others.length === 0 && first.isWhole) {
    found.addAll(byWords.iterate(first.words))
    return
  }
  const { query, isExact } =
    others.length === 0 ? { query: first.wider, isExact: false } : joined([first, ...others], byWords)
  for (const number of byWords.iterate(query)) {
    if (found.isFull() || comparison.isOver) break
    if (isExact || comparison.matches(number)) found.addAll([number])
  }
  // the comparison of rows ended at its limit, perhaps before any compared row matched. Therefore articles are added
  // that contain one of the words listed in `first.words`, which all begin with the typed word
  if (others.length === 0 && comparison.isOver) found.addAll(byWords.iterate(first.words))
}

/**
 * Returns a query for the articles that contain all of the rarest typed words (at most `mostJoined`). `isExact`:
 * whether every article that the query finds contains all typed words. For each typed word, the query contains either
 * its `words` or its `wider` (SpelledWord). It contains `wider` if more than `mostCompared` articles contain the typed
 * word, or if more than `mostSpelled` indexed words begin with it. Reason: between two results, FTS5 reads the rows of
 * each word of the query until it finds an article with all words. `wider` is one list of rows, but `words` can be 32
 * lists, each with up to millions of rows.
 */
function joined(
  words: readonly SpelledWord[],
  byWords: ByWords,
): { readonly query: string; readonly isExact: boolean } {
  const rarestFirst = words
    .map((word) => ({ word, rows: word.isWhole ? byWords.count(word.words) : mostCompared + 1 }))
    .sort((a, b) => a.rows - b.rows)
    .map(({ word, rows }) => {
      const query = rows > mostCompared ? word.wider : word.words
      return { query, isExact: word.isWhole && query === word.words }
    })
  const used = rarestFirst.slice(0, mostJoined)
  return {
    query: used.map(({ query }) => query).join(' AND '),
    isExact: used.length === words.length && used.every(({ isExact }) => isExact),
  }
}

/**
 * Returns the words of a search, longest first. A word that is the beginning of another word of the search is left out,
 * because it excludes no further variant.
 */
function neededWords(parts: readonly SearchPart[]): string[] {
  const words = [...new Set(parts.flatMap((part) => part.words))].sort((a, b) => b.length - a.length)
  return words.filter((word, at) => !words.slice(0, at).some((longer) => longer.startsWith(word)))
}
