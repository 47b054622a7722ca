import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRecentDatabase, type RecentDatabase } from '#local/recent/recent-database.ts'
import { createRecentPurge, createRecentRoom } from '#local/recent/recent-room.ts'
import { createSeenVariants } from '#local/recent/seen-variants.ts'
import { createShipmentIndexStore } from '#local/recent/shipment-index-store.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { StoreBench } from '#support/store-bench.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

let bench: StoreBench
let recent: RecentDatabase
beforeEach(async () => {
  bench = await StoreBench.create()
  recent = openRecentDatabase(bench.dataDir, () => undefined)
})
afterEach(async () => {
  recent.close()
  await bench.dispose()
})

const variants = (count: number, description: string): ReturnType<typeof goodsVariant>[] =>
  Array.from({ length: count }, (_, n) => goodsVariant(n, { description }))
const shipments = (count: number): ReturnType<typeof scriptedShipment>[] =>
  Array.from({ length: count }, (_, n) => scriptedShipment(n + 1, (n + 1) * 1_000))

describe('RecentRoom', () => {
  it('removes old variants before any shipment, and stops when there is enough space', async () => {
    const room = createRecentRoom(recent, scopeKeyOf('scope'), 3 * 1024 ** 2)
    const index = createShipmentIndexStore(recent, scopeKeyOf('scope'), room)
    const seen = createSeenVariants(recent, scopeKeyOf('scope'))
    await index.put(shipments(200), 5, null)
    expect(index.makeRoom(20)).toBe(0)
    for (const one of variants(300, 'x'.repeat(15_000))) seen.keep([one], 5)
    while (index.makeRoom(20) > 0);
    expect([index.count(), index.keptFrom()]).toEqual([200, null])
    expect(seen.get(goodsVariant(299).id)).not.toBeNull()
  })

  it('removes the variants of other scopes before those of its own scope, even if the former have newer dates', () => {
    const room = createRecentRoom(recent, scopeKeyOf('scope'), 3 * 1024 ** 2)
    const seen = createSeenVariants(recent, scopeKeyOf('scope'))
    const other = createSeenVariants(recent, scopeKeyOf('other'))
    seen.keep(variants(20, 'own'), 5)
    for (const one of variants(300, 'x'.repeat(15_000))) other.keep([one], 4e12)
    while (room.make(20) > 0);
    expect(seen.get(goodsVariant(0).id)).not.toBeNull()
    expect([0, 299].map((n) => other.get(goodsVariant(n).id) !== null)).toEqual([false, true])
  })

  it('removes variants and shipments above the maximum age in small steps, so that other work can run', async () => {
    const index = createShipmentIndexStore(
      recent,
      scopeKeyOf('scope'),
      createRecentRoom(recent, scopeKeyOf('scope')),
    )
    const other = createShipmentIndexStore(
      recent,
      scopeKeyOf('other'),
      createRecentRoom(recent, scopeKeyOf('other')),
    )
    const seen = createSeenVariants(recent, scopeKeyOf('scope'))
    for (const one of [index, other]) await one.put(shipments(900), 5, null)
    seen.keep(variants(450, 'old'), 5)
    seen.keep([goodsVariant(0, { description: 'seen again' })], 900_000_000)
    let turns = 0
    const ticking = setInterval(() => turns++, 0)
    const removed = await createRecentPurge(recent)(1_000_000_000, 800_000)
    clearInterval(ticking)
    expect(removed).toBe(2 * 799 + 449)
    expect(turns).toBeGreaterThan(0)
    expect([index.count(), other.count()]).toEqual([101, 101])
    expect([seen.get(goodsVariant(1).id), seen.byCode('A-1')]).toEqual([null, []])
    expect(seen.get(goodsVariant(0).id)?.asOf).toBe(900_000_000)
  })
})
