import type { Random } from '#middleware/warehouse/demo/random.ts'
import { modificationReasons } from '#shared/domain/modification.ts'
import type { Deed } from './errand.ts'
import { minuteMs, type ShopGoods } from './shop.ts'

/** Several operators who do the same, each at a desk of their own. */
export interface Meeting {
  readonly deed: Deed
  readonly visits: readonly { readonly desk: number; readonly afterMs: number }[]
}

const largestQuantity = 8

/** Decides what happens on the floor: which parcel or article comes to which desks, and when. */
export class Floor {
  readonly #random: Random
  readonly #goods: ShopGoods
  readonly #desks: number
  readonly #shipments: ShopGoods['shipments'][number][]
  readonly #bookings: (Deed & { kind: 'booking' })[]

  constructor(random: Random, goods: ShopGoods, desks: number) {
    this.#random = random
    this.#goods = goods
    this.#desks = desks
    this.#shipments = random.shuffled(goods.shipments)
    this.#bookings = random.shuffled(allBookings(goods))
  }

  /** Null: every shipment and every booking has had its turn. */
  next(): Meeting | null {
    const deed = this.#random.chance(0.65) ? this.#label() : this.#bookings.pop()
    return deed ? { deed, visits: this.#visits() } : null
  }

  #label(): Deed | null {
    const shipment = this.#shipments.pop()
    if (!shipment) return null
    return {
      kind: 'label',
      shipmentId: shipment.id,
      code: shipment.code,
      methodId: this.#random.chance(0.6) ? this.#random.pick(this.#goods.methodIds) : null,
      isRequested: this.#random.chance(0.3),
      looks: this.#random.chance(0.25),
    }
  }

  /** One to all desks; the first comes at once, each other one in the same instant, within seconds or later. */
  #visits(): Meeting['visits'] {
    const random = this.#random
    const others = random.weighted([
      [0, 10],
      [1, 55],
      [2, 25],
      [this.#desks - 1, 10],
    ])
    const [first = 0, ...rest] = random.shuffled(Array.from({ length: this.#desks }, (_, desk) => desk))
    const afterMs = (): number =>
      random.weighted([
        [random.int(0, 3), 35],
        [random.int(minuteMs / 60, minuteMs / 12), 25],
        [random.int(minuteMs / 12, minuteMs), 40],
      ])
    return [
      { desk: first, afterMs: 0 },
      ...rest.slice(0, others).map((desk) => ({ desk, afterMs: afterMs() })),
    ]
  }
}

/** Each differs from all others in article, location, quantity or reason. */
function allBookings({ variants, locationIds }: ShopGoods): (Deed & { kind: 'booking' })[] {
  const quantities = Array.from({ length: largestQuantity }, (_, index) => index + 1)
  return variants.flatMap(({ id, code }) =>
    locationIds.flatMap((locationId) =>
      modificationReasons.flatMap((reason) =>
        quantities.map((quantity) => ({
          kind: 'booking' as const,
          variantId: id,
          code,
          locationId,
          reason,
          quantity: reason === 'CORRECTION' ? quantity : -quantity,
        })),
      ),
    ),
  )
}
