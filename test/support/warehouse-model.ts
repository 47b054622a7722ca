import {
  type OrderStatus,
  openOrderStatuses,
  reservingOrderStatuses,
  type InboundStatus,
  openInboundStatuses,
  openTransferStatuses,
  type TransferStatus,
} from '#shared/domain/resource-states.ts'
import type { ModificationStatus } from '#shared/domain/modification.ts'

export interface ModelVariant {
  readonly id: string
  readonly customerId: string
  readonly code: string
  readonly expires: boolean
  readonly hasSerials: boolean
  isDeleted: boolean
}

export interface ModelPlace {
  readonly id: string
  readonly code: string
  isPickable: boolean
}

export interface ModelOrder {
  readonly id: string
  readonly customerId: string
  status: OrderStatus
  /** Whether goods have left their shelves for the order and were not put back. */
  isPicked: boolean
  isAddressInvalid: boolean
  lines: { readonly variantId: string; readonly quantity: number; processed: number }[]
}

interface ModelInbound {
  readonly id: string
  readonly customerId: string
  status: InboundStatus
  readonly variantIds: Set<string>
  /** Whether pieces of the inbound were received. */
  isPartlyReceived: boolean
  /** The serial numbers that were counted at the inbound. Each entry begins with the id of its variant. */
  readonly serials: Set<string>
}

interface ModelModification {
  readonly id: string
  status: ModificationStatus
  readonly lines: readonly {
    readonly variantId: string
    readonly locationId: string
    readonly quantity: number
  }[]
}

interface ModelTransfer {
  readonly id: string
  status: TransferStatus
  readonly from: string
  readonly to: string
  readonly quantity: number
}

/**
 * A model of a warehouse, computed without the database of the warehouse: pieces by variant and place, and open work.
 */
export class WarehouseModel {
  readonly variants = new Map<string, ModelVariant>()
  readonly places = new Map<string, ModelPlace>()
  readonly orders = new Map<string, ModelOrder>()
  readonly inbounds = new Map<string, ModelInbound>()
  readonly modifications = new Map<string, ModelModification>()
  readonly transfers = new Map<string, ModelTransfer>()
  /** Serial numbers of pieces that have left and did not return, by variant. */
  readonly gone = new Map<string, Set<string>>()
  /** Serial numbers of pieces that returned and did not leave again, by variant. */
  readonly back = new Map<string, Set<string>>()
  readonly #pieces = new Map<string, Map<string, number>>()

  piecesAt(variantId: string): Map<string, number> {
    const known = this.#pieces.get(variantId) ?? new Map<string, number>()
    this.#pieces.set(variantId, known)
    return known
  }

  /** Records the serial numbers of pieces that left or returned. */
  noteSerials(variantId: string, serials: readonly string[], side: 'gone' | 'back'): void {
    const [to, from] = side === 'gone' ? [this.gone, this.back] : [this.back, this.gone]
    const known = to.get(variantId) ?? new Set()
    to.set(variantId, known)
    for (const serial of serials) {
      from.get(variantId)?.delete(serial)
      known.add(serial)
    }
  }

  at(variantId: string, locationId: string): number {
    return this.piecesAt(variantId).get(locationId) ?? 0
  }

  add(variantId: string, locationId: string, pieces: number): void {
    const left = this.at(variantId, locationId) + pieces
    if (left < 0) throw new Error('The model has fewer than none')
    this.piecesAt(variantId).set(locationId, left)
  }

  /** Returns the number of pieces of a variant at the locations that `fits` selects. */
  sum(variantId: string, fits: (place: ModelPlace) => boolean): number {
    let sum = 0
    for (const [id, pieces] of this.piecesAt(variantId)) {
      const place = this.places.get(id)
      if (place !== undefined && fits(place)) sum += pieces
    }
    return sum
  }

  figures(
    variantId: string,
  ): Record<'physical' | 'salable' | 'available' | 'quarantine' | 'pickable', number> {
    const physical = this.sum(variantId, () => true)
    const quarantine = this.sum(variantId, isQuarantine)
    const salable = physical - quarantine
    let reserved = 0
    for (const order of this.orders.values()) reserved += this.reserved(order).get(variantId) ?? 0
    const pickable = this.sum(variantId, (place) => place.isPickable)
    return { physical, salable, available: Math.max(0, salable - reserved), quarantine, pickable }
  }

  /** Returns the pieces that an order reserves, by variant. */
  reserved(order: ModelOrder): Map<string, number> {
    const spoken = new Map<string, number>()
    if (!reservingOrderStatuses.some((status) => status === order.status)) return spoken
    for (const { variantId, quantity, processed } of order.lines)
      if (quantity > processed) spoken.set(variantId, quantity - processed)
    return spoken
  }

  isUsed(variantId: string): boolean {
    return (
      this.sum(variantId, () => true) > 0 ||
      [...this.orders.values()].some(
        ({ status, lines }) =>
          openOrderStatuses.includes(status) && lines.some((line) => line.variantId === variantId),
      ) ||
      [...this.inbounds.values()].some(
        ({ status, variantIds }) => openInboundStatuses.includes(status) && variantIds.has(variantId),
      ) ||
      [...this.modifications.values()].some(
        ({ status, lines }) => status === 'created' && lines.some((line) => line.variantId === variantId),
      ) ||
      [...this.transfers.values()].some(
        ({ status, from, to }) =>
          openTransferStatuses.some((open) => open === status) && (from === variantId || to === variantId),
      )
    )
  }

  living(customerId: string): ModelVariant[] {
    return [...this.variants.values()].filter(
      (variant) => variant.customerId === customerId && !variant.isDeleted,
    )
  }
}

export function isQuarantine({ code }: ModelPlace): boolean {
  return code.startsWith('QUAR')
}

/** Whether pieces for orders are taken from the location. */
export function isShelf(place: ModelPlace): boolean {
  return place.isPickable && !isQuarantine(place)
}
