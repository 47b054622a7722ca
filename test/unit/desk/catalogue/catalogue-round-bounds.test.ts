import { describe, expect, it } from 'vitest'
import { readCatalogue, type RoundParts } from '#desk/catalogue/catalogue-round.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { empty, MemoryFiles, partsOf, World } from '#support/catalogue-bench.ts'
import { smallId } from '#support/small-id.ts'

describe('a catalogue round on an endless list', () => {
  it('fails with catalogue.too_large when the changes never end', async () => {
    const world = new World()
    const files = new MemoryFiles()
    world.make()
    await readCatalogue(partsOf(world, files))
    const parts = partsOf(world, files)
    let asked = 0
    const changes: RoundParts['api']['listVariants'] = (_access, { limit }) => {
      if (++asked > 5_000) throw new Error('asked for more than five thousand pages')
      const row = goodsVariant(1, { modified_at: new Date(world.now).toISOString() })
      const rows = Array.from({ length: limit }, () => row)
      return Promise.resolve({
        ...{ kind: 'answer', status: 200, value: { rows, skipped: [] }, serverDate: world.now },
      })
    }
    const end = await readCatalogue({ ...parts, api: { ...parts.api, listVariants: changes } })
    expect(end).toMatchObject({ kind: 'failed', failure: { code: 'catalogue.too_large' } })
  })

  it('fails with catalogue.too_large when there are more articles than the desk can keep', async () => {
    const world = new World()
    const files = new MemoryFiles()
    const parts = partsOf(world, files)
    const everywhere: RoundParts['api']['listVariants'] = (_access, { limit }) =>
      Promise.resolve({
        kind: 'answer',
        status: 200,
        value: { rows: Array.from({ length: limit }, () => goodsVariant(1)), skipped: [] },
        serverDate: world.now,
      })
    let listed = 0
    const end = await readCatalogue({
      ...parts,
      api: { ...parts.api, listVariants: (...args) => (++listed, everywhere(...args)) },
    })
    expect(end).toMatchObject({ kind: 'failed', failure: { code: 'catalogue.too_large' } })
    expect(listed).toBeLessThan(100)
    expect(files.upcoming.size).toBe(0)
  })

  it('keeps the first two thousand shipping methods', async () => {
    const world = new World()
    const files = new MemoryFiles()
    const kept: number[] = []
    files.putMethods = ({ rows }) => void kept.push(rows.length)
    const parts = partsOf(world, files)
    let made = 0
    const methods: RoundParts['api']['listShippingMethods'] = () => {
      const rows = Array.from({ length: 1_050 }, () => ({
        ...{ id: smallId(++made), code: 'M', description: null, shipper: null, shipper_code: null },
        ...{
          shipping_software: null,
          created_at: '2026-01-01T00:00:00Z',
          modified_at: '2026-01-01T00:00:00Z',
        },
      }))
      return Promise.resolve({ ...empty, value: { rows, skipped: [] } })
    }
    await readCatalogue({ ...parts, api: { ...parts.api, listShippingMethods: methods } })
    expect([kept, made]).toEqual([[2_000], 2_100])
  })
})

describe('a catalogue round with an empty page or far fewer rows than before', () => {
  /** A service, and a copy of its articles and lots that is so old that the next round reads all of them again. */
  const copied = async () => {
    const world = new World()
    const files = new MemoryFiles()
    for (let n = 0; n < 20; n++) world.make()
    for (let n = 0; n < 20; n++) world.makeLot()
    await readCatalogue(partsOf(world, files))
    world.now += 25 * 3600_000
    return { world, files, parts: partsOf(world, files) }
  }
  const whole = (world: World, files: MemoryFiles): void => {
    expect(files.current).toEqual(world.rows)
    expect(files.lots.current).toEqual(new Set(world.lots.map(({ id }) => id)))
  }
  type Wrong = (query: { readonly page: number; readonly limit: number }) => boolean
  /**
   * The calls of the service, with an empty page as the response to each list query that `variants` or `lots` selects.
   */
  const emptied = ({ api }: RoundParts, variants: Wrong, lots: Wrong): RoundParts['api'] => ({
    ...api,
    listVariants: (token, query) =>
      query.sort === 'createdAt' && variants(query) ? Promise.resolve(empty) : api.listVariants(token, query),
    listAllBatches: (token, query) =>
      query.direction === 'asc' && lots(query) ? Promise.resolve(empty) : api.listAllBatches(token, query),
  })
  /** Selects the first query for the page with this number. A query with a limit of one row does not count. */
  const once = (page: number): Wrong => {
    let isOver = false
    return (query) => !isOver && query.limit > 1 && query.page === page && (isOver = true)
  }
  const never: Wrong = () => false

  it('keeps the copied articles and lots if the first page of their list is empty once, and reads the whole list in the next round', async () => {
    const { world, files, parts } = await copied()
    const articles = { ...parts, api: emptied(parts, once(1), never) }
    expect(await readCatalogue(articles)).toMatchObject({
      kind: 'failed',
      failure: { code: 'api.malformed_answer' },
    })
    whole(world, files)
    // the round read the lots although it failed for the articles; after seven hours the lots are due again
    world.now += 7 * 3600_000
    const lots = { ...parts, api: emptied(parts, never, once(1)) }
    expect(await readCatalogue(lots)).toEqual({ kind: 'done' })
    whole(world, files)
    const readAt = files.lots.asOf
    await readCatalogue(parts)
    expect(files.lots.asOf).toBeGreaterThan(readAt ?? Infinity)
    whole(world, files)
  })

  it('reads the second page of the articles and of the lots again if the service returns this page empty once', async () => {
    const { world, files, parts } = await copied()
    await readCatalogue({ ...parts, api: emptied(parts, once(2), once(2)) })
    whole(world, files)
  })

  it('first refuses a list with fewer than half of the articles or lots of the last complete read, and accepts such a list in the next round', async () => {
    const { world, files, parts } = await copied()
    for (const id of [...world.rows.keys()].slice(0, 15)) world.rows.delete(id)
    world.lots = world.lots.slice(0, 5)
    const ends: string[] = []
    for (let round = 0; round < 3; round++) ends.push((await readCatalogue(parts)).kind)
    expect(ends).toEqual(['failed', 'done', 'done'])
    whole(world, files)
  })

  it('does not read a page after page 1 a second time if an interrupted round has read this page, even if most rows were deleted at the service', async () => {
    const { world, files, parts } = await copied()
    for (const id of [...world.rows.keys()].slice(0, 15)) world.rows.delete(id)
    world.lots = world.lots.slice(0, 5)
    world.cap = 2
    const pages = { articles: [] as number[], lots: [] as number[] }
    const { api } = parts
    let answers = 0
    const interrupted: RoundParts['api'] = {
      ...api,
      listVariants(token, query) {
        const isOfWalk = query.sort === 'createdAt' && query.limit > 1 && query.page > 1
        if (isOfWalk && answers-- <= 0)
          return Promise.resolve({ kind: 'not_sent', failure: failure('network.offline', { host: 'h' }) })
        if (isOfWalk) pages.articles.push(query.page)
        return api.listVariants(token, query)
      },
      listAllBatches(token, query) {
        if (query.direction === 'asc' && query.limit > 1 && query.page > 1) pages.lots.push(query.page)
        return api.listAllBatches(token, query)
      },
    }
    let ticks = 0
    for (let round = 0; round < 8; round++) {
      answers = 1
      await readCatalogue({ ...parts, api: interrupted, ticks: () => (ticks += 40_000) })
    }
    expect(pages).toEqual({ articles: [3, 2], lots: [3, 2] })
    whole(world, files)
  })
})
