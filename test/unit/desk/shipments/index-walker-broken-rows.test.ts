import { describe, expect, it } from 'vitest'
import { broken, walkerBench } from '#support/walker-bench.ts'

const minuteMs = 60_000

/** Lets seconds pass, with a step of the walker in each of them. */
async function passSeconds({ clock, run }: ReturnType<typeof walkerBench>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(999)
    await run(1)
  }
}

describe('IndexWalker at a service that cannot return one row', () => {
  it.each([0, 3, 9])(
    'stores the new rows each minute, even if the failing row is row %d of the newest rows',
    async (row) => {
      const bench = walkerBench(400, 1)
      const { clock, walker, service, queries, kept, run, arrive } = bench
      walker.kick()
      await run(100)
      service.broken = [row]
      const before = queries.length
      const ids = Array.from({ length: 120 }, (_, index) => 1_000 + index)
      for (const id of ids) {
        arrive(id)
        clock.advance(minuteMs)
        await run(20)
      }
      expect(ids.filter((id) => !kept.has(id))).toEqual([])
      expect(queries.length - before).toBeLessThan(600)
      arrive(2_000)
      const asked = walker.refresh().then(() => kept.has(2_000))
      await run(10)
      expect(await asked).toBe(true)
      expect(walker.view()).toMatchObject({ isWhole: true, gapSince: null, failure: null })
    },
  )

  it('leaves out the row when it reads the list for the first time, and reports it once', async () => {
    const bench = walkerBench(95, 1)
    const { walker, service, kept, reports } = bench
    service.broken = [0, 50]
    walker.kick()
    await passSeconds(bench, 600)
    expect(Array.from({ length: 95 }, (_, id) => id).filter((id) => !kept.has(id))).toEqual([0, 50])
    expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
    expect(reports).toEqual(['api.unavailable', { id: null, problem: ': unavailable' }])
  })
})

describe('IndexWalker at a service that returns no row', () => {
  it.each([
    { what: 'only the list fails', online: true },
    { what: 'the whole service fails', online: false },
  ])('makes fewer than 150 calls in ten minutes and leaves out no row, if $what', async ({ online }) => {
    const bench = walkerBench(95, 1)
    const { walker, wanted, service, queries, kept, reports, run } = bench
    service.failing = () => broken
    wanted.online = online
    walker.kick()
    await passSeconds(bench, 600)
    expect(queries.length).toBeLessThan(150)
    if (!online) expect(new Set(queries.map(({ limit }) => limit))).toEqual(new Set([10]))

    service.failing = () => null
    wanted.online = true
    walker.retryNow()
    await run(200)
    await passSeconds(bench, 120)
    expect(kept.size).toBe(95)
    expect(walker.view()).toMatchObject({ isWhole: true, failure: null, leftOut: { count: 0 } })
    expect(reports).toEqual(['api.unavailable'])
    // page 1, for which a call of `refresh` waits, is requested with as many rows as before
    expect(queries.findLast(({ page }) => page === 1)?.limit).toBe(10)
  })
})
