import { foldText } from './text-forms.ts'
import { codeKey } from './gtin.ts'
import { normaliseCode } from './references.ts'

/** The fields of an article that a search compares. */
export interface SearchedArticle {
  readonly name: string
  readonly ean: string | null
  readonly sku: string | null
  readonly articleCode: string
}

/**
 * A range of codes, in the form of `codeKey`: all codes that begin with `start`, and if `gtin` is true, only GTINs
 * among them.
 */
export interface CodeStretch {
  readonly start: string
  readonly gtin: boolean
}

/** Splits a text into the words that a search compares: no accents, lower case, letters and digits only. */
export function searchWords(text: string): string[] {
  // ASCII text needs no folding, so it takes this faster way: most of the million names that the first synchronisation
  // splits are ASCII
  if (isAscii.test(text)) return [...new Set(text.toLowerCase().match(/[a-z0-9]+/g))]
  return [...new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu)?.flatMap(folded))]
}

/** Whether all characters of a text are ASCII, so that it need not be folded. */
export const isAscii = /^[\p{ASCII}]*$/u

/** Cache of words with accents and their folded forms, because the same words occur in many names. */
const foldedBefore = new Map<string, readonly string[]>()
const mostRemembered = 5_000

function folded(word: string): readonly string[] {
  if (isAscii.test(word)) return [word.toLowerCase()]
  const before = foldedBefore.get(word)
  if (before) return before
  // both lower-case forms of sigma become one form, because an operator may type either of them
  const now =
    foldText(word)
      .replaceAll('ς', 'σ')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  if (foldedBefore.size >= mostRemembered) foldedBefore.clear()
  foldedBefore.set(word, now)
  return now
}

/**
 * Returns the words under which an article is found: the words of its name and the letter parts of its codes. Code
 * parts with digits are not included: they differ in nearly every article, so an index of them would be too large.
 * Instead, a search compares the typed text with the beginning of each code; accents in a code must be typed.
 */
export function wordsOfArticle(article: SearchedArticle): string[] {
  return searchWords(textOfArticle(article))
}

/**
 * Returns the words of an article (see wordsOfArticle) as one text in which all separators are ASCII. Only words with
 * other letters than ASCII are folded here. The index splits the text at the separators and converts ASCII letters to
 * lower case itself.
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
  // a sign between two words may belong to the word before it or after it, so a space is added before and after each
  // word
  return text.replaceAll(/[^\t\n\v\f\r ]+/gu, (word) => {
    if (isAscii.test(word)) return word
    const letters = word.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
    return ` ${letters.flatMap(folded).join(' ')} `
  })
}

/** Maximum number of characters of a name or code that are searched. */
export const mostLetters = 500

/** Returns the ranges of keys (see codeKey) of the codes that begin with this text. Keys of GTINs have 14 digits. */
export function codeStretches(text: string): CodeStretch[] {
  const code = normaliseCode(text)
  if (code === '') return []
  const paddings = /^\d{1,13}$/.test(code) ? [1, 2, 6].map((zeros) => '0'.repeat(zeros) + code) : []
  return [
    { start: code, gtin: false },
    ...paddings.filter((start) => start.length <= 14).map((start) => ({ start, gtin: true })),
  ]
}

/** One part of a search (the text between two spaces), and the words and ranges of codes that it may match. */
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

/**
 * Whether every part of a search that has letters or digits is the beginning of a word or of a code. False for a search
 * in which no part has letters or digits.
 */
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

/**
 * Returns `whole` if the text is a code of the article, `start` if it is only the beginning of such a code,
 * otherwise null.
 */
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
