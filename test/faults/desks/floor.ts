import type { Random } from '#middleware/warehouse/demo/random.ts'
import { modificationReasons } from '#shared/domain/modification.ts'
import type { Deed } from './errand.ts'
import { minuteMs, type ShopGoods } from './shop.ts'

/** A wish (a label or a booking) that operators at one or more desks have, and the times at which they enter it. */
export interface Meeting {
  readonly deed: Deed
  readonly visits: readonly { readonly desk: number; readonly afterMs: number }[]
}

const largestQuantity = 8

/** Decides which label or booking operators want, at which desks they want it, and when. */
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

  /**
   * Returns the next label or booking that operators want, and the desks and times at which they want it. Null if a
   * label was chosen and no unused shipment is left, or a booking and no unused booking is left. `up`: the numbers of
   * the running desks.
   */
  next(up: readonly number[]): Meeting | null {
    const isAtOnce = up.length > 1 && this.#random.chance(0.4)
    const deed = this.#random.chance(0.65) ? this.#label(isAtOnce) : this.#bookings.pop()
    return deed ? { deed, visits: isAtOnce ? this.#atOnce(up) : this.#oneByOne() } : null
  }

  #label(isAtOnce: boolean): Deed | null {
    const shipment = this.#shipments.pop()
    if (!shipment) return null
    return {
      kind: 'label',
      shipmentId: shipment.id,
      code: shipment.code,
      methodId: this.#random.chance(0.6) ? this.#random.pick(this.#goods.methodIds) : null,
      isRequested: this.#random.chance(0.3),
      // If several operators request a label at once, none of them waits for the card: after such a wait, an operator
      // cannot request the label in the same millisecond as the others.
      looks: !isAtOnce && this.#random.chance(0.35),
    }
  }

  /** Selects two or more running desks whose operators request the same label or booking at most 2 ms apart. */
  #atOnce(up: readonly number[]): Meeting['visits'] {
    const random = this.#random
    const count = random.chance(0.7) ? 2 : up.length
    return random
      .shuffled(up)
      .slice(0, count)
      .map((desk) => ({ desk, afterMs: random.int(0, 2) }))
  }

  /**
   * Selects one or more desks whose operators request the same label or booking one after the other: the first at once,
   * each other desk after `minuteMs` / 60 to `minuteMs` milliseconds, which represent one second to one minute.
   */
  #oneByOne(): Meeting['visits'] {
    const random = this.#random
    const others = random.weighted([
      [0, 10],
      [1, 55],
      [2, 25],
      [this.#desks - 1, 10],
    ])
    const [first = 0, ...rest] = random.shuffled(Array.from({ length: this.#desks }, (_, desk) => desk))
    const afterMs = (): number =>
      random.chance(0.5) ? random.int(minuteMs / 60, minuteMs / 12) : random.int(minuteMs / 12, minuteMs)
    return [
      { desk: first, afterMs: 0 },
      ...rest.slice(0, others).map((desk) => ({ desk, afterMs: afterMs() })),
    ]
  }
}

/** Returns all bookings. Each differs from all others in article, location, quantity or reason. */
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
