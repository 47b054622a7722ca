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

  it('returns null as the time of the data when nothing was found in an incomplete catalogue', () => {
    const nothing = { variants: [], more: false }
    expect(
      searchArticles({ state: () => ({ ...state, complete: false }), search: () => nothing }, 'a', 2),
    ).toEqual({ articles: [], more: false, complete: false, asOf: null })
  })
})

const lotOf = (id: string, expirationDate = '2026-03-29') => ({
  id,
  quantity: 2,
  expirationDate,
  inboundReference: null,
  receivedAt: null,
})

/**
 * A clock at 23:00 local time on 27 March 2026. `ms`: its ticks, which the test sets. `pauses`: number of pauses of
 * long work, which are calls of `after`.
 */
const handClock = () => {
  const clock = {
    ms: 0,
    pauses: 0,
    now: () => new Date(2026, 2, 27, 23, 0).getTime(),
    ticks: () => clock.ms,
    after(_ms: number, run: () => void) {
      clock.pauses++
      queueMicrotask(run)
      return () => undefined
    },
  }
  return clock
}

const details = () => ({
  fullReadAt: null,
  pageRows: null,
  lots: { count: 1, asOf: 7_000 },
  skippedRows: [],
})

describe('expiringLots()', () => {
  it('lists lots of expirable articles that expire within a number of days, counted in the local calendar', async () => {
    const asked: string[] = []
    const lots = ['none', 'lasting', 'expirable'].map((variantId) => ({
      variantId,
      lot: lotOf('lot'),
      asOf: 8_000,
    }))
    const variant = (id: string) => (id === 'none' ? null : stored(1, 5_000, id === 'expirable'))
    const expiring = (until: string) => {
      asked.push(until)
      return { lots, isCut: true }
    }
    // this clock shows 27 March, 23:00, so a list of two calendar days must end on 29 March; in the European Union, 48
    // hours later is already 30 March, because the clocks change and 29 March has only 23 hours
    const parts = { clock: handClock(), catalogue: { variant, details }, lots: { expiring } }
    expect(await expiringLots(parts, 2)).toEqual({
      lots: [
        {
          variant: { id: 'expirable', name: 'Article 1', articleCode: 'A-1', ean: null },
          lot: lotOf('lot'),
          asOf: '1970-01-01T00:00:08.000Z',
        },
      ],
      more: true,
      asOf: '1970-01-01T00:00:07.000Z',
    })
    expect(asked).toEqual(['2026-03-29'])
  })

  it('reads each article only once, and lets other work run every 10 ms, even if no article is expirable', async () => {
    const clock = handClock()
    const reads: string[] = []
    const variant = (id: string) => {
      reads.push(id)
      clock.ms++
      return stored(1, 5_000, false)
    }
    const ids = Array.from({ length: 5_000 }, (_, n) => `v${n % 1_000}`)
    const lots = ids.map((variantId, n) => ({ variantId, lot: lotOf(`l${n}`), asOf: 8_000 }))
    const expiring = () => ({ lots, isCut: false })
    expect(
      await expiringLots({ clock, catalogue: { variant, details }, lots: { expiring } }, 2),
    ).toMatchObject({ lots: [], more: false })
    expect(reads).toHaveLength(1_000)
    expect(clock.pauses).toBe(100)
  })

  it('returns at most 500 lots, and stops reading articles when it has found one lot more', async () => {
    const reads = new Set<string>()
    const variant = (id: string) => {
      reads.add(id)
      return stored(1, 5_000)
    }
    const all = Array.from({ length: 5_000 }, (_, n) => n)
    const lots = all.map((n) => ({ variantId: `v${n}`, lot: lotOf(`l${n}`), asOf: 8_000 }))
    const expiring = () => ({ lots, isCut: false })
    const parts = { clock: handClock(), catalogue: { variant, details }, lots: { expiring } }
    const list = await expiringLots(parts, 2)
    expect([list.lots.length, list.more, reads.size]).toEqual([500, true, 501])
  })
})
