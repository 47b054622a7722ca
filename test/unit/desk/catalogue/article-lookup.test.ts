import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { articleFilters, ArticleLookup, type ArticleLookupParts } from '#desk/catalogue/article-lookup.ts'
import type { Article } from '#shared/wire/article.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { count, seed } from '#support/counts.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { goodsVariant } from '#support/goods-service.ts'

describe('articleFilters()', () => {
  it('returns, for a GTIN, filters for the article code and for the EAN with and without a leading zero', () => {
    expect(articleFilters('012345678905')).toEqual([
      { ean: '012345678905' },
      { ean: '0012345678905' },
      { article_code: '012345678905' },
    ])
    expect(articleFilters('0012345678905')).toEqual([
      { ean: '0012345678905' },
      { ean: '012345678905' },
      { article_code: '0012345678905' },
    ])
    expect(articleFilters('8712345678906')).toContainEqual({ ean: '8712345678906' })
  })

  it('returns, for a code with a character other than a digit, filters for the SKU and for the article code, and for the article code in upper case if the code has small letters', () => {
    expect(articleFilters(' KN-01 ')).toEqual([{ sku: 'KN-01' }, { article_code: 'KN-01' }])
    expect(articleFilters('kn-01')).toEqual([
      { sku: 'kn-01' },
      { article_code: 'kn-01' },
      { article_code: 'KN-01' },
    ])
  })

  it('returns at most three filters, which are all different', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{6,15}$/)), (text) => {
        const filters = articleFilters(text)
        expect(filters.length).toBeLessThanOrEqual(3)
        expect(new Set(filters.map((one) => JSON.stringify(one))).size).toBe(filters.length)
      }),
      { numRuns: count(200, 5_000), seed },
    )
  })
})

describe('ArticleLookup', () => {
  it('keeps at most fifty variants of a response that contains thousands', async () => {
    const named = Array.from({ length: 9_800 }, (_, n) => goodsVariant(n, { sku: 'MANY' }))
    const kept: Variant[] = []
    const articles = new ArticleLookup({
      api: {
        listArticles: () =>
          Promise.resolve({
            kind: 'answer',
            status: 200,
            value: { rows: [{ variants: named } as unknown as Article], skipped: [] },
            serverDate: 1,
          }),
      },
      session: { isSignedIn: true, withAccess: (call: (token: string) => unknown) => call('token') },
      line: { isOffline: () => false },
      clock: fakeClock(),
      store: {
        keep: (variants: readonly Variant[]) => void kept.push(...variants),
        byCode: () => kept.map((variant) => ({ variant, asOf: 1 })),
      },
      askMs: 100,
    } as unknown as ArticleLookupParts)
    const found = await articles.ask('MANY')
    expect(found).toMatchObject({ askedService: true, found: { variant: { sku: 'MANY' } } })
    expect(kept).toHaveLength(50)
  })
})
