import type { PrinterEntry, PrinterSettings, PrintQueues } from '#shared/bridge/printer-views.ts'
import {
  type IppDraft,
  ippDraft,
  ippSettings,
  isIppSideWrong,
  isIppUriWrong,
  newIppDraft,
} from './ipp-draft.ts'
import {
  type LayoutDraft,
  layoutDraft,
  layoutOf,
  offsetOf,
  type OffsetSide,
  plainLayout,
} from './layout-draft.ts'
import {
  addressDraft,
  type AddressDraft,
  addressOf,
  deviceOf,
  hostOf,
  newAddressDraft,
  portOf,
} from './printer-address.ts'
import { longestTitle, savedTitle, shownTitle } from './printer-title.ts'
import {
  isWindowsSideWrong,
  newWindowsDraft,
  type WindowsDraft,
  windowsDraft,
  windowsSettings,
} from './windows-draft.ts'
import { isZplWrong, newZplDraft, type ZplDraft, zplDraft, zplSettings } from './zpl-draft.ts'

export type PrinterKind = PrinterSettings['kind']
type ReceiptPrinter = Extract<PrinterSettings, { kind: 'escpos' }>

export const paperWidths = [58, 80, 104] as const satisfies readonly ReceiptPrinter['paperMm'][]
export const resolutions = [203, 300] as const satisfies readonly ReceiptPrinter['dpi'][]

interface Fields extends AddressDraft {
  title: string
  kind: PrinterKind
  paperMm: ReceiptPrinter['paperMm']
  dpi: ReceiptPrinter['dpi']
}

/** What is typed about one printer, new or known; tells what of it is wrong once somebody tried to use it. */
export class PrinterDraft {
  readonly id: string
  readonly isNew: boolean
  readonly fields = $state<Fields>({ ...newAddressDraft, title: '', kind: 'zpl', paperMm: 104, dpi: 203 })
  /** What only a printer of labels needs to be told. */
  readonly zpl = $state<ZplDraft>({ ...newZplDraft })
  /** What only a printer that speaks IPP needs to be told; an address of its own, too. */
  readonly ipp = $state<IppDraft>({ ...newIppDraft })
  /** What only a printer of Windows needs to be told. */
  readonly windows = $state<WindowsDraft>({ ...newWindowsDraft })
  readonly layout = $state<LayoutDraft>(layoutDraft(plainLayout))
  readonly #begun: string
  /** The name that the last choice brought: whoever has not changed it takes the next one's. */
  #offered = ''
  #triedToTest = $state(false)
  #triedToSave = $state(false)

  /** `from`: an entry that is kept, or the id of a new one. */
  constructor(from: PrinterEntry | string) {
    this.isNew = typeof from === 'string'
    this.id = typeof from === 'string' ? from : from.id
    if (typeof from !== 'string') this.#fill(from)
    this.#begun = this.#typed()
  }

  get isChanged(): boolean {
    return this.#typed() !== this.#begun
  }
  get isTitleMissing(): boolean {
    return this.#triedToSave && this.fields.title.trim() === ''
  }
  get isTitleLong(): boolean {
    return this.#triedToSave && this.fields.title.trim().length > longestTitle
  }
  get isHostMissing(): boolean {
    return this.#tried && this.fields.host.trim() === ''
  }
  /** Something is typed, and it is no address. */
  get isHostWrong(): boolean {
    return this.#tried && !this.isHostMissing && hostOf(this.fields.host) === null
  }
  get isPortWrong(): boolean {
    return this.#tried && portOf(this.fields.port) === null
  }
  get isDeviceWrong(): boolean {
    return this.#tried && deviceOf(this.fields.device) === null
  }
  get isUriWrong(): boolean {
    return this.#tried && isIppUriWrong(this.ipp)
  }
  isZplWrong(field: Parameters<typeof isZplWrong>[1]): boolean {
    return this.#tried && isZplWrong(this.zpl, field)
  }
  isSideWrong(side: Parameters<typeof isIppSideWrong>[1]): boolean {
    return this.#tried && isIppSideWrong(this.ipp, side)
  }
  get isQueueMissing(): boolean {
    return this.#tried && this.windows.queue.trim() === ''
  }
  isWindowsSideWrong(side: Parameters<typeof isWindowsSideWrong>[1]): boolean {
    return this.#tried && isWindowsSideWrong(this.windows, side)
  }
  isOffsetWrong(side: OffsetSide): boolean {
    return this.#triedToSave && offsetOf(this.layout[side]) === null
  }

  /** A queue of this computer: its address, and its name unless somebody already typed one. */
  choose({ name, uri }: PrintQueues['queues'][number]): void {
    this.fields.kind = 'ipp'
    this.ipp.uri = uri
    this.#offerTitle(name)
  }

  /** A printer of Windows, by its name there; the draft is called so as well unless somebody already typed a name. */
  chooseWindows(name: string): void {
    this.fields.kind = 'windows'
    this.windows.queue = name
    this.#offerTitle(name)
  }

  #offerTitle(name: string): void {
    const title = this.fields.title.trim()
    if (this.isNew && (title === '' || title === this.#offered)) this.fields.title = name
    this.#offered = name
  }

  /** The settings as the contract takes them, or null where something is missing; from then on it tells what. */
  settingsToTest(): PrinterSettings | null {
    this.#triedToTest = true
    return this.#settings()
  }

  /** All of it as the contract takes it, or null where something is missing; from then on it tells what. */
  entryToSave(): PrinterEntry | null {
    this.#triedToSave = true
    const settings = this.#settings()
    // a file has no paper that it could lie on
    const layout = settings?.kind === 'folder' ? plainLayout : layoutOf(this.layout)
    const title = savedTitle(this.fields.title)
    return settings === null || layout === null || title === '' || title.length > longestTitle
      ? null
      : { id: this.id, title, settings, layout }
  }

  get #tried(): boolean {
    return this.#triedToTest || this.#triedToSave
  }

  #settings(): PrinterSettings | null {
    const { kind, paperMm, dpi } = this.fields
    if (kind === 'folder') return { kind }
    if (kind === 'ipp') return ippSettings(this.ipp, dpi)
    if (kind === 'windows') return windowsSettings(this.windows, dpi)
    const address = addressOf(this.fields)
    if (address === null) return null
    return kind === 'zpl' ? zplSettings(this.zpl, { ...address, dpi }) : { kind, ...address, paperMm, dpi }
  }

  #typed(): string {
    return JSON.stringify([this.fields, this.zpl, this.ipp, this.windows, this.layout])
  }

  #fill({ title, settings, layout }: PrinterEntry): void {
    this.fields.title = shownTitle(title)
    this.fields.kind = settings.kind
    Object.assign(this.layout, layoutDraft(layout))
    if (settings.kind === 'folder') return
    this.fields.dpi = settings.dpi
    if (settings.kind === 'ipp') Object.assign(this.ipp, ippDraft(settings))
    else if (settings.kind === 'windows') Object.assign(this.windows, windowsDraft(settings))
    else this.#fillAddress(settings)
  }

  #fillAddress(settings: Extract<PrinterSettings, { kind: 'zpl' | 'escpos' }>): void {
    Object.assign(this.fields, addressDraft(settings))
    if (settings.kind === 'zpl') Object.assign(this.zpl, zplDraft(settings))
    else this.fields.paperMm = settings.paperMm
  }
}
