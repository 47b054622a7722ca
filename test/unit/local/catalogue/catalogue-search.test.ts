import BetterSqlite, { type Statement } from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type OpenCatalogueFiles, openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { type CatalogueReader, openCatalogueReader } from '#local/catalogue/catalogue-reader.ts'
import { matchesSearch, searchParts } from '#shared/domain/article-search.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { bulkVariant } from '#support/bulk-goods.ts'
import { count, seed } from '#support/counts.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { StoreBench } from '#support/store-bench.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

const statements = Object.getPrototypeOf(new BetterSqlite(':memory:').prepare('SELECT 1')) as Statement

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

/** Creates a catalogue from a complete read and later changes. */
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
  it('returns variants with this code first, then codes that begin with the text, then names in the order of creation', () => {
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

  it('reads at most three rows of codes for each variant that it may return, however many variants have the code', () => {
    // each variant has the code twice
    fill(
      Array.from({ length: 500 }, (_, n) => goodsVariant(n, { ean: '8712345678906', sku: '8712345678906' })),
    )
    const read = vi.spyOn(statements, 'all')
    const found = numbersOf('8712345678906', 20)
    const sizes = read.mock.results.map(({ value }) => (value as unknown[]).length)
    read.mockRestore()
    expect(found).toHaveLength(20)
    expect(sizes).not.toEqual([])
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3 * 21)
  })

  it('finds a code even if the text has a word twice, or characters that belong to no word', () => {
    fill([goodsVariant(1, { sku: '8-X' })])
    for (const text of ['8', '8 8', '8 -', '* 8', '8 ↊']) expect(numbersOf(text), text).toEqual(['A-1'])
  })

  it('finds an EAN by its first digits, in every notation of the EAN', () => {
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

  it('finds the new words of a changed variant, and not its old words', () => {
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

  it('finds every variant that matches, for any text', () => {
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

  it('never throws, for any text', () => {
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
