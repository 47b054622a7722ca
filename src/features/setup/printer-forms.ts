import { ippUri, type PrinterKind, type SettingsOf } from '#shared/bridge/printer-views.ts'

/**
 * The form of each kind of printer except the label folder: its fields, the errors in them, and the settings that
 * result from them. The form keeps a typed number as text, and a chosen number as a number. The rows of
 * printer-kinds.ts call these functions. The types of the forms are derived from the settings, so that the compiler
 * reports a new setting for which the form has no field.
 */

/** The settings that belong to a single kind of printer. All other settings are common fields. */
type OwnSettings<K extends PrinterKind> = Omit<SettingsOf<K>, 'kind' | 'host' | 'port' | 'device' | 'dpi'>

/** The fields that do not belong to a single kind of printer. They keep their values when another kind is chosen. */
export interface CommonFields extends AddressForm {
  title: string
  kind: PrinterKind
  dpi: SettingsOf<'zpl'>['dpi']
}

/** The fields that belong to a single kind of printer. */
export interface KindForms {
  readonly escpos: EscposForm
  readonly zpl: ZplForm
  readonly ipp: IppForm
  readonly windows: WindowsForm
}

/** The fields of the whole form, except for the layout of a label on the paper. */
export interface PrinterForms {
  readonly fields: CommonFields
  readonly forms: KindForms
}

/** For each field with a fault, the reason why its value cannot be saved. */
export type Faults = Partial<Record<string, 'missing' | 'wrong'>>

/**
 * The values of the form and the faults of the fields of the chosen kind of printer. There are no faults before the
 * operator first tried to save or test the printer.
 */
export interface KindDraft extends PrinterForms {
  faultOf(field: string): 'missing' | 'wrong' | null
}

export function newForms(): PrinterForms {
  return {
    fields: { ...newAddress, title: '', kind: 'zpl', dpi: 203 },
    forms: {
      escpos: { paperMm: 104 },
      zpl: { widthMm: '104', darkness: '', inchesPerSecond: '', media: 'label', graphics: 'z64' },
      ipp: { ...newIppForm },
      windows: { queue: '', widthMm: '102', heightMm: '152' },
    },
  }
}

export const resolutions = [203, 300] as const satisfies readonly CommonFields['dpi'][]

interface Range {
  readonly least: number
  readonly most: number
}

/** Returns the whole number in a text if it is within the limits, otherwise null. */
function wholeNumber(text: string, { least, most }: Range): number | null {
  const number = /^\d{1,5}$/.test(text.trim()) ? Number(text.trim()) : null
  return number !== null && number >= least && number <= most ? number : null
}

function wrongOnes(fields: Readonly<Record<string, boolean>>): Faults {
  const wrong = Object.entries(fields).filter(([, isWrong]) => isWrong)
  return Object.fromEntries(wrong.map(([field]) => [field, 'wrong']))
}

// Fields of the printer form for the address of a printer: in the network or as a device file

export interface AddressForm {
  connection: 'network' | 'device'
  host: string
  port: string
  device: string
}

type Address = Pick<SettingsOf<'escpos'>, 'host' | 'port' | 'device'>

const newAddress: AddressForm = {
  connection: 'network',
  host: '',
  port: '9100',
  device: '/dev/usb/lp0',
}

function portOf(text: string): number | null {
  return wholeNumber(text, { least: 1, most: 65_535 })
}

/**
 * Returns a host name, or an IP address without brackets; null for any other text, such as a URL or an address with a
 * port (the port has a field of its own).
 */
function hostOf(text: string): string | null {
  const host = text.trim()
  const isName = /^[\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)*\.?$/u.test(host)
  const isIpv6 = /^[\da-f]*:[\da-f]*:[\da-f:.]*(%\w+)?$/i.test(host)
  return host.length <= 253 && (isName || isIpv6) ? host : null
}

/**
 * Returns the path of a device file as the bridge accepts it: below /dev, without hidden names, without `..`. Returns
 * null for any other text.
 */
function deviceOf(text: string): string | null {
  const path = text.trim()
  return path.length <= 253 && /^\/dev(\/[\w:@+-][\w.:@+-]*)+$/.test(path) ? path : null
}

export function addressFaults({ connection, host, port, device }: AddressForm): Faults {
  if (connection === 'device') return wrongOnes({ device: deviceOf(device) === null })
  const faults = wrongOnes({ host: hostOf(host) === null, port: portOf(port) === null })
  return host.trim() === '' ? { ...faults, host: 'missing' } : faults
}

/** Returns the address in the form that the bridge requires, or null if a value is missing or wrong. */
export function addressOf(form: AddressForm): Address | null {
  const device = deviceOf(form.device)
  if (form.connection === 'device') return device === null ? null : { host: '', port: 9100, device }
  const host = hostOf(form.host)
  const port = portOf(form.port)
  return host === null || port === null ? null : { host, port }
}

export function addressForm({ host, port, device }: Address): AddressForm {
  return device === undefined
    ? { ...newAddress, host, port: String(port) }
    : { ...newAddress, connection: 'device', device }
}

// Fields of the printer form for receipt printers

export type EscposForm = OwnSettings<'escpos'>

export const paperWidths = [58, 80, 104] as const satisfies readonly EscposForm['paperMm'][]

export function escposForm({ paperMm }: SettingsOf<'escpos'>): EscposForm {
  return { paperMm }
}

// Fields of the printer form for label printers

type ZplSettings = SettingsOf<'zpl'>
type ZplNumber = 'widthMm' | 'darkness' | 'inchesPerSecond'

export type ZplForm = Record<ZplNumber, string> & Omit<OwnSettings<'zpl'>, ZplNumber>

