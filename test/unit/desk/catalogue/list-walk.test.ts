import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  advance,
  beginChanges,
  countRows,
  planWalk,
  queryOf,
  shortened,
  walk,
  type WalkAnswer,
  type WalkSource,
} from '#desk/catalogue/list-walk.ts'
import type { PageQuery } from '#desk/ports/api.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { count, seed } from '#support/counts.ts'

class Refused extends Error {}

interface Habits {
  /** The service refuses with 400 each request for a page of more than this number of rows. */
  readonly most?: number
  /** The connection ends during pages of more than this number of rows. */
  readonly breaksAbove?: number
  /** The maximum number of rows that the service returns in a page. */
  readonly cap?: number
  /**
   * Only for a service that returns shorter pages than requested (`cap`). True: page n begins at row (n − 1) ×
   * requested length. False: page n begins at row (n − 1) × returned length.
   */
  readonly countsAsked?: boolean
}

/** A list of the service that may change before each response. */
class List implements WalkSource<number> {
  rows: number[]
  events: (() => void)[] = []
  readonly asked: PageQuery[] = []
  readonly broken: number[] = []
  readonly #habits: Habits

  constructor(length: number, habits: Habits = {}) {
    this.rows = Array.from({ length }, (_, n) => n)
    this.#habits = habits
  }
  read(query: PageQuery): Promise<WalkAnswer<number>> {
    const { page, limit } = query
    const { most = Infinity, breaksAbove = Infinity, cap = Infinity, countsAsked = false } = this.#habits
    this.asked.push(query)
    this.events.shift()?.()
    if (limit > most)
      return Promise.resolve({ kind: 'refused', status: 400, failure: failure('api.rejected') })
    if (limit > breaksAbove)
      return Promise.resolve({ kind: 'broken', isHeavy: true, failure: failure('network.timeout') })
    const length = Math.min(limit, cap)
    const from = (page - 1) * (countsAsked ? limit : length)
    return Promise.resolve({
      kind: 'page',
      page: { rows: this.rows.slice(from, from + length), skipped: [], asOf: 7 },
    })
  }
  tooLong(limit: number): void {
    this.broken.push(limit)
  }
  fail(): never {
    throw new Refused()
  }
}

async function readAll(
  list: List,
  known: number | null = null,
): Promise<{ rows: Set<number>; from: number }> {
  const { state } = await planWalk(list, known, null)
  const rows = new Set<number>()
  await walk(list, state, {
    keep(page) {
      for (const row of page.rows) rows.add(row)
    },
    isPaused: () => false,
  })
  return { rows, from: state.page }
}

describe('a walk through a whole list', () => {
  it('returns every row that existed during the whole walk, even if other rows are removed or created', async () => {
    const event = fc.oneof(fc.constant(null), fc.constant('make' as const), fc.nat(200))
    await fc.assert(
      fc.asyncProperty(
        fc.nat(120),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        fc.array(event, { maxLength: 80 }),
        async (length, cap, countsAsked, events) => {
          const list = new List(length, { cap, countsAsked })
          let made = length
          list.events = events.map((one) => () => {
            if (one === 'make') list.rows.push(made++)
            else if (one !== null) list.rows.splice(one % Math.max(1, list.rows.length), 1)
          })
          const before = [...list.rows]
          const { rows } = await readAll(list)
          const still = new Set(list.rows)
          expect(before.filter((row) => still.has(row) && !rows.has(row))).toEqual([])
        },
      ),
      { numRuns: count(300, 20_000), seed },
    )
  })

  it('uses shorter pages when the service refuses long pages, and tries longer pages in a later walk', async () => {
    expect(await planWalk(new List(4_000, { most: 300 }), null, null)).toMatchObject({
      pageRows: 250,
      state: { limit: 250, page: 17, expected: 4_000 },
    })
    // an operator waits for the first read of a whole list, so this read does not try pages of more than 1,000 rows
    expect((await planWalk(new List(9_000), null, null)).pageRows).toBe(1_000)
    expect((await planWalk(new List(9_000), 100, 9_000)).pageRows).toBe(5_000)
    expect((await planWalk(new List(9_000, { most: 1_000 }), 100, 9_000)).pageRows).toBe(1_000)
    expect((await planWalk(new List(9_000, { breaksAbove: 500 }), 100, 9_000)).pageRows).toBe(500)
    expect((await planWalk(new List(9_000, { cap: 30 }), 30, 9_000)).pageRows).toBe(30)
    // the whole list fits in one page, so the page length of the service remains unknown
    expect(await planWalk(new List(9), null, null)).toMatchObject({ pageRows: null, state: { page: 2 } })
    await expect(planWalk(new List(9, { most: 5 }), null, null)).rejects.toThrow(Refused)
  })

  it('fails and reports the page length when the first page is too large for the service', async () => {
    const heavy = new List(900, { breaksAbove: 100 })
    await expect(planWalk(heavy, 250, null)).rejects.toThrow(Refused)
    expect([heavy.broken, heavy.asked]).toEqual([[250], [{ page: 1, limit: 250 }]])
  })

  it('ends after one call when the list is empty', async () => {
    const list = new List(0)
    expect((await readAll(list)).rows.size).toBe(0)
    expect(list.asked).toHaveLength(1)
  })

  it('misses no row when the length of its pages is reduced during the walk', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.nat(50),
        fc.integer({ min: 1, max: 500 }),
        (...facts) => {
          const [limit, pagesLeft, shorter] = facts
          const left = shortened({ startedAt: 1, limit, page: pagesLeft + 1, expected: 1 }, shorter)
          expect((left.page - 1) * left.limit).toBeGreaterThanOrEqual(pagesLeft * limit)
          expect(left.limit).toBe(Math.min(limit, shorter))
        },
      ),
      { numRuns: count(100, 10_000), seed },
    )
  })

  it('can pause between two pages, and reports the page length at which the service failed', async () => {
    const list = new List(50, { cap: 10 })
    const { state } = await planWalk(list, null, null)
    const kept: number[] = []
    const steps = {
      keep: (_: unknown, { page }: { page: number }) => void kept.push(page),
    }
    expect(await walk(list, state, { ...steps, isPaused: () => kept.length >= 1 })).toBe(false)
    expect(kept).toEqual([5, 4])
    const heavy = new List(50, { breaksAbove: 5 })
    await expect(walk(heavy, state, { ...steps, isPaused: () => false })).rejects.toThrow(Refused)
    expect(heavy.broken).toEqual([10])
  })
})

