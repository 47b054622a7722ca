import { describe, expect, it } from 'vitest'
import { walkerBench } from '#support/walker-bench.ts'

const hourMs = 3600_000

describe('IndexWalker at a service that does not return pages of the usual length', () => {
  it.each([
    { answer: 'refuses them with 400', limits: { mostLength: 5, refusal: 400 } },
    { answer: 'refuses them with 413', limits: { mostLength: 5, refusal: 413 } },
    { answer: 'refuses them with 422', limits: { mostLength: 1, refusal: 422 } },
    { answer: 'does not return them in time', limits: { quickLength: 5 }, ms: 3_000 },
  ])(
    'reads all rows in shorter pages, also the new rows, if the service $answer',
    async ({ limits, ms = 300 }) => {
      const { clock, walker, service, kept, queries, run, arrive } = walkerBench(95, 1)
      Object.assign(service, limits)
      walker.kick()
      await run(ms)
      expect([kept.size, walker.view().isWhole, walker.view().failure]).toEqual([95, true, null])
      const most = queries.filter(({ limit }) => limit === 10).length
      clock.advance(60_000)
      arrive(900)
      const asked = walker.refresh().then(() => kept.has(900))
      await run(20)
      expect(await asked).toBe(true)
      expect(queries.filter(({ limit }) => limit === 10)).toHaveLength(most)
    },
  )

  it('requests long pages again after an hour', async () => {
    const { clock, walker, service, queries, run } = walkerBench(95, 1)
    service.mostLength = 5
    walker.kick()
    await run(100)
    service.mostLength = Infinity
    clock.advance(hourMs)
    await run(20)
    expect(queries.at(-1)).toMatchObject({ limit: 10 })
  })

  it('completes a request for the newest rows only when the shorter page was read', async () => {
    const { walker, service, kept, run } = walkerBench(95, 1)
    service.mostLength = 5
    const asked = walker.refresh().then(() => kept.has(0))
    await run(10)
    expect(await asked).toBe(true)
  })

  it('fails, and requests the usual length again in the next round, if the service refuses each length', async () => {
    const { clock, walker, service, kept, queries, run } = walkerBench(95, 1)
    service.mostLength = 0
    walker.kick()
    await run(20)
    expect(walker.view()).toMatchObject({ rows: 0, failure: { code: 'api.rejected' } })
    expect(queries.map(({ limit }) => limit)).toEqual([10, 5, 1])
    service.mostLength = Infinity
    clock.advance(60_000)
    await run(60)
    expect([kept.size, walker.view().failure]).toEqual([95, null])
    expect(new Set(queries.slice(3).map(({ limit }) => limit))).toEqual(new Set([10]))
  })

  it.each([5, 4_000])(
    'requests the page that timed out in the usual length after an outage of %d ms',
    async (ms) => {
      const { walker, wanted, kept, queries, run } = walkerBench(200, 1)
      walker.kick()
      await run(8)
      wanted.online = false
      await run(ms)
      wanted.online = true
      await run(12_000)
      expect(queries.every(({ limit }) => limit === 10)).toBe(true)
      expect(kept.size).toBe(200)
    },
  )
})

describe('IndexWalker with rows or pages that cannot be read', () => {
  it('reports each unreadable row once, and lists it until it can be read', async () => {
    const { clock, walker, service, reports, kept, run } = walkerBench(95, 1)
    Object.assign(service, { unreadable: [0, 7] })
    walker.kick()
    await run(60)
    const problem = 'reference: invalid_type'
    expect(walker.skipped()).toMatchObject({ count: 2, newest: [{ problem }, { problem }] })
    clock.advance(60_000)
    await run(20)
    expect(reports).toEqual([
      { id: '0', problem },
      { id: '7', problem },
    ])
    service.unreadable = [7]
    clock.advance(60_000)
    await run(20)
    expect(kept.has(0)).toBe(true)
    expect(walker.skipped()).toMatchObject({ count: 1, newest: [{ id: '7' }] })
  })

  it('lists rows that are too large, with the count `some` instead of their number', async () => {
    const { walker, service, reports, run } = walkerBench(95, 1)
    service.weightOf = (id) => ([5, 94].includes(id) ? 10 : 0)
    walker.kick()
    await run(150)
    expect(walker.skipped()).toMatchObject({ count: 'some', newest: [{ id: null }] })
    expect(reports).toEqual([{ id: null, problem: ': too_large' }])
  })

  it('reports once a failure that stops the walk, and again after a round without a failure', async () => {
    const { clock, walker, service, reports, run } = walkerBench(95, 1)
    Object.assign(service, { mostLength: 0, refusal: 403 })
    walker.kick()
    for (let round = 0; round < 5; round++) {
      await run(5)
      clock.advance(60_000)
    }
    expect(reports).toEqual(['api.rejected'])
    service.mostLength = Infinity
    await run(60)
    clock.advance(60_000)
    await run(5)
    service.mostLength = 0
    clock.advance(60_000)
    await run(5)
    expect(reports).toEqual(['api.rejected', 'api.rejected'])
  })
})
