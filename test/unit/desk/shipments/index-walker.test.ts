import { describe, expect, it } from 'vitest'
import { walkerBench } from '#support/walker-bench.ts'

const hourMs = 3600_000
const dayMs = 24 * hourMs

describe('IndexWalker', () => {
  it('reads pages until no row is missing, and then stops: it makes no call in the next 200 ms', async () => {
    const { walker, kept, queries, run } = walkerBench(95, 1)
    walker.kick()
    await run(60)
    expect(kept.size).toBe(95)
    expect(walker.view()).toMatchObject({ isWhole: true, rows: 95, syncing: false })
    const read = queries.length
    await run(200)
    expect(queries).toHaveLength(read)
  })

  it.each([
    { isUnsorted: false, order: 'in the same order', restarts: [1, 2, 1, 2] },
    { isUnsorted: true, order: 'in any order', restarts: [1, 1, 2] },
  ])(
    'fails, and waits longer before each further try, if the service returns the same rows for each page number, $order',
    async ({ isUnsorted, restarts }) => {
      const { clock, walker, service, queries, kept, run } = walkerBench(400, 1)
      Object.assign(service, { ignoresPage: true, isUnsorted })
      walker.kick()
      await run(60)
      // The pages that are read: first page 1, for the newest rows. Then a walk through older rows, which starts again
      // at page 1 twice because of a page in a wrong place; `restarts` contains its pages until it starts again for the
      // second time. Then page 1, and three pages that contain the same rows as page 1.
      const first = [1, ...restarts, 1, 2, 3, 4]
      expect(queries.map(({ page }) => page)).toEqual(first)
      expect(walker.view()).toMatchObject({ syncing: false, failure: { code: 'api.malformed_answer' } })
      clock.advance(2_500)
      await run(20)
      expect(queries.map(({ page }) => page)).toEqual([...first, 2, 3, 4])
      // the first wait ended after at most 2.4 s; the second one takes at least 4 s
      clock.advance(3_500)
      await run(20)
      expect(queries).toHaveLength(first.length + 3)
      clock.advance(1_500)
      await run(20)
      expect(queries).toHaveLength(first.length + 6)

      service.ignoresPage = false
      walker.retryNow()
      await run(300)
      expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
      expect(kept.size).toBe(400)
    },
  )

  it.each([
    { service: 'gives one row a wrong date in each response', wrong: { misdated: 105 }, missing: 1 },
    { service: 'gives the last row of a page a wrong date', wrong: { misdated: 109 }, missing: 1 },
    { service: 'does not sort the rows of its pages', wrong: { isUnsorted: true }, missing: 0 },
  ])(
    'reads the other rows, with fewer than 130 calls for 40 pages, if the service $service',
    async ({ wrong, missing }) => {
      const { walker, service, queries, kept, run } = walkerBench(400, 1)
      Object.assign(service, wrong)
      walker.kick()
      await run(300)
      expect(walker.view()).toMatchObject({ isWhole: true, failure: null, syncing: false })
      expect(kept.size).toBe(400 - missing)
      expect(queries.length).toBeLessThan(130)
    },
  )

  it.each([true, false])(
    'fails after 20 pages without a readable row, and reads all these pages again in the next try (the service ignores the page number: %s)',
    async (ignoresPage) => {
      const { clock, walker, service, queries, kept, run } = walkerBench(400, 1)
      Object.assign(service, { ignoresPage, isUnreadable: true, mostRows: 5 })
      walker.kick()
      await run(100)
      expect(queries.map(({ page }) => page)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      expect(walker.view()).toMatchObject({ syncing: false, failure: { code: 'api.malformed_answer' } })
      clock.advance(1_000)
      await run(20)
      expect(queries).toHaveLength(20)

      Object.assign(service, { ignoresPage: false, isUnreadable: false })
      walker.retryNow()
      await run(600)
      expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
      expect(kept.size).toBe(400)
    },
  )

  it.each([
    { flood: 0, isFilled: true, rows: 'with the present time, when it looks for new rows' },
    { flood: 60_000, isFilled: false, rows: 'a minute older on each page, when it fills the index' },
  ])(
    'fails after 100,000 rows if the service has new rows without end, $rows',
    async ({ flood, isFilled }) => {
      const { clock, walker, service, queries, kept, run } = walkerBench(400, 1, 1_000)
      walker.kick()
      if (isFilled) await run(100)
      expect(walker.view().isWhole).toBe(isFilled)
      const before = queries.length
      service.flood = flood
      clock.advance(60_000)
      await run(9_000)
      const read = queries.length - before
      expect(read).toBeGreaterThan(100)
      expect(read).toBeLessThan(112)
      expect(walker.view()).toMatchObject({ syncing: false, failure: { code: 'api.malformed_answer' } })
      // the next walk follows only after two minutes, and begins at page 1
      clock.advance(60_000)
      await run(100)
      expect(queries).toHaveLength(before + read)

      service.flood = null
      clock.advance(60_000)
      await run(200)
      expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
      // while `flood` was set, the service returned only false rows, with negative ids. The walker counts their period
      // as read, so it does not read the real rows of this period, of which there are at most three
      const real = [...kept.keys()].filter((id) => id >= 0)
      expect(real.length).toBeGreaterThanOrEqual(397)
    },
  )

  it('stops a walk through an endless list, even while the cache is full', async () => {
    const { clock, walker, service, wanted, queries, run } = walkerBench(95, 1, 1_000)
    walker.kick()
    await run(100)
    wanted.mostRows = 2_000
    service.flood = 0
    const before = queries.length
    clock.advance(60_000)
    await run(14_000)
    expect(queries.length - before).toBeLessThan(112)
    expect(walker.view()).toMatchObject({ syncing: false, failure: { code: 'api.malformed_answer' } })
  })

  it('reads new rows when they are requested while the index is being filled', async () => {
    const { walker, kept, queries, run, arrive } = walkerBench(400, 1)
    walker.kick()
    await run(10)
    expect(walker.view().isWhole).toBe(false)
    arrive(900)
    const asked = walker.refresh()
    await run(10)
    await asked
    expect(kept.has(900)).toBe(true)
    expect(walker.view().isWhole).toBe(false)
    expect(queries.filter(({ to, page }) => to === undefined && page === 1)).toHaveLength(2)
    await run(120)
    expect([kept.size, walker.view().isWhole]).toEqual([401, true])
  })

  it('is not complete until it has read all rows that were created while the desk was switched off', async () => {
    const { clock, walker, kept, run, arrive } = walkerBench(95, 1)
    walker.kick()
    await run(60)
    expect(walker.view().isWhole).toBe(true)
    const newest = walker.view().state?.newest
    for (let id = 1_000; id < 1_200; id++) {
      clock.advance(hourMs)
      arrive(id)
    }
    const asked = walker.refresh()
    await run(1)
    await asked
    expect([kept.has(1_199), kept.has(1_000)]).toEqual([true, false])
    expect(walker.view()).toMatchObject({ isWhole: false, gapSince: newest })
    const askedAgain = walker.refresh()
    await run(2)
    await askedAgain
    expect(walker.view()).toMatchObject({ isWhole: false, gapSince: newest })
    await run(100)
    expect(kept.size).toBe(295)
    expect(walker.view()).toMatchObject({ isWhole: true, gapSince: null })
  })

  it('is not complete after a start until it has read the newest rows, nor while it cannot read any rows', async () => {
    const { start, store, service, clock, walker, run } = walkerBench(95, 1)
    const newest = start - 14 * dayMs
    const known = { newest, oldest: start - 100 * dayMs, complete: true, syncedAt: newest }
    await store.put([], start, () => known)
    service.mostLength = 0
    expect(walker.view()).toMatchObject({ isWhole: false, gapSince: newest })
    walker.kick()
    await run(20)
    expect(walker.view()).toMatchObject({
      isWhole: false,
      gapSince: newest,
      failure: { code: 'api.rejected' },
    })
    service.mostLength = Infinity
    walker.retryNow()
    await run(100)
    expect(walker.view()).toMatchObject({ isWhole: true, gapSince: null, failure: null })
    service.mostLength = 0
    clock.advance(60_000)
    await run(20)
    expect(walker.view()).toMatchObject({ isWhole: false, gapSince: start })
  })

  it('ends a request for the newest rows only after page 1 was read, even while a walk reads known rows again', async () => {
    const { start, store, walker, kept, run, arrive } = walkerBench(95, 1)
    const known = { newest: start, oldest: start - 100 * dayMs, complete: true, syncedAt: start }
    await store.put([], start, () => known)
    // the first walk reads the rows of the last two days again, which are on several pages
    walker.kick()
    await run(3)
    expect(walker.view()).toMatchObject({ syncing: true, isWhole: false })
    arrive(900)
    const asked = walker.refresh().then(() => kept.has(900))
    await run(40)
    expect(await asked).toBe(true)
  })

  it('reads page 1 at most three pages after a request for the newest rows, and continues the walk through known rows', async () => {
    const { start, store, walker, queries, run, arrive } = walkerBench(400, 0.25)
    const known = { newest: start, oldest: start - 100 * dayMs, complete: true, syncedAt: start }
    await store.put([], start, () => known)
    // the first walk reads the rows of the last two days again, which are on 20 pages
    walker.kick()
    await run(5)
    arrive(900)
    const before = queries.length
    let pagesRead = Infinity
    void walker.refresh().then(() => (pagesRead = queries.length - before))
    await run(5)
    expect(pagesRead).toBeLessThanOrEqual(3)
    for (let turn = 0; turn < 60; turn++) {
      void walker.refresh()
      await run(1)
    }
    const pages = queries.map(({ page }) => page)
    expect(Math.max(...pages)).toBeGreaterThan(18)
    expect(pages.filter((page) => page === 5)).toHaveLength(1)
  })

  it('fills the index with older rows even if new rows are requested all the time', async () => {
    const { walker, run } = walkerBench(400, 1)
    walker.kick()
    for (let turn = 0; turn < 300; turn++) {
      void walker.refresh()
      await run(1)
    }
    expect(walker.view().isWhole).toBe(true)
  })

  it('delays each page of older rows while calls of the operator are under way, but by at most about ten seconds', async () => {
    const { walker, wanted, queries, clock, run } = walkerBench(400, 1)
    wanted.busy = true
    walker.kick()
    await run(200)
    // the first page is not delayed, because an operator waits for the newest rows
    expect(queries).toHaveLength(1)
    for (let turn = 0; turn < 220; turn++) {
      clock.advance(50)
      await run(1)
    }
    expect(queries).toHaveLength(2)
    wanted.busy = false
    await run(300)
    expect(walker.view().isWhole).toBe(true)
  })

  it('completes each request for the newest rows while calls of the operator are under way', async () => {
    const { walker, wanted, run } = walkerBench(400, 1)
    walker.kick()
    await run(3)
    let isAnswered = false
    wanted.busy = true
    for (let turn = 0; turn < 5; turn++) {
      void walker.refresh().then(() => (isAnswered = true))
      await run(8)
      expect(isAnswered).toBe(true)
      isAnswered = false
    }
  })

  it('requests no page after page 25 of a list of 100 pages, because high offsets may be slow at the service', async () => {
    const { walker, kept, queries, run } = walkerBench(1_000, 1)
    walker.kick()
    await run(300)
    expect(kept.size).toBe(1_000)
    expect(Math.max(...queries.map(({ page }) => page))).toBeLessThanOrEqual(25)
  })

  it('continues after an outage with the page that failed', async () => {
    const { walker, wanted, kept, queries, run } = walkerBench(200, 1)
    walker.kick()
    await run(8)
    wanted.online = false
    await run(5)
    const missed = queries.at(-1)
    const before = queries.length
    wanted.online = true
    await run(20_000)
    expect(queries[before]).toEqual(missed)
    expect(kept.size).toBe(200)
  })

  it('reads the missing rows when a longer period is chosen', async () => {
    const { walker, wanted, kept, start, run } = walkerBench(200, 12)
    wanted.days = 30
    walker.kick()
    await run(60)
    expect(walker.view().isWhole).toBe(true)
    const few = kept.size
    wanted.days = 90
    expect(walker.view().isWhole).toBe(false)
    walker.reachChanged()
    await run(120)
    expect(few).toBeLessThan(70)
    expect(kept.size).toBeGreaterThan(175)
    expect(walker.view().state?.oldest).toBeLessThanOrEqual(start - 90 * dayMs + 200)
  })

  it('keeps rows older than a shortened period at first, and removes these rows when two hours have passed', async () => {
    const { walker, wanted, kept, clock, run } = walkerBench(700, 3)
    wanted.days = 85
    walker.kick()
    await run(150)
    const all = kept.size
    wanted.days = 10
    walker.reachChanged()
    await run(30)
    expect(kept.size).toBe(all)
    clock.advance(2 * hourMs)
    await run(60)
    expect(kept.size).toBeLessThan(100)
    expect(kept.size).toBeGreaterThan(75)
    expect(walker.view().isWhole).toBe(true)
  })

  it('does not store a row that is older than the chosen period', async () => {
    const { walker, kept, start, run, wanted } = walkerBench(30, 6)
    wanted.days = 3
    walker.kick()
    await run(60)
    expect(walker.view().isWhole).toBe(true)
    const oldest = Math.min(...[...kept.values()].map(({ created_at: at }) => Date.parse(at)))
    expect(start - oldest).toBe(66 * hourMs)
  })

  it('stops when the cache is full, and reports as `goal` the start of the period that the cache contains', async () => {
    const { walker, wanted, kept, queries, run } = walkerBench(400, 1)
    wanted.mostRows = 100
    walker.kick()
    await run(100)
    expect(kept.size).toBe(100)
    const { goal, state, isWhole, syncing } = walker.view()
    expect([isWhole, syncing, state?.oldest]).toEqual([true, false, goal])
    const read = queries.length
    expect(read).toBeLessThan(20)
    await run(200)
    expect(queries).toHaveLength(read)
  })

  it('treats a period as not yet read if its rows were removed during a pass', async () => {
    const { walker, wanted, kept, clock, store, run, start } = walkerBench(300, 6)
    wanted.days = 70
    walker.kick()
    await run(80)
    // from here on, a walk reads all rows again, starting with the newest
    const known = { newest: start - 69 * dayMs, oldest: start - 70 * dayMs, complete: true, syncedAt: 0 }
    await store.put([], 0, () => known)
    walker.retryNow()
    await run(10)
    wanted.days = 3
    walker.reachChanged()
    store.trim(clock.now() - 3 * dayMs, Infinity, 1_000)
    wanted.days = 60
    walker.reachChanged()
    await run(200)
    const { state } = walker.view()
    const claimed = [...Array(300).keys()].filter((id) => start - id * 6 * hourMs >= (state?.oldest ?? 0))
    expect(claimed.length).toBeGreaterThan(230)
    expect(claimed.filter((id) => !kept.has(id))).toEqual([])
  })

  it('removes no row when the clock of the PC is years ahead of the service', async () => {
    const { walker, wanted, kept, clock, run } = walkerBench(100, 3)
    walker.kick()
    await run(60)
    clock.setWall(clock.now() + 3_000 * dayMs)
    wanted.ageAheadMs = -3_000 * dayMs
    walker.retryNow()
    await run(60)
    expect(kept.size).toBe(100)
  })
})

describe('IndexWalker with rows too large for one response', () => {
  it.each([Infinity, 4, 3])(
    'reads all rows by requesting shorter pages, if the service returns at most %d rows in a page',
    async (most) => {
      const { walker, service, kept, queries, run } = walkerBench(95, 1)
      service.mostRows = most
      service.weightOf = (id) => (id >= 20 && id < 31 ? 6 : 0)
      walker.kick()
      await run(150)
      expect([kept.size, walker.view().isWhole, walker.view().failure]).toEqual([95, true, null])
      expect(queries.length).toBeLessThan(130)
      const shortPages = queries.findLastIndex(({ limit }) => limit === 1)
      // after the short pages the walk requests pages of full length again if the service returns full pages; the last
      // two of these pages contain the end of the list a second time
      if (most === Infinity)
        expect(queries.slice(shortPages).filter(({ limit }) => limit === 10)).toHaveLength(8)
    },
  )

  it('leaves out each row that alone is too large, and reports a time that is later than the creation of the last such row', async () => {
    const { walker, service, kept, run, start } = walkerBench(95, 1)
    service.weightOf = (id) => ([0, 5, 6, 94].includes(id) ? 10 : 0)
    walker.kick()
    await run(150)
    expect([kept.size, walker.view().isWhole]).toEqual([91, true])
    expect([0, 5, 6, 94].some((id) => kept.has(id))).toBe(false)
    expect(walker.view().leftOut).toMatchObject({ before: start - 93 * hourMs })
  })

  it('reports a failure, and makes fewer than 110 calls, when every row is too large', async () => {
    const { walker, service, queries, run } = walkerBench(400, 1)
    service.weightOf = () => 10
    walker.kick()
    await run(400)
    expect(walker.view()).toMatchObject({ rows: 0, failure: { code: 'api.malformed_answer' } })
    expect(queries.length).toBeLessThan(110)
  })
})
