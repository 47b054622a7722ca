import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { refused } from '#support/modification-service.ts'

const answer: ApiOutcome<null> = { kind: 'answer', status: 200, value: null, serverDate: null }
let clock: FakeClock
let pageLimit: PageLimit
/** The length of each page that was requested. */
let limits: number[]

beforeEach(() => {
  clock = fakeClock()
  pageLimit = new PageLimit(clock)
  limits = []
})

/** Reads this page at a service that refuses pages with more than `longest` rows. */
const read =
  (longest: number, status = 400) =>
  (limit: number): Promise<ApiOutcome<null>> => {
    limits.push(limit)
    return Promise.resolve(limit > longest ? refused(status) : answer)
  }

describe('PageLimit.begin()', () => {
  it.each([400, 413, 422])(
    'shortens page 1 until the service returns it, and keeps its length (%i)',
    async (status) => {
      const readPage = pageLimit.begin()
      expect(await readPage(1, read(30, status))).toBe(answer)
      expect(await readPage(2, read(30, status))).toBe(answer)
      expect(limits).toEqual([100, 50, 25, 25])
    },
  )

  it('begins further walks with the shorter length for an hour', async () => {
    await pageLimit.begin()(1, read(50))
    clock.advance(3600_000 - 1)
    await pageLimit.begin()(1, read(50))
    clock.advance(1)
    await pageLimit.begin()(1, read(100))
    expect(limits).toEqual([100, 50, 50, 100])
  })

  it('returns a refusal of the shortest page, and begins the next walk with the usual length', async () => {
    expect(await pageLimit.begin()(1, read(0))).toMatchObject({ kind: 'refused', status: 400 })
    await pageLimit.begin()(1, read(100))
    expect(limits).toEqual([100, 50, 25, 10, 100])
  })

  it('does not shorten other walks if only a later page is refused, for example beyond the last row that is listed', async () => {
    const readPage = pageLimit.begin()
    await readPage(1, read(100))
    expect(await readPage(2, read(0))).toMatchObject({ kind: 'refused' })
    await pageLimit.begin()(1, read(100))
    expect(limits).toEqual([100, 100, 100])
    await pageLimit.begin()(1, read(50))
    expect(limits).toEqual([100, 100, 100, 100, 50])
  })

  it('shortens the next walk if only a later page is too large (413)', async () => {
    const readPage = pageLimit.begin()
    await readPage(1, read(100))
    expect(await readPage(2, read(60, 413))).toMatchObject({ kind: 'refused' })
    await pageLimit.begin()(1, read(60, 413))
    expect(limits).toEqual([100, 100, 50])
  })

  it.each([401, 403, 404, 429, 500])(
    'returns a refusal that does not concern the length of the page (%i)',
    async (status) => {
      expect(await pageLimit.begin()(1, read(0, status))).toMatchObject({ status })
      expect(limits).toEqual([100])
    },
  )
})
