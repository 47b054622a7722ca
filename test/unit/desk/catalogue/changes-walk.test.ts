import { describe, expect, it } from 'vitest'
import { advance, beginChanges, queryOf } from '#desk/catalogue/list-walk.ts'

const minute = 60_000
const page = { length: 1_000, oldestChange: 100 * minute, asOf: 5 }

describe('a walk through what changed', () => {
  it('begins at the latest with a short page, and goes on with long ones from the same place', () => {
    const begun = beginChanges(100 * minute, 1_000)
    expect(queryOf(begun)).toEqual({ sort: 'modifiedAt', direction: 'desc', page: 1, limit: 100 })
    const long = advance(begun, { ...page, length: 100 }, 1_000)
    expect(long).toMatchObject({ isOver: false, walk: { page: 1, limit: 1_000, startedAt: 5 } })
    const second = advance(long.walk, { ...page, asOf: 9 }, 1_000)
    expect(second).toMatchObject({ isOver: false, walk: { page: 2, limit: 1_000, startedAt: 5 } })
  })

  it('keeps to the page that the service gives, where that is shorter than what was asked for', () => {
    const first = advance(beginChanges(100 * minute, null), { ...page, length: 30 }, null)
    expect(first).toMatchObject({ isOver: false, walk: { page: 2, limit: 30 } })
    expect(advance(first.walk, { ...page, length: 30 }, null).isOver).toBe(false)
    expect(advance(first.walk, { ...page, length: 29 }, null).isOver).toBe(true)
    expect(advance(first.walk, { ...page, length: 0 }, null).isOver).toBe(true)
  })

  it('reads ten minutes of known changes again', () => {
    const walk = beginChanges(100 * minute, 1_000)
    expect(advance(walk, { ...page, oldestChange: 90 * minute }, 1_000).isOver).toBe(false)
    expect(advance(walk, { ...page, oldestChange: 90 * minute - 1 }, 1_000).isOver).toBe(true)
    // a page of odd rows alone proves nothing
    expect(advance(walk, { ...page, oldestChange: Infinity }, 1_000).isOver).toBe(false)
  })
})
