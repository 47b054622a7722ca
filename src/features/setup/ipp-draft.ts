import type { PrinterSettings } from '#shared/bridge/printer-views.ts'
import { ippUri } from '#shared/domain/print-media.ts'
import { wholeNumber } from './zpl-draft.ts'

type IppSettings = Extract<PrinterSettings, { kind: 'ipp' }>
type IppSide = 'widthMm' | 'heightMm'

/** What is typed about a printer that speaks IPP; `media` is a paper's name, or `size` where it has none. */
export type IppDraft = Record<IppSide, string> & { uri: string; media: string }

export const namedMedia = ['na_index-4x6_4x6in', 'iso_a6_105x148mm', 'iso_a4_210x297mm'] as const

/** What the contract takes, in millimetres. */
export const paperLimits: Readonly<Record<IppSide, { readonly least: number; readonly most: number }>> = {
  widthMm: { least: 20, most: 300 },
  heightMm: { least: 20, most: 600 },
}

export const newIppDraft: IppDraft = { uri: '', media: namedMedia[0], widthMm: '102', heightMm: '152' }

export function isIppUriWrong({ uri }: IppDraft): boolean {
  return !ippUri.test(uri.trim())
}

export function isIppSideWrong(draft: IppDraft, side: IppSide): boolean {
  return draft.media === 'size' && wholeNumber(draft[side], paperLimits[side]) === null
}

/** The draft as the contract takes it, or null where something is wrong. */
export function ippSettings(draft: IppDraft, dpi: IppSettings['dpi']): IppSettings | null {
  const uri = draft.uri.trim()
  if (isIppUriWrong(draft)) return null
  if (draft.media !== 'size') return { kind: 'ipp', uri, media: draft.media, dpi }
  const widthMm = wholeNumber(draft.widthMm, paperLimits.widthMm)
  const heightMm = wholeNumber(draft.heightMm, paperLimits.heightMm)
  return widthMm === null || heightMm === null
    ? null
    : { kind: 'ipp', uri, media: { widthMm, heightMm }, dpi }
}

export function ippDraft({ uri, media }: IppSettings): Partial<IppDraft> {
  if (typeof media === 'string') return { uri, media }
  return { uri, media: 'size', widthMm: String(media.widthMm), heightMm: String(media.heightMm) }
}
