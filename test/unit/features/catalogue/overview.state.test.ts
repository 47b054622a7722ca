import { beforeEach, describe, expect, it } from 'vitest'
import { OverviewState } from '#features/catalogue/overview.state.svelte.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk
let overview: OverviewState

function reads(): number {
  return desk.calls.filter((call) => call === 'catalogue:overview').length
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
}

beforeEach(() => {
  desk = new MemoryDesk(memoryWorld(() => nowMs))
  overview = new OverviewState(desk.bridge)
})

describe('the overview', () => {
  it('tells of articles, lots, methods and location types, each with its age', async () => {
    await overview.load()
    expect(overview.overview).toMatchObject({
      articles: { variants: 1840, asOf: '2026-11-21T14:04:00.000Z' },
      lots: { count: 5120, asOf: '2026-11-21T13:25:00.000Z' },
    })
    expect(overview.methods?.asOf).toBe('2026-11-21T14:04:00.000Z')
    expect(overview.types?.types).toHaveLength(3)
  })

  it('follows what moves on while it is open, and only then', async () => {
    overview.onStatus()
    await settle()
    expect(reads()).toBe(0)
    const close = overview.open()
    await settle()
    overview.onStatus()
    await settle()
    expect(reads()).toBe(2)
    close()
    overview.onStatus()
    await settle()
    expect(reads()).toBe(2)
  })

  it('reads once after many changes that came while it was reading', async () => {
    overview.open()
    for (let i = 0; i < 20; i++) overview.onStatus()
    await settle()
    expect(reads()).toBe(2)
  })

  it('shows nothing of another customer that was asked for before', async () => {
    const reading = overview.load()
    overview.reset()
    await reading
    expect(overview.overview).toBeNull()
  })

  it('says why it cannot be read, and keeps what stood', async () => {
    await overview.load()
    desk.world.failures['catalogue:overview'] = failure('store.unavailable')
    await overview.load()
    expect(overview.failure?.code).toBe('store.unavailable')
    expect(overview.overview).not.toBeNull()
  })
})

describe('what can be done', () => {
  it('sets how often lots are read, and says when that was not kept', async () => {
    await overview.load()
    await overview.keepLots(24)
    expect(overview.overview?.lots.everyHours).toBe(24)
    desk.world.failures['catalogue:keepLots'] = failure('store.full')
    await overview.keepLots(1)
    expect([overview.overview?.lots.everyHours, overview.failure?.code]).toEqual([24, 'store.full'])
  })

  it('sets how many months of shipments are kept, and offers what was set elsewhere', async () => {
    await overview.load()
    await overview.keepShipments(12)
    expect(overview.overview?.shipments.months).toBe(12)
    expect(overview.shipmentMonths).toEqual([1, 3, 6, 12, 24])
    await overview.keepShipments(5)
    expect(overview.shipmentMonths).toEqual([1, 3, 5, 6, 12, 24])
    desk.world.failures['catalogue:keepShipments'] = failure('store.full')
    await overview.keepShipments(1)
    expect([overview.overview?.shipments.months, overview.failure?.code]).toEqual([5, 'store.full'])
  })

  it('offers a period that was set elsewhere among the usual ones', async () => {
    await overview.load()
    expect(overview.lotHours).toEqual([1, 3, 6, 12, 24])
    desk.world.kept = { ...desk.world.kept, lots: { ...desk.world.kept.lots, everyHours: 4 } }
    await overview.load()
    expect(overview.lotHours).toEqual([1, 3, 4, 6, 12, 24])
  })

  it('asks the service once, however often it is pressed meanwhile', async () => {
    await Promise.all([overview.sync(), overview.sync()])
    expect(desk.calls.filter((call) => call === 'catalogue:sync')).toHaveLength(1)
    expect(overview.syncing).toBe(false)
  })

  it('says why a read that was asked for failed, until the next one', async () => {
    desk.world.failures['catalogue:sync'] = failure('network.offline')
    await overview.sync()
    expect(overview.failure?.code).toBe('network.offline')
    desk.world.failures = {}
    await overview.sync()
    expect(overview.failure).toBeNull()
  })
})
