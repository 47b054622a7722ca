import { describe, expect, it } from 'vitest'
import { readCatalogue, type RoundParts } from '#desk/catalogue/catalogue-round.ts'
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
