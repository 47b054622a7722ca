import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ScannerEntry, ScannerLive, ScannersView, SerialPorts } from '#shared/bridge/scanner-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** The serial scanners as they are kept, how each is doing, and the ports of this computer. */
export class ScannerListState {
  readonly #bridge: ScandeskBridge
  #view = $state.raw<ScannersView | null>(null)
  #ports = $state.raw<SerialPorts | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #saving = $state(false)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  get isRead(): boolean {
    return this.#view !== null
  }
  get scanners(): readonly ScannerEntry[] {
    return this.#view?.scanners ?? []
  }
  /** Null until they are looked for. */
  get ports(): SerialPorts | null {
    return this.#ports
  }
  /** Why they could not be read or saved. */
  get failure(): Failure | null {
    return this.#failure
  }
  get saving(): boolean {
    return this.#saving
  }
  /** Scanners that should be there and are not. */
  get lost(): readonly { readonly title: string; readonly failure: Failure }[] {
    return this.scanners.flatMap(({ id, title }) => {
      const failure = this.liveOf(id)?.failure
      return failure ? [{ title, failure }] : []
    })
  }

  /** What the scanners are called that are heard now. */
  get open(): readonly string[] {
    return this.scanners.flatMap(({ id, title }) => (this.liveOf(id)?.state === 'open' ? [title] : []))
  }

  find(id: string): ScannerEntry | null {
    return this.scanners.find((entry) => entry.id === id) ?? null
  }

  liveOf(id: string): ScannerLive | null {
    return this.#view?.live.find((live) => live.id === id) ?? null
  }

  /** Follows how they are doing until the returned function is called. */
  start(): () => void {
    void this.load()
    return this.#bridge.on('scanners', (view) => {
      this.#view = view
    })
  }

  async load(): Promise<void> {
    const view = await this.#bridge.scanner.setup()
    this.#failure = view.ok ? null : view.error
    if (view.ok) this.#view = view.value
  }

  /** Looks for the ports of this computer; what cannot be asked has none. */
  async discover(): Promise<void> {
    const ports = await this.#bridge.scanner.ports()
    this.#ports = ports.ok ? ports.value : { isListed: false, ports: [] }
  }

  forgetFailure(): void {
    this.#failure = null
  }

  /** Puts an entry in its place, or behind the others where it is new; answers whether it was taken. */
  async put(entry: ScannerEntry): Promise<boolean> {
    const isKnown = this.find(entry.id) !== null
    const list = this.scanners.map((known) => (known.id === entry.id ? entry : known))
    return await this.#save(isKnown ? list : [...list, entry])
  }

  async remove(id: string): Promise<boolean> {
    return await this.#save(this.scanners.filter((entry) => entry.id !== id))
  }

  async #save(scanners: ScannerEntry[]): Promise<boolean> {
    if (this.#saving) return false
    this.#saving = true
    const result = await this.#bridge.scanner.save({ scanners })
    this.#saving = false
    this.#failure = result.ok ? null : result.error
    if (result.ok) this.#view = result.value
    return result.ok
  }
}
