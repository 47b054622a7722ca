import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrinterSettings, PrinterTest, PrintQueues } from '#shared/bridge/printer-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import {
  type IppDraft,
  ippDraft,
  ippSettings,
  isIppSideWrong,
  isIppUriWrong,
  newIppDraft,
} from './ipp-draft.ts'
import {
  addressDraft,
  type AddressDraft,
  addressOf,
  deviceOf,
  newAddressDraft,
  portOf,
} from './printer-address.ts'
import { isZplWrong, newZplDraft, type ZplDraft, zplDraft, zplSettings } from './zpl-draft.ts'

export type PrinterKind = PrinterSettings['kind']
type NetworkPrinter = Extract<PrinterSettings, { kind: 'escpos' }>

export const paperWidths = [58, 80, 104] as const satisfies readonly NetworkPrinter['paperMm'][]
export const resolutions = [203, 300] as const satisfies readonly NetworkPrinter['dpi'][]

/** What is typed about a printer. */
interface PrinterDraft extends AddressDraft {
  kind: PrinterKind
  paperMm: NetworkPrinter['paperMm']
  dpi: NetworkPrinter['dpi']
}

/** The printer of this computer, and the form for another one. */
export class PrinterState {
  readonly draft = $state<PrinterDraft>({ kind: 'folder', ...newAddressDraft, paperMm: 104, dpi: 203 })
  /** What only a printer of labels needs to be told. */
  readonly zpl = $state<ZplDraft>({ ...newZplDraft })
  /** What only a printer that speaks IPP needs to be told; an address of its own, too. */
  readonly ipp = $state<IppDraft>({ ...newIppDraft })
  readonly #bridge: ScandeskBridge
  #current = $state.raw<PrinterSettings | null>(null)
  #test = $state.raw<PrinterTest | null>(null)
  #queues = $state.raw<PrintQueues | null>(null)
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
  /** What this computer prints on by itself; null until it is looked for. */
  get queues(): PrintQueues | null {
    return this.#queues
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
  get isDeviceWrong(): boolean {
    return this.#tried && deviceOf(this.draft.device) === null
  }
  isZplWrong(field: Parameters<typeof isZplWrong>[1]): boolean {
    return this.#tried && isZplWrong(this.zpl, field)
  }
  get isUriWrong(): boolean {
    return this.#tried && isIppUriWrong(this.ipp)
  }
  isSideWrong(side: Parameters<typeof isIppSideWrong>[1]): boolean {
    return this.#tried && isIppSideWrong(this.ipp, side)
  }
  /** Whether the draft is what is in use already. */
  get isCurrent(): boolean {
    const settings = this.#settings()
    return settings !== null && JSON.stringify(settings) === JSON.stringify(this.#current)
  }

  async load(): Promise<void> {
    const result = await this.#bridge.printer.setup()
    this.#failure = result.ok ? null : result.error
    const first = result.ok ? result.value.printers[0] : undefined
    if (first) this.#take(first.settings)
  }

  /** Looks for the queues of this computer; what cannot be asked has none. */
  async discover(): Promise<void> {
    const result = await this.#bridge.printer.discover()
    this.#queues = result.ok ? result.value : { isThere: false, queues: [] }
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
      const now = await this.#bridge.printer.setup()
      if (!now.ok) {
        this.#failure = now.error
        return
      }
      const [first, ...others] = now.value.printers
      if (!first) return
      const printers = [{ ...first, settings }, ...others]
      const result = await this.#bridge.printer.save({ ...now.value, printers })
      if (result.ok) this.#take(settings)
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
    if (kind === 'ipp') return ippSettings(this.ipp, dpi)
    if (kind === 'windows') return null
    const address = addressOf(this.draft)
    if (address === null) return null
    return kind === 'zpl' ? zplSettings(this.zpl, { ...address, dpi }) : { kind, ...address, paperMm, dpi }
  }

  #take(settings: PrinterSettings): void {
    this.#current = settings
    this.#tried = false
    this.draft.kind = settings.kind
    if (settings.kind === 'folder') return
    this.draft.dpi = settings.dpi
    if (settings.kind === 'windows') return
    if (settings.kind === 'ipp') {
      Object.assign(this.ipp, ippDraft(settings))
      return
    }
    Object.assign(this.draft, addressDraft(settings))
    if (settings.kind === 'zpl') Object.assign(this.zpl, zplDraft(settings))
    else this.draft.paperMm = settings.paperMm
  }
}
