import { describe, expect, it } from 'vitest'
import { walkerBench } from '#support/walker-bench.ts'

const minuteMs = 60_000

/** Returns a bench whose walker has read all rows of 40 days, and a function that lets minutes pass. */
async function filled() {
  const bench = walkerBench(400, 2.4)
  bench.walker.kick()
  await bench.run(200)
  const filledAt = bench.clock.now()
  const pass = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute++) {
      bench.clock.advance(minuteMs)
      await bench.run(3)
    }
  }
  const ids = Array.from({ length: 300 }, (_, id) => id)
  const unread = (): number[] => ids.filter((id) => (bench.kept.get(id)?.asOf ?? 0) <= filledAt)
  return { ...bench, pass, unread }
}

describe('KnownRows', () => {
  it('reads all rows of the last 30 days again every six hours, at most one page a minute', async () => {
    const { walker, queries, pass, unread } = await filled()
    expect(walker.view().isWhole).toBe(true)
    const ofOlder = (): number => queries.filter(({ to }) => to !== undefined).length
    const before = ofOlder()
    const again = (): number => ofOlder() - before
    await pass(50)
    expect(again()).toBe(0)
    await pass(70)
    expect(unread()).toEqual([])
    expect(again()).toBeGreaterThan(30)
    expect(again()).toBeLessThan(50)
    const read = again()
    await pass(180)
    expect(again()).toBe(read)
    await pass(150)
    expect(again()).toBeGreaterThan(read + 10)
    expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
  })

  it('leaves out a page that fails, and reads the others', async () => {
    const { walker, service, pass, unread } = await filled()
    service.broken = [105]
    await pass(120)
    const missed = unread()
    expect(missed.length).toBeLessThanOrEqual(10)
    expect(missed).toContain(105)
    expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
  })

  it('reads the rows in shorter pages if the service refuses the pages of the usual length', async () => {
    const { walker, service, pass, unread } = await filled()
    // the walk has begun with pages of the usual length
    await pass(65)
    Object.assign(service, { mostLength: 5, refusal: 400 })
    await pass(115)
    expect(unread()).toEqual([])
    expect(walker.view()).toMatchObject({ isWhole: true, failure: null })
  })

  it('reads no page while a call of an operator is under way', async () => {
    const { wanted, queries, pass } = await filled()
    wanted.busy = true
    await pass(60)
    const before = queries.filter(({ to }) => to !== undefined).length
    await pass(60)
    expect(queries.filter(({ to }) => to !== undefined)).toHaveLength(before)
  })
})
