import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import type { PrinterEntry, PrinterSetup, PrintQueues, PrintRoute } from '#shared/bridge/printer-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** The printers and routes as they are kept, how each printer is doing, and what this computer has besides. */
export class PrinterListState {
  readonly #bridge: ScandeskBridge
  #setup = $state.raw<PrinterSetup | null>(null)
  #live = $state.raw<readonly PrinterView[]>([])
  #queues = $state.raw<PrintQueues | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #saving = $state(false)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** Whether the printers are known: false until they are read. */
  get isRead(): boolean {
    return this.#setup !== null
  }
  get printers(): readonly PrinterEntry[] {
    return this.#setup?.printers ?? []
  }
  get routes(): readonly PrintRoute[] {
    return this.#setup?.routes ?? []
  }
  /** The one that takes whatever no route names. */
  get first(): PrinterEntry | null {
    return this.printers[0] ?? null
  }
  /** What this computer prints on by itself; null until it is looked for. */
  get queues(): PrintQueues | null {
    return this.#queues
  }
  /** Why it could not be read or saved. */
  get failure(): Failure | null {
    return this.#failure
  }
  get saving(): boolean {
    return this.#saving
  }

  find(id: string): PrinterEntry | null {
    return this.printers.find((entry) => entry.id === id) ?? null
  }

  /** How it is doing; null where nobody asked it yet. */
  liveOf(id: string): PrinterView | null {
    return this.#live.find(({ name }) => name === id) ?? null
  }

  async load(): Promise<void> {
    const [setup] = await Promise.all([this.#bridge.printer.setup(), this.follow()])
    this.#failure = setup.ok ? null : setup.error
    if (setup.ok) this.#setup = setup.value
  }

  /** Reads how the printers are doing; where that fails, what was known of them stays. */
  async follow(): Promise<void> {
    const prints = await this.#bridge.print.list()
    if (prints.ok) this.#live = prints.value.printers
  }

  /** Looks for the queues of this computer; what cannot be asked has none. */
  async discover(): Promise<void> {
    const result = await this.#bridge.printer.discover()
    this.#queues = result.ok ? result.value : { isThere: false, queues: [] }
  }

  forgetFailure(): void {
    this.#failure = null
  }

  /** Puts an entry in its place, or behind the others where it is new; answers whether it was taken. */
  async put(entry: PrinterEntry): Promise<boolean> {
    const printers = this.find(entry.id)
      ? this.printers.map((known) => (known.id === entry.id ? entry : known))
      : [...this.printers, entry]
    return await this.#save({ printers, routes: [...this.routes] })
  }

  /** Takes a printer out, with its routes: their paper comes out of the first. */
  async remove(id: string): Promise<boolean> {
    const printers = this.printers.filter((entry) => entry.id !== id)
    return await this.#save({ printers, routes: this.routes.filter(({ printerId }) => printerId !== id) })
  }

  async makeFirst(id: string): Promise<boolean> {
    const entry = this.find(id)
    if (!entry) return false
    const printers = [entry, ...this.printers.filter((other) => other.id !== id)]
    return await this.#save({ printers, routes: [...this.routes] })
  }

  async route(routes: PrintRoute[]): Promise<boolean> {
    return await this.#save({ printers: [...this.printers], routes })
  }

  async #save(setup: PrinterSetup): Promise<boolean> {
    if (this.#saving) return false
    this.#saving = true
    const result = await this.#bridge.printer.save(setup)
    this.#failure = result.ok ? null : result.error
    if (result.ok) {
      this.#setup = result.value
      await this.follow()
    }
    this.#saving = false
    return result.ok
  }
}
