import type { Database, Statement } from 'better-sqlite3'
import {
  type CodeStretch,
  codeStretches,
  matchesSearch,
  type SearchedArticle,
  type SearchPart,
  searchParts,
} from '#shared/domain/article-search.ts'
import { codeKey } from '#shared/domain/gtin.ts'
import { indexedLetters } from './catalogue-index.ts'

interface FoundNumbers {
  readonly numbers: readonly number[]
  /** Whether more variants match than `numbers` contains. */
  readonly more: boolean
}

/**
 * If a search has several words and one of them may be the beginning of a code, at most this many articles with such a
 * code are read.
 */
const mostOfPart = 100
/** Maximum number of words of a search that are tried as the beginning of a code; the longest words are tried first. */
const mostParts = 3
/**
 * Maximum number of words in the query of the full-text index; the longest words are used. The rows that the query
 * returns are then compared with the other words of the search.
 */
const mostWords = 6
/** Maximum number of rows of the full-text index that are compared with the other words of the search. */
const mostLooked = 2_000

/** Maximum number of codes of a variant: EAN, SKU and article code. */
const codesOfEach = 3

/** The highest Unicode character: it sorts after every key with the same beginning. */
const last = '\u{10FFFF}'

/**
 * Returns the search for variants, which finds row numbers. `read`: returns the searched fields of the row with this
 * number.
 */
export function prepareSearch(
  database: Database,
  read: (number: number) => SearchedArticle | null,
): (text: string, limit: number) => FoundNumbers {
  const byKey = database
    .prepare<[string, number], number>(
      'SELECT variant FROM codes WHERE key = +? ORDER BY kind, variant LIMIT ?',
    )
    .pluck()
  const byStart = prepareStretches(database)
  const byWords = database
    .prepare<[string], number>('SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid')
    .pluck()
  const spell = prepareSpelling(database)
  return (text, limit) => {
    const parts = searchParts(text).filter(({ words }) => words.length > 0)
    const found = new Found(limit)
    if (parts.length === 0) return found.end()
    // each code of a variant is a separate row, so a number may occur as often as a variant has codes
    const mostRows = codesOfEach * (limit + 1)
    found.addAll(byKey.all(codeKey(text), mostRows))
    // the text without repeated words and punctuation may also be the beginning of a code
    const meant = parts.map((part) => part.text).join(' ')
    for (const typed of new Set([text, meant]))
      for (const stretch of codeStretches(typed)) found.addAll(byStart(stretch, mostRows))
    const matches = (number: number): boolean => {
      const row = read(number)
      return row !== null && matchesSearch(row, parts)
    }
    if (parts.length > 1 && !found.isFull()) addMixed(found, parts, byStart, matches)
    if (!found.isFull()) addByWords(found, parts, { byWords, spell, matches })
    return found.end()
  }
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

  end(): FoundNumbers {
    const numbers = [...this.#numbers]
    return { numbers: numbers.slice(0, this.#limit), more: this.isCut || this.isFull() }
  }
}

type ByStart = (stretch: CodeStretch, limit: number) => number[]

function prepareStretches(database: Database): ByStart {
  const order = 'ORDER BY key, kind, variant LIMIT ?'
  const all = database
    .prepare<[string, string, number], number>(
      `SELECT variant FROM codes WHERE key >= ? AND key < ? ${order}`,
    )
    .pluck()
  const gtins = database
    .prepare<[string, string, number], number>(
      `SELECT variant FROM codes WHERE key >= ? AND key < ?
         AND length(key) = 14 AND key NOT GLOB '*[^0-9]*' ${order}`,
    )
    .pluck()
  return ({ start, gtin }, limit) => (gtin ? gtins : all).all(start, start + last, limit)
}

/**
 * Adds variants for which one part of the text is the beginning of a code, and the other parts are words or codes:
 * "shirt KN-7".
 */
function addMixed(
  found: Found,
  parts: readonly SearchPart[],
  byStart: ByStart,
  matches: (number: number) => boolean,
): void {
  const longestFirst = parts.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, mostParts)
  for (const { stretches } of longestFirst) {
    const candidates = stretches.flatMap((stretch) => byStart(stretch, mostOfPart))
    if (candidates.length >= mostOfPart) found.isCut = true
    found.addAll([...new Set(candidates)].filter(matches))
  }
}

function lengthOf({ stretches }: SearchPart): number {
  return stretches[0]?.start.length ?? 0
}

interface WordSearch {
  readonly byWords: Statement<[string], number>
  readonly spell: (word: string) => string
  readonly matches: (number: number) => boolean
}

/**
 * A prefix is searched as a list of the words that begin with it. If there are more words than this, the prefix search
 * of the full-text index is used instead.
 */
const mostSpelled = 32

/**
 * Returns a function that writes the index query for the beginning of a word. Words contain only letters and digits, so
 * no word contains a quotation mark that would end the quoted text.
 */
function prepareSpelling(database: Database): (word: string) => string {
  const beginning = database
    .prepare<[string, string, number], string>(
      'SELECT word FROM vocabulary WHERE word >= ? AND word < ? LIMIT ?',
    )
    .pluck()
  return (word) => {
    const asBeginning = `"${word}" *`
    if (Array.from(word).length <= indexedLetters) return asBeginning
    const words = beginning.all(word, word + last, mostSpelled + 1)
    if (words.length > mostSpelled) return asBeginning
    return words.length === 0 ? `"${word}"` : `(${words.map((one) => `"${one}"`).join(' OR ')})`
  }
}

function addByWords(
  found: Found,
  parts: readonly SearchPart[],
  { byWords, spell, matches }: WordSearch,
): void {
  const words = neededWords(parts)
  const searched = words.slice(0, mostWords)
  const query = searched.map(spell).join(' AND ')
  const isExact = searched.length === words.length
  let left = mostLooked
  for (const number of byWords.iterate(query)) {
    if (found.isFull()) return
    if (!isExact && --left < 0) {
      found.isCut = true
      return
    }
    if (isExact || matches(number)) found.addAll([number])
  }
}

/**
 * Returns the words of a search, longest first. A word that is the beginning of another word of the search is left out,
 * because it would exclude no further variant.
 */
function neededWords(parts: readonly SearchPart[]): string[] {
  const words = [...new Set(parts.flatMap((part) => part.words))].sort((a, b) => b.length - a.length)
  return words.filter((word, at) => !words.slice(0, at).some((longer) => longer.startsWith(word)))
}
