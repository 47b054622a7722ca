import Database, { type Statement } from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type OpenCatalogueFiles, openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { type CatalogueReader, openCatalogueReader } from '#local/catalogue/catalogue-reader.ts'
import { mostCompared } from '#local/catalogue/catalogue-search.ts'
import { matchesSearch, searchParts } from '#shared/domain/article-search.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { bulkVariant } from '#support/bulk-goods.ts'
import { count, seed } from '#support/counts.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { StoreBench } from '#support/store-bench.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

let bench: StoreBench
let files: OpenCatalogueFiles
let reader: CatalogueReader
const lost: unknown[] = []

beforeEach(async () => {
  bench = await StoreBench.create()
  lost.length = 0
})
afterEach(async () => {
  reader.close()
  files.close()
  await bench.dispose()
  expect(lost).toEqual([])
})

/** Creates a catalogue. `bulk`: the variants of a complete read. `changed`: the variants that changed after it. */
function fill(bulk: readonly Variant[], changed: readonly Variant[] = []): void {
  const paths = cataloguePaths(bench.dataDir, scopeKeyOf('scope'))
  const first = openCatalogueFiles(paths, false)
  first.next.begin()
  first.next.add(
    { rows: bulk, skipped: [], asOf: 50 },
    { startedAt: 5, limit: 1_000, page: 1, expected: bulk.length },
  )
  first.next.index()
  first.next.publish(60, 40)
  first.close()
  reader = openCatalogueReader(paths.goods, (error) => lost.push(error))
  files = openCatalogueFiles(paths, false)
  files.change({ rows: changed, skipped: [], asOf: 70 })
}

const numbersOf = (text: string, limit = 50): string[] =>
  reader.search(text, limit).variants.map(({ variant }) => variant.article_code)

const articleOf = ({ name, ean, sku, article_code: articleCode }: Variant) => ({
  name,
  ean,
  sku,
  articleCode,
})

describe('the search in the catalogue', () => {
  it('returns exact codes first, then codes that begin with the text, then names that contain it', () => {
    fill([
      goodsVariant(1, { name: 'Mug KN-7 print' }),
      goodsVariant(2, { name: 'Lamp', sku: 'KN-71' }),
      goodsVariant(3, { name: 'Shelf', sku: 'KN-7' }),
      goodsVariant(4, { name: 'Kn 7 candle' }),
    ])
    expect(numbersOf('kn-7')).toEqual(['A-3', 'A-2', 'A-1', 'A-4'])
    expect(numbersOf('7 kn')).toEqual(['A-1', 'A-4'])
    expect(numbersOf('lamp kn-7')).toEqual(['A-2'])
    expect(reader.search('a-', 3)).toMatchObject({ more: true })
    expect(reader.search('a-', 4)).toMatchObject({ more: false })
  })

  it('finds a code even if the text contains it twice, or also contains punctuation', () => {
    fill([goodsVariant(1, { sku: '8-X' })])
    for (const text of ['8', '8 8', '8 -', '* 8', '8 ↊']) expect(numbersOf(text), text).toEqual(['A-1'])
  })

  it('finds a variant by three words and the beginning of its code if this beginning has a digit, and otherwise only reports that more variants may match', () => {
    fill([
      goodsVariant(1, { name: 'Red cotton shirt', sku: 'K7-0001' }),
      goodsVariant(2, { name: 'Red cotton shirt', sku: 'KN7' }),
    ])
    expect(numbersOf('cotton shirt red K7')).toEqual(['A-1'])
    expect(reader.search('cotton shirt red kn', 50)).toMatchObject({ variants: [], more: true })
    expect(reader.search('cotton shirt red kz', 50)).toMatchObject({ variants: [], more: false })
  })

  it('finds an EAN by its first digits, with or without leading zeros', () => {
    fill([
      goodsVariant(1, { ean: '8712345678906' }),
      goodsVariant(2, { ean: '036000291452' }),
      goodsVariant(3, { ean: '96385074' }),
      goodsVariant(4, { sku: '0871X' }),
    ])
    for (const text of ['871', '0871234', '8712345678906']) expect(numbersOf(text)).toContain('A-1')
    expect(numbersOf('871')).toEqual(['A-1'])
    for (const text of ['0360', '03600029', '00360002']) expect(numbersOf(text)).toEqual(['A-2'])
    expect(numbersOf('9638')).toEqual(['A-3'])
  })

  it('finds a changed variant by its new words, and not by its old words', () => {
    fill(
      [goodsVariant(1, { name: 'Red jacket', sku: 'OLD-CODE' })],
      [goodsVariant(1, { name: 'Blue jacket', sku: 'NEW-CODE' }), goodsVariant(2, { name: 'Blue mug' })],
    )
    expect(numbersOf('red')).toEqual([])
    expect(numbersOf('old')).toEqual([])
    expect(numbersOf('blue')).toEqual(['A-1', 'A-2'])
    expect(numbersOf('new-c')).toEqual(['A-1'])
    expect(reader.state().variants).toBe(2)
  })

  it('finds every variant that matches the text, for any text', () => {
    const all = Array.from({ length: 400 }, (_, n) => bulkVariant(n))
    const changed = all.slice(0, 60).map((row, n) => ({ ...bulkVariant(n + 1_000), id: row.id }))
    fill(all, changed)
    const now = [...changed, ...all.slice(60)]
    const word = fc.oneof(
      fc
        .tuple(fc.constantFrom(...now), fc.nat(9), fc.integer({ min: 1, max: 9 }))
        .map(([row, which, length]) => {
          const words = [...row.name.split(' '), row.ean ?? '', row.sku ?? '', row.article_code]
          return words[which % words.length]?.slice(0, length) ?? ''
        }),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const text = words.join(' ')
        const found = reader.search(text, 1_000)
        const parts = searchParts(text)
        const expected = now.filter((row) => matchesSearch(articleOf(row), parts)).map((row) => row.id)
        const ids = found.variants.map(({ variant }) => variant.id)
        expect(ids.length).toBe(new Set(ids).size)
        // a search also finds codes that begin with the whole text, so it may find more than the expected variants
        if (!found.more) expect(expected.filter((id) => !ids.includes(id))).toEqual([])
      }),
      { numRuns: count(300, 5_000), seed },
    )
  })

  it('throws no error, for any text', () => {
    fill([goodsVariant(1, { name: 'Ærø "quoted" * (near) AND OR NOT' })])
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({
        unit: fc.constantFrom('"', '*', '(', ')', '-', ':', '^', '+', "'", '\0', 'a', ' ', 'AND '),
      }),
      fc.constantFrom(
        'NEAR(a b)',
        '"',
        '""',
        'a*b',
        '{a}',
        'text: a',
        '^a',
        'AND',
        '-a',
        '\ud800',
        'a'.repeat(200),
      ),
    )
    fc.assert(
      fc.property(text, (typed) => {
        expect(reader.search(typed, 20).variants.length).toBeLessThanOrEqual(1)
      }),
      { numRuns: count(2_000, 50_000), seed },
    )
    expect(numbersOf('"quoted" and')).toEqual(['A-1'])
    expect(numbersOf('aero')).toEqual(['A-1'])
  })
})

