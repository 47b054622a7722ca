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

describe('OverviewState', () => {
  it('reads the articles, lots, shipping methods and location types, with the time of each read', async () => {
    await overview.load()
    expect(overview.overview).toMatchObject({
      articles: { variants: 1840, asOf: '2026-11-21T14:04:00.000Z' },
      lots: { count: 5120, asOf: '2026-11-21T13:25:00.000Z' },
    })
    expect(overview.methods?.asOf).toBe('2026-11-21T14:04:00.000Z')
    expect(overview.types?.types).toHaveLength(3)
  })

  it('reads the overview again each time the desk sends its status, but only while the overview is open', async () => {
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

  it('reads the overview only once more after twenty changes of the status during a read', async () => {
    overview.open()
    for (let i = 0; i < 20; i++) overview.onStatus()
    await settle()
    expect(reads()).toBe(2)
  })

  it('drops an overview that arrives after a reset, because it may be of another customer', async () => {
    const reading = overview.load()
    overview.reset()
    await reading
    expect(overview.overview).toBeNull()
  })

  it('keeps the overview and shows the reason when it cannot be read again', async () => {
    await overview.load()
    desk.world.failures['catalogue:overview'] = failure('store.unavailable')
    await overview.load()
    expect(overview.failure?.code).toBe('store.unavailable')
    expect(overview.overview).not.toBeNull()
  })

  it('removes the failure of a read after the next successful read', async () => {
    desk.world.failures['catalogue:overview'] = failure('store.unavailable')
    await overview.load()
    desk.world.failures = {}
    await overview.load()
    expect(overview.failure).toBeNull()
  })
})

describe('OverviewState when the operator changes a setting or starts a sync', () => {
  it('sets the interval at which lots are read, and shows the reason if the interval was not saved', async () => {
    await overview.load()
    await overview.keepLots(24)
    expect(overview.overview?.lots.everyHours).toBe(24)
    desk.world.failures['catalogue:keepLots'] = failure('store.full')
    await overview.keepLots(1)
    expect([overview.overview?.lots.everyHours, overview.failure?.code]).toEqual([24, 'store.full'])
  })

  it('sets the number of months for which shipments are kept, and offers this number in addition to the usual numbers', async () => {
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

  it('offers the usual intervals for reading the lots and, in addition, the current interval', async () => {
    await overview.load()
    expect(overview.lotHours).toEqual([1, 3, 6, 12, 24])
    desk.world.kept = { ...desk.world.kept, lots: { ...desk.world.kept.lots, everyHours: 4 } }
    await overview.load()
    expect(overview.lotHours).toEqual([1, 3, 4, 6, 12, 24])
  })

  it('starts only one sync if the operator requests another one before the first has ended', async () => {
    await Promise.all([overview.sync(), overview.sync()])
    expect(desk.calls.filter((call) => call === 'catalogue:sync')).toHaveLength(1)
    expect(overview.syncing).toBe(false)
  })

  it('shows the reason of a failed sync, and removes it after a sync that succeeds', async () => {
    desk.world.failures['catalogue:sync'] = failure('network.offline')
    await overview.sync()
    expect(overview.failure?.code).toBe('network.offline')
    desk.world.failures = {}
    await overview.sync()
    expect(overview.failure).toBeNull()
  })
})
