import { describe, expect, it } from 'vitest'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { walkerBench } from '#support/walker-bench.ts'

const minuteMs = 60_000
const hourMs = 3600_000
const dayMs = 24 * hourMs

/** The rows of one page: none of them is left out, because too many consecutive ones fail on their own. */
const pageOf = (first: number): number[] => Array.from({ length: 10 }, (_, index) => first + index)

const refused = (status: number, why: Failure): ApiOutcome<never> => ({
  kind: 'refused',
  status,
  failure: why,
  serverDate: null,
})
const foreign: ApiOutcome<never> = { kind: 'not_sent', failure: failure('network.not_the_service') }
const tooMany = refused(429, failure('api.too_many_requests'))

/** A row arrives each minute, and the walker runs for 20 ms in each minute. Returns the ids of these rows. */
async function pass(
  { clock, arrive, run }: ReturnType<typeof walkerBench>,
  minutes: number,
): Promise<number[]> {
  const ids = Array.from({ length: minutes }, (_, index) => clock.now() * 1_000 + index)
  for (const id of ids) {
    arrive(id)
    clock.advance(minuteMs)
    await run(20)
  }
  return ids
}

describe('IndexWalker at a service where one page always fails', () => {
  it.each([false, true])(
    'reads the newest rows each minute and for a request, if the failing page has only older rows (the page times out: %s)',
    async (timesOut) => {
      const bench = walkerBench(400, 1)
      const { walker, service, queries, kept, run, arrive } = bench
      Object.assign(service, { broken: pageOf(300), timesOut })
      walker.kick()
      await run(200)
      const ofOlder = (): number => queries.filter(({ to }) => to !== undefined).length
      const before = ofOlder()
      const ids = await pass(bench, 60)
      expect(ids.filter((id) => !kept.has(id))).toEqual([])
      expect(ofOlder() - before).toBeLessThan(60)
      expect(walker.view()).toMatchObject({ isWhole: false, gapSince: null, syncing: false })
      expect(walker.view().failure?.code).toBe(timesOut ? 'network.timeout' : 'api.unavailable')

      arrive(900)
      const asked = walker.refresh().then(() => kept.has(900))
      await run(5)
      expect(await asked).toBe(true)

      service.broken = []
      walker.retryNow()
      await run(200)
      expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
      expect(kept.size).toBe(461)
    },
  )

  it('reads page 1 in its usual length for a request, although the failed page was shortened', async () => {
    const bench = walkerBench(400, 0.02)
    const { walker, service, queries, run, clock } = bench
    walker.kick()
    await run(200)
    service.broken = pageOf(15)
    await pass(bench, 3)
    const limits = new Set<number>()
    for (let minute = 0; minute < 20; minute++) {
      clock.advance(3_000)
      const before = queries.length
      const asked = walker.refresh()
      await run(5)
      await asked
      for (const { page, limit, to } of queries.slice(before))
        if (page === 1 && to === undefined) limits.add(limit)
    }
    expect(limits).toEqual(new Set([10]))
  })

  it('reads the newest rows for a request that begins before the page fails', async () => {
    const { walker, service, kept, run, arrive } = walkerBench(400, 1)
    service.broken = [300]
    walker.kick()
    await run(32)
    arrive(900)
    const asked = walker.refresh().then(() => kept.has(900))
    await run(10)
    expect(await asked).toBe(true)
  })

  it('reads the newest rows if the failing page contains known rows that are read again after a start', async () => {
    const bench = walkerBench(400, 1)
    const { start, store, walker, service, kept, run } = bench
    const known = { newest: start - 5 * hourMs, oldest: start - 100 * dayMs, complete: true, syncedAt: start }
    await store.put([], start, () => known)
    service.broken = [30]
    walker.kick()
    await run(20)
    expect([kept.has(0), kept.has(5)]).toEqual([true, true])
    const ids = await pass(bench, 60)
    expect(ids.filter((id) => !kept.has(id))).toEqual([])
    expect(walker.view()).toMatchObject({ isWhole: true, gapSince: null, failure: null })
    expect(walker.view().state?.oldest).toBeLessThan(start - 99 * dayMs)
  })

  it('continues with the older rows even if each walk through the newest rows needs the failing page', async () => {
    // a walk through the newest rows reads back 15 minutes, which are two pages
    const bench = walkerBench(4_000, 0.02)
    const { walker, service, kept, run } = bench
    walker.kick()
    await run(40)
    service.broken = [15]
    const ids = await pass(bench, 60)
    expect(ids.filter((id) => !kept.has(id))).toEqual([])
    expect(kept.size).toBeGreaterThan(600)
  })

  it('reads the newest rows if the failing page contains rows that were created while the desk was switched off', async () => {
    const bench = walkerBench(400, 1)
    const { start, store, walker, service, kept, run } = bench
    const known = { newest: start - 10 * dayMs, oldest: start - 100 * dayMs, complete: true, syncedAt: start }
    await store.put([], start, () => known)
    service.broken = pageOf(100)
    walker.kick()
    await run(20)
    const ids = await pass(bench, 60)
    expect(ids.filter((id) => !kept.has(id))).toEqual([])
    // the index covers the rows that are newer than the failing page, and no older rows
    expect(walker.view()).toMatchObject({
      isWhole: false,
      gapSince: null,
      failure: { code: 'api.unavailable' },
    })
    expect(walker.view().state?.oldest).toBeGreaterThan(start - 100 * hourMs)

    service.broken = []
    walker.retryNow()
    await run(400)
    expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
    expect(Array.from({ length: 400 }, (_, id) => id).filter((id) => !kept.has(id))).toEqual([])
  })
})