/** The limits of each number, as in the contract of the bridge. */
export const zplLimits: Readonly<Record<ZplNumber, Range>> = {
  widthMm: { least: 20, most: 220 },
  darkness: { least: 0, most: 30 },
  inchesPerSecond: { least: 2, most: 14 },
}

/**
 * Whether the text of a field is wrong: it is not a number that the printer accepts, or it is empty although a number
 * is required.
 */
function isZplWrong(form: ZplForm, field: ZplNumber): boolean {
  const isLeftOut = field !== 'widthMm' && form[field].trim() === ''
  return !isLeftOut && wholeNumber(form[field], zplLimits[field]) === null
}

export function zplFaults(form: ZplForm): Faults {
  return wrongOnes({
    widthMm: isZplWrong(form, 'widthMm'),
    darkness: isZplWrong(form, 'darkness'),
    inchesPerSecond: isZplWrong(form, 'inchesPerSecond'),
  })
}

/**
 * Returns the settings in the form that the bridge requires, with the given address and resolution, or null if a number
 * is wrong.
 */
export function zplSettings(
  form: ZplForm,
  { host, port, device, dpi }: Pick<ZplSettings, 'host' | 'port' | 'device' | 'dpi'>,
): ZplSettings | null {
  const { media, graphics } = form
  const widthMm = wholeNumber(form.widthMm, zplLimits.widthMm)
  if (widthMm === null || isZplWrong(form, 'darkness') || isZplWrong(form, 'inchesPerSecond')) return null
  const darkness = wholeNumber(form.darkness, zplLimits.darkness)
  const inchesPerSecond = wholeNumber(form.inchesPerSecond, zplLimits.inchesPerSecond)
  const address = { host, port, ...(device === undefined ? {} : { device }) }
  return { kind: 'zpl', ...address, widthMm, dpi, media, darkness, inchesPerSecond, graphics }
}

export function zplForm({ widthMm, darkness, inchesPerSecond, media, graphics }: ZplSettings): ZplForm {
  const text = (number: number | null): string => (number === null ? '' : String(number))
  return {
    widthMm: text(widthMm),
    darkness: text(darkness),
    inchesPerSecond: text(inchesPerSecond),
    media,
    graphics,
  }
}

// Fields of the printer form for the size of the paper, for IPP printers and Windows printers

type PaperSide = 'widthMm' | 'heightMm'
type PaperForm = Record<PaperSide, string>

/** The limits of each side of the paper, in millimetres, as in the contract of the bridge. */
export const paperLimits: Readonly<Record<PaperSide, Range>> = {
  widthMm: { least: 20, most: 300 },
  heightMm: { least: 20, most: 600 },
}

function sizeOf(form: PaperForm): Record<PaperSide, number> | null {
  const widthMm = wholeNumber(form.widthMm, paperLimits.widthMm)
  const heightMm = wholeNumber(form.heightMm, paperLimits.heightMm)
  return widthMm === null || heightMm === null ? null : { widthMm, heightMm }
}

function sizeFaults(form: PaperForm): Faults {
  return wrongOnes({
    widthMm: wholeNumber(form.widthMm, paperLimits.widthMm) === null,
    heightMm: wholeNumber(form.heightMm, paperLimits.heightMm) === null,
  })
}

// Fields of the printer form for printers and queues that use IPP

type IppSettings = SettingsOf<'ipp'>

/** The fields of a printer that uses IPP. `media` is the name of a paper, or `size` for a paper without a name. */
export type IppForm = PaperForm & Omit<OwnSettings<'ipp'>, 'media'> & { media: string }

export const namedMedia = ['na_index-4x6_4x6in', 'iso_a6_105x148mm', 'iso_a4_210x297mm'] as const

export const newIppForm: IppForm = { uri: '', media: namedMedia[0], widthMm: '102', heightMm: '152' }

export function ippFaults(form: IppForm): Faults {
  const address = wrongOnes({ uri: !ippUri.test(form.uri.trim()) })
  return form.media === 'size' ? { ...address, ...sizeFaults(form) } : address
}

/** Returns the settings in the form that the bridge requires, or null if a value is wrong. */
export function ippSettings(form: IppForm, dpi: IppSettings['dpi']): IppSettings | null {
  const media = form.media === 'size' ? sizeOf(form) : form.media
  const isWrong = Object.keys(ippFaults(form)).length > 0
  return isWrong || media === null ? null : { kind: 'ipp', uri: form.uri.trim(), media, dpi }
}

/** Returns the fields for saved settings. For a paper with a name, the fields of the size are left out. */
export function ippForm({ uri, media }: IppSettings): Omit<IppForm, PaperSide> & Partial<PaperForm> {
  if (typeof media === 'string') return { uri, media }
  return { uri, media: 'size', widthMm: String(media.widthMm), heightMm: String(media.heightMm) }
}

// Fields of the printer form for printers of Windows

type WindowsSettings = SettingsOf<'windows'>

/** The name of the printer in Windows, and the size of its paper. */
export type WindowsForm = PaperForm & Omit<OwnSettings<'windows'>, 'media'>

export function windowsFaults(form: WindowsForm): Faults {
  const faults = sizeFaults(form)
  return form.queue.trim() === '' ? { ...faults, queue: 'missing' } : faults
}

/** Returns the settings in the form that the bridge requires, or null if a value is wrong. */
export function windowsSettings(form: WindowsForm, dpi: WindowsSettings['dpi']): WindowsSettings | null {
  const queue = form.queue.trim()
  const media = sizeOf(form)
  return queue === '' || media === null ? null : { kind: 'windows', queue, media, dpi }
}

export function windowsForm({ queue, media }: WindowsSettings): WindowsForm {
  return { queue, widthMm: String(media.widthMm), heightMm: String(media.heightMm) }
}
