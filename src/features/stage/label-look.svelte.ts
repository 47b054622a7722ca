import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelLook, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import type { Card } from './shown-card.svelte.ts'

export interface StageLookDeps {
  readonly bridge: ScandeskBridge
  readonly card: () => Card
  /** The label of the card, or null. */
  readonly label: () => ReturnLabelView | null
  /** A label of the shipment, made at any desk. */
  readonly onLabel: (label: ReturnLabelView) => void
}

/**
 * Looks whether the shipment on the stage has a return label that this desk does not know, beside its card: nobody is told
 * of none without a look. One call a card; again when the connection is back.
 */
export class StageLook {
  readonly #deps: StageLookDeps
  /** `look` null: on its way. */
  #asked = $state.raw<{ readonly shipmentId: string; readonly look: LabelLook | null } | null>(null)
  #isOffline = false

  constructor(deps: StageLookDeps) {
    this.#deps = deps
  }

  /** What is known of a label of the shipment on the stage; null: nothing yet. */
  get now(): LabelLook | null {
    const shipmentId = this.#shipmentId
    return shipmentId !== null && this.#asked?.shipmentId === shipmentId ? this.#asked.look : null
  }

  /** A card came onto the stage. */
  cardShown(): void {
    const shipmentId = this.#shipmentId
    if (shipmentId === null || !isWithoutLabel(this.#deps.label())) this.#asked = null
    else void this.#look(shipmentId)
  }

  onStatus({ line }: DeskStatus): void {
    const isBack = this.#isOffline && line.state === 'online'
    this.#isOffline = line.state === 'offline'
    // one that was asked and failed is not asked again: its failure may be what the line was lost by
    const wasNotAsked = this.now?.state === 'unasked' && this.now.failure === null
    if (isBack && wasNotAsked) this.cardShown()
  }

  get #shipmentId(): string | null {
    const card = this.#deps.card()
    return card.kind === 'shipment' ? card.outcome.shipment.id : null
  }

  async #look(shipmentId: string): Promise<void> {
    const asked = { shipmentId, look: null }
    this.#asked = asked
    const result = await this.#deps.bridge.returnLabel.look({ shipmentId })
    // a later card has a look of its own
    if (this.#asked !== asked) return
    const look: LabelLook = result.ok
      ? result.value
      : { state: 'unasked', label: null, asOf: null, failure: result.error }
    this.#asked = { shipmentId, look }
    if (look.label && look.label.id !== this.#deps.label()?.id) this.#deps.onLabel(look.label)
  }
}

/** Whether a shipment has no label, by what this one says: it was cancelled, or never made. */
export function isWithoutLabel(label: ReturnLabelView | null): boolean {
  return label === null || label.cancelled || label.create === 'rejected' || label.create === 'discarded'
}
