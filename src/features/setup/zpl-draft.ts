import type { PrinterSettings } from '#shared/bridge/printer-views.ts'

type ZplSettings = Extract<PrinterSettings, { kind: 'zpl' }>
type ZplNumber = 'widthMm' | 'darkness' | 'inchesPerSecond'

/** What is typed about a ZPL printer besides where it is; numbers are texts until they are numbers. */
export type ZplDraft = Record<ZplNumber, string> & Pick<ZplSettings, 'media' | 'graphics'>

/** What a printer takes, as the contract has it. */
export const zplLimits: Readonly<Record<ZplNumber, { readonly least: number; readonly most: number }>> = {
  widthMm: { least: 20, most: 220 },
  darkness: { least: 0, most: 30 },
  inchesPerSecond: { least: 2, most: 14 },
}

export const newZplDraft: ZplDraft = {
  widthMm: '104',
  darkness: '',
  inchesPerSecond: '',
  media: 'label',
  graphics: 'z64',
}

/** A text that is a whole number within limits, else null. */
export function wholeNumber(text: string, { least, most }: { least: number; most: number }): number | null {
  const number = /^\d{1,5}$/.test(text.trim()) ? Number(text.trim()) : null
  return number !== null && number >= least && number <= most ? number : null
}

/** Whether a field is neither a number that the printer takes nor, where that is allowed, empty. */
export function isZplWrong(draft: ZplDraft, field: ZplNumber): boolean {
  const isLeftOut = field !== 'widthMm' && draft[field].trim() === ''
  return !isLeftOut && wholeNumber(draft[field], zplLimits[field]) === null
}

/** The draft as the contract takes it, with the address and resolution given, or null where a number is wrong. */
export function zplSettings(
  draft: ZplDraft,
  { host, port, device, dpi }: Pick<ZplSettings, 'host' | 'port' | 'device' | 'dpi'>,
): ZplSettings | null {
  const { media, graphics } = draft
  const widthMm = wholeNumber(draft.widthMm, zplLimits.widthMm)
  if (widthMm === null || isZplWrong(draft, 'darkness') || isZplWrong(draft, 'inchesPerSecond')) return null
  const darkness = wholeNumber(draft.darkness, zplLimits.darkness)
  const inchesPerSecond = wholeNumber(draft.inchesPerSecond, zplLimits.inchesPerSecond)
  const address = { host, port, ...(device === undefined ? {} : { device }) }
  return { kind: 'zpl', ...address, widthMm, dpi, media, darkness, inchesPerSecond, graphics }
}

export function zplDraft({ widthMm, darkness, inchesPerSecond, media, graphics }: ZplSettings): ZplDraft {
  const text = (number: number | null): string => (number === null ? '' : String(number))
  return {
    widthMm: text(widthMm),
    darkness: text(darkness),
    inchesPerSecond: text(inchesPerSecond),
    media,
    graphics,
  }
}
