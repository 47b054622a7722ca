import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelLook } from '#shared/bridge/label-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import type { LabelDesk } from './label-desk.svelte.ts'
import type { ShownCard } from './shown-card.svelte.ts'

/**
 * Asks the service whether the shipment on the stage has a return label that this desk has not stored. The card says
 * that there is no label only after the response. The request is made once for each card. If the desk was offline, the
 * request is made when the connection is back.
 */
export class StageLook {
  readonly #bridge: ScandeskBridge
  readonly #shown: ShownCard
  readonly #labels: LabelDesk
  /** The newest query for a label of a shipment. `look`: the result of the query; null until the response. */
  #asked = $state.raw<{ readonly shipmentId: string; readonly look: LabelLook | null } | null>(null)
  #isOffline = false

  constructor(bridge: ScandeskBridge, shown: ShownCard, labels: LabelDesk) {
    this.#bridge = bridge
    this.#shown = shown
    this.#labels = labels
  }

  /** The response of the service about a return label of the shipment on the stage; null: no response arrived yet. */
  get now(): LabelLook | null {
    const shipmentId = this.#shipmentId
    return shipmentId !== null && this.#asked?.shipmentId === shipmentId ? this.#asked.look : null
  }

  /** Called after another card was shown. Asks the service if the card is a shipment without a valid label. */
  cardShown(): void {
    const shipmentId = this.#shipmentId
    if (shipmentId === null || this.#labels.label?.isVoid === false) this.#asked = null
    else void this.#look(shipmentId)
  }

  /** Drops the query and its response, because another operator or station must not see them. */
  forget(): void {
    this.#asked = null
  }

  onStatus({ line }: DeskStatus): void {
    const isBack = this.#isOffline && line.state === 'online'
    this.#isOffline = line.state === 'offline'
    // A request that failed is not repeated when the connection is back, because the request may have caused the loss
    // of the connection.
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
    // another card was shown and looked up during the request, so this response is dropped
    if (this.#asked !== asked) return
    const look: LabelLook = result.ok
      ? result.value
      : { state: 'unasked', label: null, asOf: null, failure: result.error }
    this.#asked = { shipmentId, look }
    if (look.label && look.label.id !== this.#labels.label?.id) this.#labels.onLabel(look.label)
  }
}
