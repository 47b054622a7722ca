import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  advance,
  beginAll,
  beginChanges,
  countByProbing,
  queryOf,
  withShorterPages,
} from '#desk/catalogue-pass.ts'
import { count, seed } from '#support/counts.ts'

const page = { length: 1_000, oldestChange: 0, asOf: 5 }

describe('a walk through all variants', () => {
  it('goes from the oldest made, and from the latest changed', () => {
    expect(queryOf(beginAll())).toEqual({ sort: 'createdAt', direction: 'asc', page: 1, limit: 1_000 })
    expect(queryOf(beginChanges(0))).toMatchObject({ sort: 'modifiedAt', direction: 'desc' })
  })

  it('tries shorter pages at its beginning only, until there are none', () => {
    const limits: number[] = []
    for (let pass: ReturnType<typeof withShorterPages> = beginAll(); pass; pass = withShorterPages(pass))
      limits.push(pass.limit)
    expect(limits).toEqual([1_000, 500, 250, 100, 50])
    expect(withShorterPages({ ...beginAll(), page: 2 })).toBeNull()
  })

  it('remembers when it began', () => {
    const first = advance(beginAll(), page)
    expect(first).toMatchObject({ isOver: false, pass: { page: 2, startedAt: 5, pageLength: 1_000 } })
    expect(advance(first.pass, { ...page, asOf: 9 }).pass.startedAt).toBe(5)
  })

  it('reads ten minutes of known changes again', () => {
    const minute = 60_000
    const pass = beginChanges(100 * minute)
    expect(advance(pass, { ...page, oldestChange: 90 * minute }).isOver).toBe(false)
    expect(advance(pass, { ...page, oldestChange: 90 * minute - 1 }).isOver).toBe(true)
    // a page of odd rows alone proves nothing
    expect(advance(pass, { ...page, oldestChange: Infinity }).isOver).toBe(false)
  })
})

describe('counting by probing', () => {
  it('finds the exact number in few questions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2_000_000 }), fc.nat(2_000_000), async (rows, known) => {
        let questions = 0
        const isThere = (nth: number): Promise<boolean> => {
          questions++
          return Promise.resolve(nth <= rows)
        }
        expect(await countByProbing(isThere, Math.min(known, rows))).toBe(rows)
        expect(questions).toBeLessThan(50)
      }),
      { numRuns: count(100, 10_000), seed },
    )
  })

  it('gives up when an answer fails to come', async () => {
    let left = 5
    expect(await countByProbing(() => Promise.resolve(left-- > 0 ? true : null), 1)).toBeNull()
  })
})
