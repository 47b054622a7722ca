import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelLook } from '#shared/bridge/label-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import type { LabelDesk } from './label-desk.svelte.ts'
import type { ShownCard } from './shown-card.svelte.ts'

/**
 * Looks whether the shipment on the stage has a return label that this desk does not know, beside its card: nobody is told
 * of none without a look. One call a card; again when the connection is back.
 */
export class StageLook {
  readonly #bridge: ScandeskBridge
  readonly #shown: ShownCard
  readonly #labels: LabelDesk
  /** `look` null: on its way. */
  #asked = $state.raw<{ readonly shipmentId: string; readonly look: LabelLook | null } | null>(null)
  #isOffline = false

  constructor(bridge: ScandeskBridge, shown: ShownCard, labels: LabelDesk) {
    this.#bridge = bridge
    this.#shown = shown
    this.#labels = labels
  }

  /** What is known of a label of the shipment on the stage; null: nothing yet. */
  get now(): LabelLook | null {
    const shipmentId = this.#shipmentId
    return shipmentId !== null && this.#asked?.shipmentId === shipmentId ? this.#asked.look : null
  }

  /** A card came onto the stage. */
  cardShown(): void {
    const shipmentId = this.#shipmentId
    if (shipmentId === null || this.#labels.label?.isVoid === false) this.#asked = null
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
    const card = this.#shown.now
    return card.kind === 'shipment' ? card.outcome.shipment.id : null
  }

  async #look(shipmentId: string): Promise<void> {
    const asked = { shipmentId, look: null }
    this.#asked = asked
    const result = await this.#bridge.returnLabel.look({ shipmentId })
    // a later card has a look of its own
    if (this.#asked !== asked) return
    const look: LabelLook = result.ok
      ? result.value
      : { state: 'unasked', label: null, asOf: null, failure: result.error }
    this.#asked = { shipmentId, look }
    if (look.label && look.label.id !== this.#labels.label?.id) this.#labels.onLabel(look.label)
  }
}
