import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SupportView } from '#shared/bridge/support-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

export type SupportAct = 'read' | 'save' | 'show'

/** The state of the support page: the last lines of the log, and the bundle to send. */
export class SupportState {
  readonly #bridge: ScandeskBridge
  #view = $state.raw<SupportView | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #busy = $state<SupportAct | null>(null)
  #isSaved = $state(false)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** The log and the list of files; null until they are read. */
  get view(): SupportView | null {
    return this.#view
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get busy(): SupportAct | null {
    return this.#busy
  }
  /** Whether a bundle was saved since the page was opened. */
  get isSaved(): boolean {
    return this.#isSaved
  }

  /** Called each time the page is opened. */
  async open(): Promise<void> {
    this.#isSaved = false
    await this.read()
  }

  async read(): Promise<void> {
    await this.#act('read', () => this.#bridge.support.contents())
  }

  async save(): Promise<void> {
    if (await this.#act('save', () => this.#bridge.support.save())) this.#isSaved = true
  }

  async show(what: 'logs' | 'bundle'): Promise<void> {
    await this.#act<undefined>('show', () => this.#bridge.support.show({ what }))
  }

  async #act<T extends SupportView | undefined>(
    act: SupportAct,
    call: () => Promise<Result<T>>,
  ): Promise<boolean> {
    if (this.#busy !== null) return false
    this.#busy = act
    const result = await call()
    this.#busy = null
    if (result.ok && result.value) this.#view = result.value
    this.#failure = result.ok ? null : result.error
    return result.ok
  }
}
