import { describe, expect, it } from 'vitest'
import { searchArticles } from '#desk/catalogue/articles.ts'
import { expiringLots } from '#desk/catalogue/lots.ts'
import type { StoredVariant } from '#desk/ports/catalogue-store.ts'
import { goodsVariant } from '#support/goods-service.ts'

const stored = (number: number, asOf: number, expirable = true): StoredVariant => ({
  variant: goodsVariant(number, { expirable }),
  asOf,
})
const state = { variants: 2, shippingMethods: 0, locationTypes: 0, asOf: 9_000, skipped: 0 }

describe('searchArticles()', () => {
  const found = { variants: [stored(1, 5_000), stored(2, 4_000)], more: true }

  it('returns the time of a complete catalogue, or the time of the oldest result while the catalogue is incomplete', () => {
    const search = (complete: boolean) =>
      searchArticles({ state: () => ({ ...state, complete }), search: () => found }, 'a', 2)
    expect(search(true)).toMatchObject({ complete: true, more: true, asOf: '1970-01-01T00:00:09.000Z' })
    expect(search(false)).toMatchObject({ complete: false, asOf: '1970-01-01T00:00:04.000Z' })
    expect(search(true).articles.map(({ asOf }) => asOf)).toEqual([
      '1970-01-01T00:00:05.000Z',
      '1970-01-01T00:00:04.000Z',
    ])
  })

  it('returns no time when nothing was found in an incomplete catalogue', () => {
    const nothing = { variants: [], more: false }
    expect(
      searchArticles({ state: () => ({ ...state, complete: false }), search: () => nothing }, 'a', 2),
    ).toEqual({ articles: [], more: false, complete: false, asOf: null })
  })
})

describe('expiringLots()', () => {
  it('lists lots of expirable articles that expire within a number of days, counted in the local calendar', () => {
    const asked: unknown[] = []
    const lot = {
      id: 'lot',
      quantity: 2,
      expirationDate: '2026-03-29',
      inboundReference: null,
      receivedAt: null,
    }
    const catalogue = {
      variant: (id: string) => (id === 'none' ? null : stored(1, 5_000, id === 'expirable')),
      details: () => ({ fullReadAt: null, pageRows: null, lots: { count: 1, asOf: 7_000 }, skippedRows: [] }),
    }
    const list = expiringLots(
      {
        // the list must end on 29 March; in the European Union it is already 30 March 48 hours after this time, because
        // 29 March has only 23 hours there
        clock: { now: () => new Date(2026, 2, 27, 23, 0).getTime() },
        catalogue,
        lots: {
          expiring(until, _limit, accepts) {
            asked.push(until, ...['expirable', 'lasting', 'none'].map(accepts))
            return { lots: [{ variantId: 'expirable', lot, asOf: 8_000 }], more: true }
          },
        },
      },
      2,
    )
    expect(asked).toEqual(['2026-03-29', true, false, false])
    expect(list).toEqual({
      lots: [
        {
          variant: { id: goodsVariant(1).id, name: 'Article 1', articleCode: 'A-1', ean: null },
          lot,
          asOf: '1970-01-01T00:00:08.000Z',
        },
      ],
      more: true,
      asOf: '1970-01-01T00:00:07.000Z',
    })
  })
})
