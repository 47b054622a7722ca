import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCatalogue, type RoundParts } from '#desk/catalogue/catalogue-round.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { LotsNews, SyncEnd } from '#desk/ports/catalogue-store.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { count, seed } from '#support/counts.ts'
import { goodsBatch, goodsVariant } from '#support/goods-service.ts'
import { MemoryFiles, partsOf, start, World } from '#support/catalogue-bench.ts'
import { smallId } from '#support/small-world.ts'

describe('a catalogue round', () => {
  it('copies every row of the service even if rows change meanwhile and rounds are interrupted', async () => {
    const event = fc.oneof(
      { weight: 4, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.constant('make' as const) },
      { weight: 1, arbitrary: fc.constant('lot' as const) },
      { weight: 1, arbitrary: fc.nat(100).map((which) => ({ removes: which })) },
      { weight: 3, arbitrary: fc.nat(100) },
      { weight: 1, arbitrary: fc.constant('break' as const) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.nat(60),
        fc.integer({ min: 1, max: 9 }),
        fc.array(event, { maxLength: 60 }),
        async (rows, cap, events) => {
          const world = new World()
          const files = new MemoryFiles()
          world.cap = cap
          for (let n = 0; n < rows; n++) world.make()
          for (let n = 0; n < rows / 2; n++) world.makeLot()
          let breaks = false
          world.events = events.map((one) => () => {
            if (one === 'make') world.make()
            else if (one === 'lot') world.makeLot()
            else if (one !== null && typeof one === 'object') world.remove(one.removes)
            else if (one === 'break') breaks = true
            else if (one !== null) world.change(one)
          })
          let lots: LotsNews = { rows: null, failure: null }
          const { listener } = partsOf(world, files)
          const parts = partsOf(world, files, {
            listener: { ...listener, lots: (news) => (lots = news) },
            isStopped: () => {
              const now = breaks
              breaks = false
              return now
            },
          })
          const ends: SyncEnd['kind'][] = []
          // the loop reads the catalogue until two complete reads have ended after the last change of the service’s
          // lists
          for (let quiet = 0; quiet < 2;) {
            const isQuiet = world.events.length === 0
            world.now += 60_000
            const end = await readCatalogue(parts)
            ends.push(end.kind)
            if (!isQuiet || end.kind !== 'done' || lots.rows !== null) continue
            quiet++
            // the copy has all created and changed rows; removed rows disappear with the next complete read
            expect([...world.rows].filter(([id, row]) => files.current.get(id)?.name !== row.name)).toEqual(
              [],
            )
            world.now += 25 * 3600_000
          }
          expect(files.current).toEqual(world.rows)
          expect(files.lots.current).toEqual(new Set(world.lots.map(({ id }) => id)))
          expect(ends.length).toBeLessThan(100)
        },
      ),
      { numRuns: count(150, 5_000), seed },
    )
  })

  it('removes the rows that the service no longer has, in the round that reads all rows again', async () => {
    const world = new World()
    const files = new MemoryFiles()
    for (let n = 0; n < 20; n++) world.make()
    await readCatalogue(partsOf(world, files))
    world.rows.delete(goodsVariant(3).id)
    await readCatalogue(partsOf(world, files))
    expect(files.current.size).toBe(20)
    world.now += 25 * 3600_000
    await readCatalogue(partsOf(world, files))
    expect(files.current).toEqual(world.rows)
    expect(files.fulls).toBe(2)
  })

  it('reports api.malformed_answer for the lots when the pages of the newest lots never end', async () => {
    const world = new World()
    const files = new MemoryFiles()
    world.make()
    let failed: LotsNews['failure'] = null
    let asked = 0
    const parts = partsOf(world, files)
    const lots: RoundParts['api']['listAllBatches'] = (_access, { direction, limit }) => {
      const isNewest = direction === 'desc'
      if (isNewest && ++asked > 1_000) throw new Error('asked for more than a thousand pages')
      const rows = isNewest ? Array.from({ length: limit }, () => goodsBatch(++world.made, 1)) : []
      return Promise.resolve({
        ...{ kind: 'answer', status: 200, value: { rows, skipped: [] }, serverDate: world.now },
      })
    }
    await readCatalogue({
      ...parts,
      api: { ...parts.api, listAllBatches: lots },
      listener: { ...parts.listener, lots: (news) => (failed = news.failure) },
    })
    expect(failed).toMatchObject({ code: 'api.malformed_answer' })
    expect(asked).toBeLessThan(1_000)
    expect(files.lots.asOf).toBeNull()
  })

  it('begins a new read of all rows, in place of an interrupted one, if the interrupted one began seven hours ago', async () => {
    const world = new World()
    const files = new MemoryFiles()
    for (let n = 0; n < 20; n++) world.make()
    files.fill = { startedAt: start - 7 * 3600_000, limit: 7, page: 2, expected: 20 }
    await readCatalogue(partsOf(world, files))
    expect(files.fulls).toBe(1)
    expect(files.current).toEqual(world.rows)
  })

  const refused = (status: number, code: 'session.expired' | 'api.role_missing'): ApiOutcome<never> => ({
    kind: 'refused',
    status,
    failure: failure(code),
    serverDate: null,
  })

  it('requests a new token once after a refusal, and fails when the service also refuses the new token', async () => {
    const world = new World()
    const asked: (string | null)[] = []
    const parts = partsOf(world, new MemoryFiles())
    const end = await readCatalogue({
      ...parts,
      api: { ...parts.api, listShippingMethods: () => Promise.resolve(refused(401, 'session.expired')) },
      listener: {
        ...parts.listener,
        access: (token) => {
          asked.push(token)
          return Promise.resolve({ ok: true, token: `t${asked.length}` })
        },
      },
    })
    expect(end).toMatchObject({ kind: 'failed', failure: { code: 'session.expired' } })
    expect(asked).toEqual([null, 't1'])
  })

  it('reads all lots once in each period, measured by the service’s clock, including lots that are added during the read', async () => {
    const world = new World()
    const files = new MemoryFiles()
    for (let n = 0; n < 30; n++) world.makeLot()
    const parts = partsOf(world, files, { now: () => world.now - 48 * 3600_000 })
    world.events = Array.from({ length: 8 }, (_, n) => () => (n === 7 ? world.makeLot() : undefined))
    await readCatalogue(parts)
    expect(files.lots.current.size).toBe(31)
    world.makeLot()
    await readCatalogue(parts)
    expect(files.lots.current.size).toBe(31)
    world.now += 7 * 3600_000
    await readCatalogue(parts)
    expect(files.lots.current.size).toBe(32)
  })

  it('reads only a part of a list of 2,000 lots; later rounds read the other parts', async () => {
    const world = new World()
    const files = new MemoryFiles()
    for (let n = 0; n < 2_000; n++) world.makeLot()
    const news: LotsNews[] = []
    const parts = partsOf(world, files)
    const listener = { ...parts.listener, lots: (one: LotsNews) => void news.push(one) }
    await readCatalogue({ ...parts, listener })
    expect(news.at(-1)?.rows).toBeGreaterThan(0)
    expect(files.lots.asOf).toBeNull()
    let rounds = 1
    for (; news.at(-1)?.rows !== null; rounds++) await readCatalogue({ ...parts, listener })
    expect(rounds).toBeGreaterThan(5)
    expect(files.lots.current.size).toBe(2_000)
  })

  it('reads the articles even if the service refuses to list lots, and reports the reason of the refusal', async () => {
    const world = new World()
    const files = new MemoryFiles()
    world.make()
    const news: LotsNews[] = []
    const parts = partsOf(world, files)
    const end = await readCatalogue({
      ...parts,
      api: { ...parts.api, listAllBatches: () => Promise.resolve(refused(403, 'api.role_missing')) },
      listener: { ...parts.listener, lots: (one) => void news.push(one) },
    })
    expect(end).toEqual({ kind: 'done' })
    expect(news).toEqual([{ rows: null, failure: failure('api.role_missing') }])
    expect(files.current.size).toBe(1)
  })

  it('reads the articles for a user without the role for shipping methods, and then reports the missing role', async () => {
    const world = new World()
    const files = new MemoryFiles()
    world.make()
    const parts = partsOf(world, files)
    const end = await readCatalogue({
      ...parts,
      api: { ...parts.api, listShippingMethods: () => Promise.resolve(refused(403, 'api.role_missing')) },
    })
    expect(end).toMatchObject({ kind: 'failed', failure: { code: 'api.role_missing' } })
    expect(files.current.size).toBe(1)
  })

  it('keeps one location type of several rows with the same id, because the screen of locations identifies types by it', async () => {
    const files = new MemoryFiles()
    const kept: unknown[] = []
    files.putLocationTypes = ({ rows }) => void kept.push(...rows)
    const facts = { transport: false, pickable: true }
    const rows = ['A', 'B', 'C'].map((code, at) => ({ ...facts, id: smallId(at % 2), code, name: code }))
    const parts = partsOf(new World(), files)
    const listLocationTypes: typeof parts.api.listLocationTypes = () =>
      Promise.resolve({ kind: 'answer', status: 200, value: { rows, skipped: [] }, serverDate: 0 })
    await readCatalogue({ ...parts, api: { ...parts.api, listLocationTypes } })
    expect(kept).toEqual([rows[2], rows[1]])
  })
})
