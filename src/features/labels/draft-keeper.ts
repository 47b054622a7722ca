import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelDraft } from '#shared/bridge/label-views.ts'

/** A pause in typing that is worth a write to the disk. */
const pauseMs = 300
/** The contract keeps this much of a field; what a field may hold for the service is far less. */
const keptLength = 500

/** Keeps what is typed for a label by hand on the disk of the desk, a moment after each key. */
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

  /** Writes it after a pause. A write that fails is made good by the next key; the form still holds it all. */
  keep(draft: LabelDraft): void {
    this.#waiting = draft
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.flush()
    }, pauseMs)
  }

  /** Writes what waits now. */
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

/** Only what the disk keeps is cut, so that a whole page pasted into a field does not stop the rest from being kept. */
function shortened({ shippingMethodId, externalReference, sender }: LabelDraft): LabelDraft {
  const fields = Object.entries(sender).map(([field, value]) => [field, value.slice(0, keptLength)] as const)
  return {
    shippingMethodId,
    externalReference: externalReference.slice(0, keptLength),
    sender: Object.fromEntries(fields),
  }
}
