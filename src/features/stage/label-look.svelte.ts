import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelLook } from '#shared/bridge/label-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import type { LabelDesk } from './label-desk.svelte.ts'
import type { ShownCard } from './shown-card.svelte.ts'

/**
 * Asks the service whether the shipment on the stage has a return label that this desk does not know. The card claims
 * that there is none only after this look. Makes one call for each card, and again when the connection is back.
 */
export class StageLook {
  readonly #bridge: ScandeskBridge
  readonly #shown: ShownCard
  readonly #labels: LabelDesk
  /** The last look; its `look` is null while the call is under way. */
  #asked = $state.raw<{ readonly shipmentId: string; readonly look: LabelLook | null } | null>(null)
  #isOffline = false

  constructor(bridge: ScandeskBridge, shown: ShownCard, labels: LabelDesk) {
    this.#bridge = bridge
    this.#shown = shown
    this.#labels = labels
  }

  /** The result of the look for the shipment on the stage; null if there is none yet. */
  get now(): LabelLook | null {
    const shipmentId = this.#shipmentId
    return shipmentId !== null && this.#asked?.shipmentId === shipmentId ? this.#asked.look : null
  }

  /** Starts a look, because another card was shown on the stage. */
  cardShown(): void {
    const shipmentId = this.#shipmentId
    if (shipmentId === null || this.#labels.label?.isVoid === false) this.#asked = null
    else void this.#look(shipmentId)
  }

  onStatus({ line }: DeskStatus): void {
    const isBack = this.#isOffline && line.state === 'online'
    this.#isOffline = line.state === 'offline'
    // a look that failed is not repeated, because its failure may be the reason for which the connection was lost
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
    // another card was shown meanwhile and has started its own look
    if (this.#asked !== asked) return
    const look: LabelLook = result.ok
      ? result.value
      : { state: 'unasked', label: null, asOf: null, failure: result.error }
    this.#asked = { shipmentId, look }
    if (look.label && look.label.id !== this.#labels.label?.id) this.#labels.onLabel(look.label)
  }
}
