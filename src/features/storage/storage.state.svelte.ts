import type { Place } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { pcSettings } from '#shared/bridge/pc-settings.ts'
import type { StorageView } from '#shared/bridge/storage-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

export type StorageAct = 'back_up' | 'keep' | 'read'

/** The data stored on this computer, its retention period, and the last restore. */
export class StorageState implements Place {
  readonly #bridge: ScandeskBridge
  #view = $state.raw<StorageView | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #busy = $state<StorageAct | null>(null)
  /** The last act that was completed; null after another act has begun. */
  #done = $state<StorageAct | null>(null)
  /** The text that is being typed for the retention period; null if nothing is being typed. */
  #typed = $state<string | null>(null)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  get view(): StorageView | null {
    return this.#view
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get busy(): StorageAct | null {
    return this.#busy
  }
  get done(): StorageAct | null {
    return this.#done
  }

  /** The number of days in the field of the retention period: the typed text, or else the saved value. */
  get days(): string {
    return this.#typed ?? String(this.#view?.keepDays ?? '')
  }
  set days(text: string) {
    this.#typed = text
    this.#done = null
  }
  /** The number of days in the field of the retention period, as a number; null if it is not a valid number. */
  get wanted(): number | null {
    const parsed = pcSettings.keepDays.schema.safeParse(
      /^\d+$/.test(this.days.trim()) ? Number(this.days) : null,
    )
    return parsed.success ? parsed.data : null
  }
  get isChanged(): boolean {
    return this.#view !== null && this.wanted !== this.#view.keepDays
  }
  /** Whether the typed period is shorter than the saved one, so that saving it may delete stored data. */
  get purges(): boolean {
    return this.#view !== null && this.wanted !== null && this.wanted < this.#view.keepDays
  }

  /** Reads the data at every visit. A typed value that was not saved is dropped. */
  async open(): Promise<void> {
    this.#typed = null
    this.#done = null
    await this.load()
  }

  reset(): void {
    void this.load()
  }

  async load(): Promise<void> {
    this.#take(await this.#bridge.storage.state())
  }

  async backUp(): Promise<void> {
    await this.#act('back_up', () => this.#bridge.storage.backUp())
  }

  async keep(): Promise<void> {
    const days = this.wanted
    if (days === null || !this.isChanged) return
    if (await this.#act('keep', () => this.#bridge.storage.keep({ days }))) this.#typed = null
  }

  /** Marks the notice about the restored data as read. */
  async recoveryRead(): Promise<void> {
    await this.#act('read', () => this.#bridge.storage.recoveryRead())
  }

  async #act(act: StorageAct, call: () => Promise<Result<StorageView>>): Promise<boolean> {
    if (this.#busy !== null) return false
    this.#busy = act
    this.#done = null
    const result = await call()
    this.#busy = null
    this.#take(result)
    if (result.ok) this.#done = act
    return result.ok
  }

  #take(result: Result<StorageView>): void {
    if (result.ok) this.#view = result.value
    this.#failure = result.ok ? null : result.error
  }
}
