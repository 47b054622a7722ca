import type { PrinterSettings } from '#shared/bridge/printer-views.ts'
import { paperLimits } from './ipp-draft.ts'
import { wholeNumber } from './zpl-draft.ts'

type WindowsSettings = Extract<PrinterSettings, { kind: 'windows' }>
type PaperSide = keyof WindowsSettings['media']

/** What is typed about a printer of Windows: which one, and its paper in millimetres. */
export type WindowsDraft = Record<PaperSide, string> & { queue: string }

export const newWindowsDraft: WindowsDraft = { queue: '', widthMm: '102', heightMm: '152' }

export function isWindowsSideWrong(draft: WindowsDraft, side: PaperSide): boolean {
  return wholeNumber(draft[side], paperLimits[side]) === null
}

/** The draft as the contract takes it, or null where something is wrong. */
export function windowsSettings(draft: WindowsDraft, dpi: WindowsSettings['dpi']): WindowsSettings | null {
  const queue = draft.queue.trim()
  const widthMm = wholeNumber(draft.widthMm, paperLimits.widthMm)
  const heightMm = wholeNumber(draft.heightMm, paperLimits.heightMm)
  return queue === '' || widthMm === null || heightMm === null
    ? null
    : { kind: 'windows', queue, media: { widthMm, heightMm }, dpi }
}

export function windowsDraft({ queue, media }: WindowsSettings): WindowsDraft {
  return { queue, widthMm: String(media.widthMm), heightMm: String(media.heightMm) }
}
