import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelDraft } from '#shared/bridge/label-views.ts'

/** The draft is saved after a pause in typing of this length, in milliseconds. */
const pauseMs = 300
/**
 * Maximum number of characters that are saved for one field. A longer text is cut, because the form would not send such
 * a text in any case.
 */
const keptLength = 500

/**
 * Saves the entries of the form for a label without a shipment, after each short pause in typing, at the station at
 * which they were typed.
 */
export class DraftKeeper {
  readonly #bridge: ScandeskBridge
  readonly #stationId: () => string | undefined
  #waiting: { readonly draft: LabelDraft; readonly station: string | undefined } | null = null
  #timer: ReturnType<typeof setTimeout> | null = null

  /** @param stationId - returns the id of the station that the window shows. */
  constructor(bridge: ScandeskBridge, stationId: () => string | undefined) {
    this.#bridge = bridge
    this.#stationId = stationId
  }

  async read(): Promise<LabelDraft | null> {
    const result = await this.#bridge.returnLabel.readDraft()
    return result.ok ? result.value : null
  }

  /**
   * Saves the draft after a pause in typing. A failed save needs no repetition: the next save contains all entries of
   * the form again.
   */
  keep(draft: LabelDraft): void {
    this.#waiting = { draft, station: this.#stationId() }
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.flush()
    }, pauseMs)
  }

  /** Saves unsaved entries now. Main refuses entries that were typed at another station than the open one. */
  async flush(): Promise<void> {
    const waiting = this.#waiting
    this.#stop()
    if (waiting) await this.#bridge.returnLabel.writeDraft(shortened(waiting.draft), waiting.station)
  }

  /** Deletes the draft of this station. Main refuses this if another station is open. */
  async forget(station: string | undefined): Promise<void> {
    this.#stop()
    await this.#bridge.returnLabel.writeDraft(null, station)
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#waiting = null
  }
}

/**
 * Returns the draft with each long text shortened, so that a very long text in one field does not prevent saving the
 * other fields.
 */
function shortened({ shippingMethodId, externalReference, sender }: LabelDraft): LabelDraft {
  const fields = Object.entries(sender).map(([field, value]) => [field, value.slice(0, keptLength)] as const)
  return {
    shippingMethodId,
    externalReference: externalReference.slice(0, keptLength),
    sender: Object.fromEntries(fields),
  }
}
