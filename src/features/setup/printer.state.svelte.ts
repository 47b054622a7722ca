import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrinterSettings, PrinterTest } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { isZplWrong, newZplDraft, wholeNumber, type ZplDraft, zplDraft, zplSettings } from './zpl-draft.ts'

export type PrinterKind = PrinterSettings['kind']
type NetworkPrinter = Extract<PrinterSettings, { kind: 'escpos' }>

export const paperWidths = [58, 80, 104] as const satisfies readonly NetworkPrinter['paperMm'][]
export const resolutions = [203, 300] as const satisfies readonly NetworkPrinter['dpi'][]

/** What is typed about a printer; the port is a text until it is a number. */
interface PrinterDraft {
  kind: PrinterKind
  host: string
  port: string
  paperMm: NetworkPrinter['paperMm']
  dpi: NetworkPrinter['dpi']
}

/** The printer of this computer, and the form for another one. */
export class PrinterState {
  readonly draft = $state<PrinterDraft>({ kind: 'folder', host: '', port: '9100', paperMm: 104, dpi: 203 })
  /** What only a printer of labels needs to be told. */
  readonly zpl = $state<ZplDraft>({ ...newZplDraft })
  readonly #bridge: ScandeskBridge
  #current = $state.raw<PrinterSettings | null>(null)
  #test = $state.raw<PrinterTest | null>(null)
  #busy = $state<'test' | 'use' | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #tried = $state(false)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** The printer in use; null until it is read. */
  get current(): PrinterSettings | null {
    return this.#current
  }
  /** Result of the last test; null before one, and after the draft changed. */
  get test(): PrinterTest | null {
    return this.#test
  }
  get busy(): 'test' | 'use' | null {
    return this.#busy
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get isHostMissing(): boolean {
    return this.#tried && this.draft.host.trim() === ''
  }
  get isPortWrong(): boolean {
    return this.#tried && portOf(this.draft.port) === null
  }
  isZplWrong(field: Parameters<typeof isZplWrong>[1]): boolean {
    return this.#tried && isZplWrong(this.zpl, field)
  }
  /** Whether the draft is what is in use already. */
  get isCurrent(): boolean {
    const settings = this.#settings()
    return settings !== null && JSON.stringify(settings) === JSON.stringify(this.#current)
  }

  async load(): Promise<void> {
    const result = await this.#bridge.printer.settings()
    this.#failure = result.ok ? null : result.error
    if (result.ok) this.#take(result.value)
  }

  /** A result belongs to what was tested. */
  changed(): void {
    this.#test = null
    this.#failure = null
  }

  async runTest(): Promise<void> {
    await this.#withSettings('test', async (settings) => {
      const result = await this.#bridge.printer.test(settings)
      if (result.ok) this.#test = result.value
      else this.#failure = result.error
    })
  }

  async use(): Promise<void> {
    await this.#withSettings('use', async (settings) => {
      const result = await this.#bridge.printer.use(settings)
      if (result.ok) this.#take(result.value)
      else this.#failure = result.error
    })
  }

  async #withSettings(
    busy: 'test' | 'use',
    run: (settings: PrinterSettings) => Promise<void>,
  ): Promise<void> {
    const settings = this.#settings()
    this.#tried = true
    if (this.#busy !== null || settings === null) return
    this.#busy = busy
    this.#failure = null
    if (busy === 'test') this.#test = null
    await run(settings)
    this.#busy = null
  }

  /** The draft as the contract takes it, or null where something is missing. */
  #settings(): PrinterSettings | null {
    const { kind, paperMm, dpi } = this.draft
    if (kind === 'folder') return { kind }
    const host = this.draft.host.trim()
    const port = portOf(this.draft.port)
    if (host === '' || port === null) return null
    return kind === 'zpl' ? zplSettings(this.zpl, { host, port, dpi }) : { kind, host, port, paperMm, dpi }
  }

  #take(settings: PrinterSettings): void {
    this.#current = settings
    this.#tried = false
    this.draft.kind = settings.kind
    if (settings.kind === 'folder') return
    const { host, port, dpi } = settings
    Object.assign(this.draft, { host, port: String(port), dpi })
    if (settings.kind === 'zpl') Object.assign(this.zpl, zplDraft(settings))
    else this.draft.paperMm = settings.paperMm
  }
}

function portOf(text: string): number | null {
  return wholeNumber(text, { least: 1, most: 65_535 })
}