interface Work {
  /** The article codes that the search found. */
  readonly found: readonly string[]
  readonly more: boolean
  /** The queries that the search sent to the full-text index. */
  readonly queries: readonly string[]
  /** The number of rows that SQLite returned from the table of codes. */
  readonly codes: number
  /** The number of articles that were read to compare them with the text. */
  readonly compared: number
}

type Read<Result> = (this: Statement, ...args: unknown[]) => Result
interface Reads {
  readonly iterate: Read<Iterable<unknown>>
  readonly all: Read<unknown[]>
  readonly get: Read<unknown>
}

/** Searches for the text. Returns the result, and how much data the search has read. */
function workOf(text: string, limit = 20): Work {
  const database = new Database(':memory:')
  const statements = Object.getPrototypeOf(database.prepare('SELECT 1')) as Reads
  database.close()
  const { iterate, all, get } = statements
  const queries: string[] = []
  let codes = 0
  let compared = 0
  const sent = (statement: Statement, [query]: unknown[]): void => {
    if (statement.source.includes('MATCH')) queries.push(String(query))
  }
  const spies = [
    vi.spyOn(statements, 'iterate').mockImplementation(function (this: Statement, ...args: unknown[]) {
      sent(this, args)
      return iterate.apply(this, args)
    }),
    vi.spyOn(statements, 'all').mockImplementation(function (this: Statement, ...args: unknown[]) {
      sent(this, args)
      const rows = all.apply(this, args)
      if (this.source.includes('FROM codes')) codes += rows.length
      return rows
    }),
    vi.spyOn(statements, 'get').mockImplementation(function (this: Statement, ...args: unknown[]) {
      if (this.source.includes('->>')) compared++
      return get.apply(this, args)
    }),
  ]
  try {
    const { variants, more } = reader.search(text, limit)
    return { found: variants.map(({ variant }) => variant.article_code), more, queries, codes, compared }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Returns articles with these names. */
const named = (count: number, nameOf: (n: number) => string, from = 0): Variant[] =>
  Array.from({ length: count }, (_, n) => goodsVariant(from + n, { name: nameOf(n) }))

describe('a search in a catalogue that a hostile service filled', () => {
  it('asks the full-text index for prefixes of at most three letters', () => {
    fill([...named(5, () => 'abce'), ...named(40, (n) => `abcd${n}`, 5)])
    const { found, more, queries } = workOf('abcd')
    expect(found).toEqual(Array.from({ length: 20 }, (_, n) => `A-${n + 5}`))
    expect(more).toBe(true)
    expect(queries).toEqual(['"abc" *'])
    expect(workOf('abcd3')).toMatchObject({
      found: ['A-8', ...Array.from({ length: 10 }, (_, n) => `A-${n + 35}`)],
      more: false,
    })
  })

  it('compares at most 2,000 articles if many words begin with the same three letters', () => {
    const others = mostCompared + 500
    fill([...named(others, () => 'abce'), ...named(40, (n) => `abcd${n + 10}`, others)])
    const { found, more, compared } = workOf('abcd')
    expect(compared).toBe(mostCompared)
    expect(found).toEqual(Array.from({ length: 20 }, (_, n) => `A-${others + n}`))
    expect(more).toBe(true)
    expect(workOf('abcd1')).toMatchObject({ found: found.slice(0, 10), more: false, compared: 0 })
  })

  it('queries a typed word as one whole word or as one prefix, not as a list of all words that begin with it', () => {
    const common = mostCompared + 1
    fill(named(2 * common, (n) => `${n % 2 === 0 ? 'even' : 'uneven'} abcd1 abcd2 abcd3`))
    const { found, more, queries } = workOf('abcd even uneven')
    expect([found, more]).toEqual([[], false])
    expect(queries.filter((query) => query.includes('AND'))).toEqual(['"uneven" AND "abc" * AND "even"'])
    expect(workOf('abcd uneven', 5)).toMatchObject({
      found: ['A-1', 'A-3', 'A-5', 'A-7', 'A-9'],
      more: true,
    })
  })

  it('queries the three rarest words of the text, and compares articles with the text only if it has more than three words', () => {
    const common = mostCompared + 100
    const rare = (n: number): string => (n % 1_000 === 0 ? `zebra${n} tiger` : 'abce abcf')
    fill(named(common, (n) => `shirt blue ${rare(n)}`))
    const exact = workOf('shirt zebr')
    expect(exact).toMatchObject({ found: ['A-0', 'A-1000', 'A-2000'], compared: 0 })
    expect(exact.queries.at(-1)).toBe('("zebra0" OR "zebra1000" OR "zebra2000") AND "shirt"')
    const four = workOf('shirt blue tiger zebr')
    expect(four).toMatchObject({ found: exact.found, compared: 3 })
    expect(four.queries.at(-1)).toBe('"tiger" AND ("zebra0" OR "zebra1000" OR "zebra2000") AND "shirt"')
    expect(workOf('shirt zebr abce').found).toEqual([])
  })

  it.each([
    ['records of 120 kB', { description: '\u0001'.repeat(20_000) }, 150],
    ['long texts with accents', { name: 'abce é'.padEnd(500, ' é') }, 110],
    ['long ASCII texts', { name: 'abce e'.padEnd(500, ' e') }, 810],
  ])('compares fewer articles than usual if the articles have %s', (_, rest, most) => {
    const others = Array.from({ length: most + 100 }, (_, n) => goodsVariant(n, { name: 'abce', ...rest }))
    fill([...others, ...named(40, (n) => `abcd${n}`, others.length)])
    const { found, more, compared } = workOf('abcd')
    expect(compared).toBeLessThanOrEqual(most)
    expect(found).toHaveLength(20)
    expect(more).toBe(true)
  })

  it('reads at most 3,000 codes to find the EANs that begin with the typed digits', () => {
    const coded = (n: number): Variant => goodsVariant(n, { sku: `01234X${n}`, article_code: `01234Y${n}` })
    fill([
      ...Array.from({ length: 1_500 }, (_, n) => coded(n)),
      goodsVariant(9_000, { ean: '1234567890128' }),
    ])
    for (const text of ['1', '12', '123', '1234']) {
      const { more, codes } = workOf(text)
      expect([text, codes <= 3_000, more]).toEqual([text, true, true])
    }
    expect(workOf('12345')).toMatchObject({ found: ['A-9000'], more: false })
  })

  it('reads at most 24 of the 500 articles that have the same code if it has to return three of them', () => {
    fill(Array.from({ length: 500 }, (_, n) => goodsVariant(n, { sku: 'SAME' })))
    const { found, more, codes } = workOf('same', 3)
    expect([found, more]).toEqual([['A-0', 'A-1', 'A-2'], true])
    expect(codes).toBeLessThanOrEqual(24)
  })
})