describe('IndexWalker at a service where the pages from page 3 on fail', () => {
  it.each([
    { why: 'another program answers', outcome: foreign },
    { why: 'their token is refused', outcome: refused(401, failure('session.expired')) },
    { why: 'of too many calls', outcome: tooMany },
    { why: 'they are refused', outcome: refused(403, failure('api.role_missing')) },
  ])('reads the newest rows each minute and for a request, if $why', async ({ outcome }) => {
    const bench = walkerBench(400, 1)
    const { walker, service, queries, kept, run, arrive } = bench
    service.failing = ({ page }) => (page >= 3 ? outcome : null)
    walker.kick()
    await run(50)
    const ids = await pass(bench, 60)
    expect(ids.filter((id) => !kept.has(id))).toEqual([])
    expect(queries.filter(({ page, to }) => page >= 3 && to !== undefined).length).toBeLessThan(30)

    arrive(900)
    const asked = walker.refresh().then(() => kept.has(900))
    // after a page that was refused because of too many calls, the newest rows wait too
    await run(outcome === tooMany ? 2_500 : 5)
    expect(kept.has(900)).toBe(true)
    expect(await asked).toBe(true)
    service.failing = () => null
    walker.retryNow()
    await run(200)
    expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
    expect(kept.size).toBe(461)
  })

  it('makes no call for two seconds after a page was refused because of too many calls', async () => {
    const { walker, service, queries, run } = walkerBench(400, 1)
    service.failing = ({ page }) => (page >= 3 ? tooMany : null)
    walker.kick()
    await run(50)
    const before = queries.length
    expect(queries.at(-1)).toMatchObject({ page: 3 })
    await run(1_900)
    expect(queries).toHaveLength(before)
  })

  it('waits for the next round after a walk through known rows has ended at a failing page', async () => {
    // a walk through the newest rows reads back 15 minutes, which are two pages
    const { clock, walker, service, queries, run } = walkerBench(100, 0.02)
    walker.kick()
    await run(40)
    service.broken = pageOf(10)
    const before = queries.length
    for (let second = 0; second < 900; second++) {
      clock.advance(1_000)
      await run(1)
    }
    expect(queries.length - before).toBeGreaterThan(20)
    expect(queries.length - before).toBeLessThan(110)
    expect(walker.view()).toMatchObject({ isWhole: true, gapSince: null })
  })
})

describe('IndexWalker', () => {
  it('is not complete without a login, except in the first three minutes after the login has ended', async () => {
    const { clock, walker, wanted, run, start } = walkerBench(95, 1)
    walker.kick()
    await run(60)
    wanted.signedIn = false
    walker.kick()
    clock.advance(minuteMs)
    await run(5)
    expect(walker.view()).toMatchObject({ isWhole: true, failure: { code: 'session.expired' } })
    clock.advance(5 * hourMs)
    expect(walker.view()).toMatchObject({ isWhole: false, gapSince: start })
    wanted.signedIn = true
    walker.retryNow()
    await run(20)
    expect(walker.view()).toMatchObject({ isWhole: true, gapSince: null, failure: null })
  })

  it('reads the newest rows for a request before it removes further old rows', async () => {
    const { clock, walker, wanted, kept, run, arrive } = walkerBench(3_000, 0.1, 200)
    walker.kick()
    await run(400)
    expect(kept.size).toBe(3_000)
    clock.advance(2 * hourMs)
    wanted.days = 1
    walker.reachChanged()
    await run(3)
    arrive(9_000)
    let keptThen = 0
    void walker.refresh().then(() => (keptThen = kept.has(9_000) ? kept.size : 0))
    await run(40)
    expect(keptThen).toBeGreaterThan(1_000)
    expect(kept.size).toBeLessThan(500)
  })
})
