import { foldText } from './text-forms.ts'
import { codeKey } from './gtin.ts'
import { normaliseCode } from './references.ts'

/** What of an article a search looks at. */
export interface SearchedArticle {
  readonly name: string
  readonly ean: string | null
  readonly sku: string | null
  readonly articleCode: string
}

/** A stretch of code keys: all that begin with `start`; `gtin` leaves out what is no GTIN's key. */
export interface CodeStretch {
  readonly start: string
  readonly gtin: boolean
}

/** The words of a text as a search compares them: no accents, lower case, letters and digits only. */
export function searchWords(text: string): string[] {
  // a million names are cut at a first read, and most have no letter that needs more than this
  if (isAscii.test(text)) return [...new Set(text.toLowerCase().match(/[a-z0-9]+/g))]
  return [...new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu)?.flatMap(folded))]
}

const isAscii = /^[\p{ASCII}]*$/u

/** Accented words come again and again; so many are remembered. */
const foldedBefore = new Map<string, readonly string[]>()
const mostRemembered = 5_000

function folded(word: string): readonly string[] {
  if (isAscii.test(word)) return [word.toLowerCase()]
  const before = foldedBefore.get(word)
  if (before) return before
  // lower case has two forms of sigma, by what follows
  const now =
    foldText(word)
      .replaceAll('ς', 'σ')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  if (foldedBefore.size >= mostRemembered) foldedBefore.clear()
  foldedBefore.set(word, now)
  return now
}

/**
 * The words under which an article is found: of its name, and the letter parts of its codes. Parts with digits are
 * found by the code's beginning only, accents and all: there are as many as articles, which no index of words bears.
 */
export function wordsOfArticle(article: SearchedArticle): string[] {
  return searchWords(textOfArticle(article))
}

/**
 * The same words as a text, with nothing but ASCII signs between them: what an index cuts and folds by itself, it need
 * not get cut and folded.
 */
export function textOfArticle({ name, sku, articleCode }: SearchedArticle): string {
  const shortName = name.slice(0, mostLetters)
  const codes = `${(sku ?? '').slice(0, mostLetters)} ${articleCode.slice(0, mostLetters)}`
  return [isAscii.test(shortName) ? shortName : foldedText(shortName), ...letterParts(codes)].join(' ')
}

function letterParts(codes: string): readonly string[] {
  if (isAscii.test(codes)) return codes.match(/(?<![a-z0-9])[a-z]+(?![a-z0-9])/gi) ?? []
  const parts = codes.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return parts.filter((part) => !/\p{N}/u.test(part)).flatMap(folded)
}

function foldedText(text: string): string {
  // what is between two words may go with either of them, so that each brings a space of its own
  return text.replaceAll(/[^\t\n\v\f\r ]+/gu, (word) => {
    if (isAscii.test(word)) return word
    const letters = word.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
    return ` ${letters.flatMap(folded).join(' ')} `
  })
}

/** Of a name or code that is longer only the beginning is searched. */
const mostLetters = 500

/** Where the keys (see codeKey) of the codes lie that begin with this text; GTINs are 14 digits there. */
export function codeStretches(text: string): CodeStretch[] {
  const code = normaliseCode(text)
  if (code === '') return []
  const paddings = /^\d{1,13}$/.test(code) ? [1, 2, 6].map((zeros) => '0'.repeat(zeros) + code) : []
  return [
    { start: code, gtin: false },
    ...paddings.filter((start) => start.length <= 14).map((start) => ({ start, gtin: true })),
  ]
}

/** The stretches of codes and the words that one part of a search, between two spaces, may stand for. */
export interface SearchPart {
  readonly text: string
  readonly words: readonly string[]
  readonly stretches: readonly CodeStretch[]
}

export function searchParts(text: string): SearchPart[] {
  const parts = text.split(/\s+/).filter((part) => part !== '')
  return [...new Set(parts)].map((part) => ({
    text: part,
    words: searchWords(part),
    stretches: codeStretches(part),
  }))
}

/** Whether every part of a search is the beginning of a word or of a code. False for a search of nothing. */
export function matchesSearch(article: SearchedArticle, parts: readonly SearchPart[]): boolean {
  const words = wordsOfArticle(article)
  const keys = keysOf(article)
  const meant = parts.filter((part) => part.words.length > 0)
  return (
    meant.length > 0 &&
    meant.every(
      (part) =>
        part.words.every((word) => words.some((one) => one.startsWith(word))) ||
        part.stretches.some((stretch) => keys.some((key) => isIn(stretch, key))),
    )
  )
}

/** Whether a code of the article is, or begins with, the text as a whole. */
export function codeMatch(article: SearchedArticle, text: string): 'whole' | 'start' | null {
  const keys = keysOf(article)
  if (keys.includes(codeKey(text))) return 'whole'
  return codeStretches(text).some((stretch) => keys.some((key) => isIn(stretch, key))) ? 'start' : null
}

function keysOf({ ean, sku, articleCode }: SearchedArticle): string[] {
  return [ean, sku, articleCode].map((code) => codeKey(code ?? '')).filter((key) => key !== '')
}

function isIn({ start, gtin }: CodeStretch, key: string): boolean {
  return key.startsWith(start) && (!gtin || /^\d{14}$/.test(key))
}
