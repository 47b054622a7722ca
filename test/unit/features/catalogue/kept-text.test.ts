import { describe, expect, it } from 'vitest'
import {
  afterStop,
  isCut,
  leftOut,
  listName,
  reachedShare,
  skippedTotal,
} from '#features/catalogue/kept-text.ts'
import type { CatalogueOverview } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { sampleCatalogue } from '#support/memory-desk/catalogue.ts'

const row = (list: string, id: string | null = null): CatalogueOverview['skippedRows'][number] => ({
  list,
  id,
  problem: 'id: missing',
  seenAt: '2026-11-21T14:07:00Z',
})

describe('the texts of the catalogue page', () => {
  it('show how many rows of each list were unreadable, or “some” if the overview contains only a part of them', () => {
    const skippedRows = [row('variants'), row('batches'), row('variants')]
    const known = { articles: { ...sampleCatalogue(0), skipped: 3 }, skippedRows }
    expect(leftOut(known, 'variants')).toBe(2)
    expect(leftOut(known, 'batches')).toBe(1)
    expect(leftOut(known, 'locationtypes')).toBe(0)
    const more = { articles: { ...sampleCatalogue(0), skipped: 300 }, skippedRows }
    expect(leftOut(more, 'variants')).toBe('some')
  })

  it('count the unreadable shipments and return labels in addition to the rows of the catalogue', () => {
    const skippedRows = [row('variants'), row('shipments', '1'), row('return-labels', '2')]
    const indexes = { shipments: { leftOut: 1 }, returnLabels: { leftOut: 1 } }
    const known = { articles: { ...sampleCatalogue(0), skipped: 1 }, skippedRows, ...indexes }
    expect([leftOut(known, 'variants'), skippedTotal(known), isCut(known)]).toEqual([1, 3, false])
    const more = { ...known, articles: { ...known.articles, skipped: 300 } }
    expect([skippedTotal(more), isCut(more)]).toEqual([302, true])
  })

  it.each(['shipments', 'returnLabels'] as const)(
    'give no number of all rows if the number of unreadable %s is unknown',
    (list) => {
      const none = { articles: sampleCatalogue(0), shipments: { leftOut: 0 }, returnLabels: { leftOut: 0 } }
      expect(skippedTotal({ ...none, [list]: { leftOut: 'some' } })).toBe('some')
    },
  )

  it.each(['shipments', 'return-labels'] as const)(
    'say that not all rows are listed if a hundred %s are listed',
    (list) => {
      const hundred = Array.from({ length: 100 }, (_, at) => row(list, String(at)))
      expect(isCut({ articles: sampleCatalogue(0), skippedRows: hundred })).toBe(true)
      expect(isCut({ articles: sampleCatalogue(0), skippedRows: hundred.slice(1) })).toBe(false)
    },
  )

  it('name the lists as operators do, for example Lots for batches', () => {
    expect(['variants', 'batches', 'shippingmethods', 'locationtypes', 'other'].map(listName)).toEqual([
      'Articles',
      'Lots',
      'Shipping methods',
      'Location types',
      'other',
    ])
  })

  it('announce an automatic retry after an interrupted connection, but not after a missing role', () => {
    expect(afterStop(failure('network.interrupted'))).toBe('It is tried again automatically.')
    expect(afterStop(failure('api.role_missing'))).toBe('An administrator can grant that.')
    expect(afterStop(failure('session.expired'))).toBe('Log in again; sending continues automatically.')
  })

  it('show which share of the requested period of shipments has been read', () => {
    const now = Date.parse('2026-11-01T00:00:00Z')
    const goesBackTo = '2026-05-01T00:00:00Z'
    expect(reachedShare({ reachesBackTo: null, goesBackTo }, now)).toBe(0)
    expect(reachedShare({ reachesBackTo: '2026-08-01T00:00:00Z', goesBackTo }, now)).toBe(0.5)
    expect(reachedShare({ reachesBackTo: '2026-02-01T00:00:00Z', goesBackTo }, now)).toBe(1)
    expect(reachedShare({ reachesBackTo: goesBackTo, goesBackTo: '2026-11-02T00:00:00Z' }, now)).toBe(1)
  })
})
