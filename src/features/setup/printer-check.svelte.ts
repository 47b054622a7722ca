import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrinterSettings, PrinterTest } from '#shared/bridge/printer-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** Asks a printer how it is, before anything is kept of it; prints nothing. */
export class PrinterCheck {
  readonly #bridge: ScandeskBridge
  #test = $state.raw<PrinterTest | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #busy = $state(false)
  /** An answer about settings that changed meanwhile is nobody's. */
  #turn = 0

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** Null before one, and after what was tested changed. */
  get test(): PrinterTest | null {
    return this.#test
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get busy(): boolean {
    return this.#busy
  }

  forget(): void {
    this.#turn += 1
    this.#test = null
    this.#failure = null
    this.#busy = false
  }

  async run(settings: PrinterSettings): Promise<void> {
    this.forget()
    const turn = this.#turn
    this.#busy = true
    const result = await this.#bridge.printer.test(settings)
    if (turn !== this.#turn) return
    this.#busy = false
    if (result.ok) this.#test = result.value
    else this.#failure = result.error
  }
}
