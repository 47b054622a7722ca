import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Listing, toPage } from '#middleware/services/paging.ts'
import { count } from '#support/counts.ts'

const listing: Listing<'name' | 'createdAt'> = {
  columns: { name: 'name', createdAt: 'created_at' },
  sort: 'name',
  direction: 'asc',
}

describe('toPage()', () => {
  it('uses the default values of the list for missing parameters', () => {
    expect(toPage({}, listing)).toEqual({
      from: null,
      to: null,
      sort: 'name',
      direction: 'asc',
      limit: 50,
      offset: 0,
    })
    expect(toPage({ sort: 'createdAt', direction: 'desc' }, listing)).toMatchObject({
      sort: 'created_at',
      direction: 'desc',
    })
  })

  it('includes the whole day or minute that ends the range', () => {
    expect(toPage({ from: '2026-03-01', to: '2026-03-01' }, listing)).toMatchObject({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-01T23:59:59.999Z',
    })
    expect(toPage({ from: '2026-03-01 09:30', to: '2026-03-01 09:30' }, listing)).toMatchObject({
      from: '2026-03-01T09:30:00.000Z',
      to: '2026-03-01T09:30:59.999Z',
    })
    expect(() => toPage({ to: '2026-03-01 24:30' }, listing)).toThrow('Invalid date')
  })

  it('divides a list into pages without a gap or an overlap', () => {
    const pages = fc.record({
      page: fc.integer({ min: 1, max: 1e6 }),
      limit: fc.integer({ min: 1, max: 1000 }),
    })
    fc.assert(
      fc.property(pages, ({ page, limit }) => {
        const here = toPage({ page, limit }, listing)
        expect(toPage({ page: page + 1, limit }, listing).offset).toBe(here.offset + here.limit)
      }),
      { numRuns: count(50, 1000), seed: 3 },
    )
    expect(toPage({ page: 0, limit: 7 }, listing)).toEqual(toPage({ page: 1, limit: 7 }, listing))
  })
})