const minute = 60_000
const page = { length: 1_000, oldestChange: 100 * minute, asOf: 5 }

describe('a walk through the changes of a list', () => {
  it('starts with a short page, and then reads long pages, beginning again at the first row', () => {
    const begun = beginChanges(100 * minute, 1_000)
    expect(queryOf(begun)).toEqual({ sort: 'modifiedAt', direction: 'desc', page: 1, limit: 100 })
    const long = advance(begun, { ...page, length: 100 }, 1_000)
    expect(long).toMatchObject({ isOver: false, walk: { page: 1, limit: 1_000, startedAt: 5 } })
    const second = advance(long.walk, { ...page, asOf: 9 }, 1_000)
    expect(second).toMatchObject({ isOver: false, walk: { page: 2, limit: 1_000, startedAt: 5 } })
  })

  it('continues with the page length of the service if the service returns shorter pages than requested', () => {
    const first = advance(beginChanges(100 * minute, null), { ...page, length: 30 }, null)
    expect(first).toMatchObject({ isOver: false, walk: { page: 2, limit: 30 } })
    expect(advance(first.walk, { ...page, length: 30 }, null).isOver).toBe(false)
    expect(advance(first.walk, { ...page, length: 29 }, null).isOver).toBe(true)
    expect(advance(first.walk, { ...page, length: 0 }, null).isOver).toBe(true)
  })

  it('ends at a change that is more than ten minutes older than the newest known change', () => {
    const walk = beginChanges(100 * minute, 1_000)
    expect(advance(walk, { ...page, oldestChange: 90 * minute }, 1_000).isOver).toBe(false)
    expect(advance(walk, { ...page, oldestChange: 90 * minute - 1 }, 1_000).isOver).toBe(true)
    // if no row of a page can be read, the times of their changes are unknown, so the walk continues
    expect(advance(walk, { ...page, oldestChange: Infinity }, 1_000).isOver).toBe(false)
  })
})

describe('countRows()', () => {
  const questionsFor = async (rows: number, known: number, guess: number | null): Promise<number> => {
    let questions = 0
    const isThere = (nth: number): Promise<boolean> => {
      questions++
      return Promise.resolve(nth <= rows)
    }
    expect(await countRows(isThere, Math.min(known, rows), guess)).toBe(rows)
    return questions
  }

  it('needs fewer than fifty calls to find the exact number of rows, even if the first guess is wrong', async () => {
    const guess = fc.option(fc.nat(3_000_000))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2_000_000 }), fc.nat(2_000_000), guess, async (...facts) => {
        expect(await questionsFor(...facts)).toBeLessThan(50)
      }),
      { numRuns: count(100, 10_000), seed },
    )
  })

  it('makes two calls when the first guess is exact', async () => {
    expect(await questionsFor(123_456, 1_000, 123_456)).toBe(2)
  })
})
