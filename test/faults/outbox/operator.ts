import type { LabelMode, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { Result } from '#shared/errors/result.ts'
import type { SenderAddressInput } from '#shared/wire/address.ts'
import type { Desk } from '#desk/desk.ts'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import { anySender } from '#support/label-wishes.ts'
import type { Deed, Order, Said } from './deed.ts'
import { labelIdOf } from '#support/ids.ts'

type LabelDeed = Extract<Deed, { kind: 'label' }>
type What = 'modification' | 'by shipment' | 'by method' | 'by hand' | 'patch' | 'request' | 'cancel'

/**
 * Weights of the actions. A change needs a label that can still be changed; if there is no such label, a new label is
 * made instead.
 */
const habits = [
  ['modification', 22],
  ['by shipment', 12],
  ['by method', 11],
  ['by hand', 11],
  ['patch', 18],
  ['request', 12],
  ['cancel', 14],
] as const satisfies readonly (readonly [What, number])[]

/**
 * An operator. Performs one action after the other, announces each action, and reports the acknowledgement of the desk.
 */
export class Operator {
  readonly #desk: Desk
  readonly #order: Order
  readonly #random: Random
  readonly #say: (what: Said) => void
  readonly #shipmentIds: string[]

  constructor(desk: Desk, order: Order, random: Random, say: (what: Said) => void) {
    this.#desk = desk
    this.#order = order
    this.#random = random
    this.#say = say
    this.#shipmentIds = [...order.shipmentIds]
  }

  async work(): Promise<void> {
    for (let count = 0; count < this.#order.deeds; count++) {
      const deed = this.#choose()
      const deedId = crypto.randomUUID()
      this.#say({ say: 'try', deedId, deed })
      const done = await this.#do(deed)
      if (done.ok) this.#say({ say: 'ack', deedId, subjectId: done.value.id })
      else this.#say({ say: 'refused', deedId, code: done.error.code })
      await new Promise((resolve) => setTimeout(resolve, this.#random.int(0, 60)))
    }
  }

  #choose(): Deed {
    const what = this.#random.weighted(habits)
    switch (what) {
      case 'modification':
        return this.#newModification()
      case 'by shipment':
      case 'by method':
      case 'by hand':
        return this.#newLabel(what)
      default: {
        const label = this.#changeable(what)
        if (!label) return this.#newLabel('by hand')
        if (what === 'patch') return { kind: what, labelId: label.id, city: this.#city() }
        return { kind: what, labelId: label.id }
      }
    }
  }

  #newModification(): Deed {
    const { variants, locationIds } = this.#order
    const reason = this.#random.pick(['LOST', 'DEFECTIVE', 'CORRECTION'] as const)
    const chosen = this.#random.shuffled(variants).slice(0, this.#random.int(1, 3))
    return {
      kind: 'modification',
      reason,
      locationId: this.#random.pick(locationIds),
      lines: chosen.map(({ id }) => ({
        variantId: id,
        quantity: this.#random.int(1, 4) * (reason === 'CORRECTION' ? 1 : -1),
      })),
      note: `deed ${crypto.randomUUID()}`,
    }
  }

  #newLabel(what: 'by shipment' | 'by method' | 'by hand'): LabelDeed {
    const { methodIds } = this.#order
    const isRequested = this.#random.chance(0.3)
    const shipmentId = what === 'by hand' ? null : this.#shipment()
    if (shipmentId === null) {
      const reference = `FAULT-${crypto.randomUUID().slice(-12).toUpperCase()}`
      const methodId = this.#random.pick(methodIds)
      return { kind: 'label', shipmentId, methodId, reference, city: this.#city(), isRequested }
    }
    const methodId = what === 'by method' ? this.#random.pick(methodIds) : null
    const city = this.#random.chance(0.2) ? this.#city() : null
    return { kind: 'label', shipmentId, methodId, reference: null, city, isRequested }
  }

  /** Returns an unused shipment, or sometimes a shipment with a cancelled label, so that a second label is made. */
  #shipment(): string | null {
    const cancelled = this.#desk.returnLabel
      .recent()
      .flatMap((label) => (label.cancelled && label.shipmentId !== null ? [label.shipmentId] : []))
    if (cancelled.length > 0 && this.#random.chance(0.2)) return this.#random.pick(cancelled)
    return this.#shipmentIds.pop() ?? null
  }

  /**
   * Returns a label that can be changed; null if there is none. Nine of ten cancellations choose only labels without a
   * request, because the desk asks the operator about a cancellation during a request, and a run accepts only few such
   * questions.
   */
  #changeable(what: 'patch' | 'request' | 'cancel'): ReturnLabelView | null {
    const isHasty = what === 'cancel' && this.#random.chance(0.1)
    const labels = this.#desk.returnLabel
      .recent()
      .filter(({ create, requested, request, cancelled, cancel }) => {
        const isMade = create !== 'rejected' && create !== 'discarded'
        if (what === 'cancel' && !isHasty && request !== null) return false
        return isMade && !requested && !cancelled && request !== 'done' && cancel === null
      })
    return labels.length > 0 ? this.#random.pick(labels) : null
  }

  #city(): string {
    return `City ${crypto.randomUUID().slice(0, 8)}`
  }

  async #do(deed: Deed): Promise<Result<{ readonly id: string }>> {
    const { returnLabel: returnLabels } = this.#desk
    switch (deed.kind) {
      case 'modification':
        return this.#book(deed)
      case 'label':
        return returnLabels.make({ mode: toMode(deed), request: deed.isRequested, seen: null })
      case 'patch':
        return returnLabels.patch({ id: labelIdOf(deed.labelId), sender: { city: deed.city } })
      case 'request':
        return returnLabels.request({ id: labelIdOf(deed.labelId) })
      case 'cancel':
        return returnLabels.cancel({ id: labelIdOf(deed.labelId) })
    }
  }

  /** Clears the draft that an earlier process left. */
  #book(deed: Extract<Deed, { kind: 'modification' }>): Result<{ readonly id: string }> {
    const { modification: modifications } = this.#desk
    modifications.change({ kind: 'clear' })
    modifications.change({ kind: 'location', locationId: deed.locationId })
    modifications.change({ kind: 'reason', reason: deed.reason })
    modifications.change({ kind: 'note', note: deed.note })
    for (const { variantId, quantity } of deed.lines) {
      const added = modifications.change({ kind: 'add', variantId })
      if (!added.ok) return added
      modifications.change({ kind: 'quantity', variantId, quantity })
    }
    return modifications.book()
  }
}

/** Returns a complete address. Addresses differ only in the city. */
export function senderOf(city: string): SenderAddressInput {
  return { ...anySender, city }
}

function toMode({ shipmentId, methodId, reference, city }: LabelDeed): LabelMode {
  const sender = city === null ? null : senderOf(city)
  if (shipmentId !== null) return { by: 'shipment', shipmentId, shippingMethodId: methodId, sender }
  if (methodId === null || sender === null) throw new Error('a label by hand needs a method and a sender')
  return { by: 'hand', shippingMethodId: methodId, sender, externalReference: reference }
}
