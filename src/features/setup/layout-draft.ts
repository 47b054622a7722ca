import type { PrinterLayout } from '#shared/bridge/printer-views.ts'

export type OffsetSide = 'right' | 'down'

/** How everything lies on a printer's paper, as it is typed: millimetres are texts until they are numbers. */
export type LayoutDraft = Record<OffsetSide, string> & { turn: PrinterLayout['turn'] }

export const turns = ['auto', 0, 90, 180, 270] as const satisfies readonly PrinterLayout['turn'][]

/** What the contract takes, in millimetres. */
export const offsetLimit = { most: 20, step: 0.5 } as const

/** A text that is a number of millimetres within limits and steps, else null; nothing typed is none. */
export function offsetOf(text: string): number | null {
  const typed = text.trim().replace('−', '-').replace(',', '.')
  if (typed === '') return 0
  const mm = /^[+-]?\d{1,2}(\.\d{1,2})?$/.test(typed) ? Number(typed) : null
  if (mm === null || Math.abs(mm) > offsetLimit.most || !Number.isInteger(mm / offsetLimit.step)) return null
  // no minus before a zero
  return mm === 0 ? 0 : mm
}

/** One step further, or less far; what cannot be read begins anew at nothing. */
export function stepped(text: string, by: 1 | -1): string {
  const goal = (offsetOf(text) ?? 0) + by * offsetLimit.step
  return offsetText(Math.max(-offsetLimit.most, Math.min(offsetLimit.most, goal)))
}

export function offsetText(mm: number): string {
  return String(mm)
}

export function layoutDraft({ turn, offsetXMm, offsetYMm }: PrinterLayout): LayoutDraft {
  return { turn, right: offsetText(offsetXMm), down: offsetText(offsetYMm) }
}

/** The draft as the contract takes it, or null where a number is wrong. */
export function layoutOf({ turn, right, down }: LayoutDraft): PrinterLayout | null {
  const offsetXMm = offsetOf(right)
  const offsetYMm = offsetOf(down)
  return offsetXMm === null || offsetYMm === null ? null : { turn, offsetXMm, offsetYMm }
}
