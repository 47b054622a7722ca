import type { WorldBatch, WorldInbound, WorldLocation, WorldVariant } from '../world.ts'
import { dayFrom } from './dates.ts'
import type { Random } from './random.ts'

/** Days until a lot expires: gone by, within a month, within a year, within three. */
function shelfLifeDays(random: Random): number {
  const [from, to] = random.weighted<readonly [number, number]>([
    [[-90, -1], 10],
    [[2, 28], 20],
    [[45, 330], 50],
    [[331, 1000], 20],
  ])
  return random.int(from, to)
}

/** Stock lots: most variants have one or two, food up to four of different dates, a few have none. */
export function makeBatches(
  random: Random,
  now: Date,
  sources: {
    readonly variants: readonly WorldVariant[]
    readonly locations: readonly WorldLocation[]
    readonly inbounds: readonly Pick<WorldInbound, 'id' | 'customerId' | 'createdAt'>[]
  },
): WorldBatch[] {
  const { variants, locations } = sources
  const inbounds = Map.groupBy(sources.inbounds, (inbound) => inbound.customerId)
  const faces = locations.filter((location) => location.pickable)
  const backRooms = locations.filter((location) => !location.pickable)
  return variants.flatMap((variant) => {
    if (random.chance(0.06)) return []
    const lots = variant.expirable
      ? random.int(2, 4)
      : random.weighted([
          [1, 75],
          [2, 25],
        ] as const)
    return Array.from({ length: lots }, (_, lot): WorldBatch => {
      const inbound = random.pick(inbounds.get(variant.customerId) ?? [])
      return {
        id: random.uuid(),
        customerId: variant.customerId,
        variantId: variant.id,
        locationId: random.pick(lot === 0 || random.chance(0.6) ? faces : backRooms).id,
        quantity: random.weighted([
          [0, 4],
          [random.int(1, 12), 46],
          [random.int(13, 240), 50],
        ]),
        expirationDate: variant.expirable ? dayFrom(now, shelfLifeDays(random)) : null,
        inboundId: inbound.id,
        createdAt: inbound.createdAt,
      }
    })
  })
}
