import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  codeMatch,
  matchesSearch,
  searchParts,
  searchWords,
  textOfArticle,
  wordsOfArticle,
} from '#shared/domain/article-search.ts'
import { count, seed } from '#support/counts.ts'

const article = {
  name: 'Crème brûlée-brander Łódź (groß), 2 stuks',
  ean: '8712345678906',
  sku: 'CRÈ-NAV-XL-4FZ',
  articleCode: 'ART-00000042',
}
const finds = (text: string): boolean => matchesSearch(article, searchParts(text))

describe('searchWords()', () => {
  it('ignores accents, case and punctuation', () => {
    expect(searchWords('  Crème "BRÛLÉE"  * (Łódź) groß ΟΔΟΣ ')).toEqual([
      'creme',
      'brulee',
      'lodz',
      'gross',
      'οδοσ',
    ])
    expect(searchWords('!@#$%^&*()-_=+[]{};:\'"\\|,.<>/?`~')).toEqual([])
  })

  it('returns, for the beginning of a text, only beginnings of words that it returns for the whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, at) => {
        const words = searchWords(text)
        const beginning = Array.from(text).slice(0, at).join('')
        for (const word of searchWords(beginning))
          expect(words.some((one) => one.startsWith(word))).toBe(true)
      }),
      { numRuns: count(1_000, 100_000), seed },
    )
  })
})

describe('an article in a search', () => {
  it.each([
    'creme',
    'BRUL',
    'brander lod',
    'gross stuks',
    'xl',
    'nav crem',
    'crè-nav-xl-4f',
    'CRÈ-NAV',
    '87123456',
    '8712345678906',
    '08712345678906',
    'art-000',
    'creme art-00000042',
    '2 stuks 871234',
    '"creme*',
  ])('is found by %s', (text) => expect(finds(text)).toBe(true))

  it.each(['', '   ', '*', 'rander', 'creme shirt', '712345', '4fz', '87123456789061', 'art-1'])(
    'is not found by “%s”',
    (text) => expect(finds(text)).toBe(false),
  )

  it('is matched by a whole code or the start of a code, and not by a word of its name', () => {
    expect(codeMatch(article, ' art-00000042')).toBe('whole')
    expect(codeMatch(article, '08712345678906')).toBe('whole')
    expect(codeMatch(article, '8712')).toBe('start')
    expect(codeMatch(article, 'creme')).toBeNull()
  })
})

describe('textOfArticle()', () => {
  it('returns a text that the index splits into the same words as searchWords()', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('a', 'É', '7', ' ', '-', '\u00a0', '–', 'ß', '٣', '\u0301', '漢') }),
    )
    fc.assert(
      fc.property(texts, texts, (name, sku) => {
        const one = { name, sku, ean: null, articleCode: 'A-1' }
        const text = textOfArticle(one)
        expect(text.match(/[^\p{ASCII}]/gu)?.filter((sign) => !/[\p{L}\p{N}]/u.test(sign)) ?? []).toEqual([])
        // the pattern splits and folds the text like SQLite's tokenizer `ascii`
        const terms = text
          .match(/[a-z0-9\P{ASCII}]+/giu)
          ?.map((term) => term.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()))
        expect(new Set(terms)).toEqual(new Set(wordsOfArticle(one)))
        for (const word of searchWords(name)) expect(wordsOfArticle(one)).toContain(word)
      }),
      { numRuns: count(2_000, 100_000), seed },
    )
  })
})
