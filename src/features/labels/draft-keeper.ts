import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelDraft } from '#shared/bridge/label-views.ts'

/** The draft is saved after a pause in typing of this length, in milliseconds. */
const pauseMs = 300
/** Maximum number of characters that are saved of the text in a field. The form sends no text of this length. */
const keptLength = 500

/** Saves the entries of the form for a label without a shipment, after each short pause in typing. */
export class DraftKeeper {
  readonly #bridge: ScandeskBridge
  #waiting: LabelDraft | null = null
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  async read(): Promise<LabelDraft | null> {
    const result = await this.#bridge.returnLabel.readDraft()
    return result.ok ? result.value : null
  }

  /**
   * Saves the draft after a pause in typing. After a failed save, the next key press saves again all entries, which the
   * form still has.
   */
  keep(draft: LabelDraft): void {
    this.#waiting = draft
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.flush()
    }, pauseMs)
  }

  /** Saves unsaved entries now. */
  async flush(): Promise<void> {
    const draft = this.#waiting
    this.#stop()
    if (draft) await this.#bridge.returnLabel.writeDraft(shortened(draft))
  }

  async forget(): Promise<void> {
    this.#stop()
    await this.#bridge.returnLabel.writeDraft(null)
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#waiting = null
  }
}

/**
 * Returns the draft with each long text shortened, so that a page pasted into one field does not prevent saving the
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
