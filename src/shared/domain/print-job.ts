import { z } from 'zod'

/**
 * States of a print job (ARCHITECTURE.md, Printing). `sent`: every byte was transmitted; `spooled`: another queue
 * accepted it; `confirmed`: the device or the operator confirmed it; `scan_confirmed`: the printed label was scanned.
 * `unknown` waits for the operator and is never resent automatically. `failed`: nothing was printed, and the desk will
 * not try again automatically.
 */
export const printStates = [
  'queued',
  'sending',
  'sent',
  'spooled',
  'confirmed',
  'scan_confirmed',
  'refused',
  'unknown',
  'failed',
] as const
export type PrintState = (typeof printStates)[number]

const next: Record<PrintState, readonly PrintState[]> = {
  queued: ['sending', 'failed'],
  sending: ['sent', 'spooled', 'confirmed', 'scan_confirmed', 'refused', 'unknown', 'failed'],
  sent: ['confirmed', 'scan_confirmed', 'unknown'],
  spooled: ['confirmed', 'scan_confirmed', 'unknown', 'failed'],
  confirmed: ['scan_confirmed'],
  scan_confirmed: [],
  refused: ['queued', 'failed'],
  unknown: ['confirmed', 'scan_confirmed', 'failed'],
  failed: [],
}

export function canMovePrint(from: PrintState, to: PrintState): boolean {
  return next[from].includes(to)
}

/**
 * Whether the label is printed, as far as the desk can determine: a PDF in a folder (`isFile`) counts only once the
 * paper was scanned.
 */
export function isOnPaper(state: PrintState, isFile: boolean): boolean {
  if (state === 'scan_confirmed') return true
  return !isFile && awaitsScanBack(state)
}

/** Whether the job still needs the printer or the operator. */
export function isPrintOpen(state: PrintState): boolean {
  return state === 'queued' || state === 'sending' || state === 'refused' || state === 'unknown'
}

/**
 * Why a print job waits before it is sent: the desk examined the page, and the page is possibly not the expected label
 * or would not be readable on the paper. `nothing_readable`: no barcode on it can be read; `another_label`: it has the
 * code of another label of this desk; `does_not_fit`: its barcodes would not be readable on the printer's paper;
 * `refused`: the printer refused the document several times, and may accept the documents of other jobs; `not_drawn`:
 * the desk could not draw it several times, for a reason that may pass.
 */
export const printHold = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('nothing_readable') }),
  z.object({ kind: z.literal('another_label'), code: z.string(), title: z.string() }),
  z.object({
    kind: z.literal('does_not_fit'),
    neededMm: z.number().nullable(),
    printableMm: z.number().nullable(),
  }),
  z.object({ kind: z.literal('refused') }),
  z.object({ kind: z.literal('not_drawn') }),
])
export type PrintHold = z.infer<typeof printHold>

/** Rotation in degrees, clockwise; `auto`: the rotation that fits. */
export const printTurn = z.union([
  z.literal('auto'),
  z.literal(0),
  z.literal(90),
  z.literal(180),
  z.literal(270),
])

/** How an operator wants a document placed on the paper; `auto` is the best placement that the desk finds. */
export const printPlacement = z.object({
  turn: printTurn,
  /**
   * The part of the document that is printed. `page`: the whole page; `ink`: its printed part; `auto`: the whole page
   * if it fits, otherwise its printed part or each label on it.
   */
  crop: z.enum(['auto', 'page', 'ink']),
})
export type PrintPlacement = z.infer<typeof printPlacement>

/**
 * How a page was placed on its paper (`turn`), and which part of the document's page was printed (`part`). The part
 * `label` is one label of a sheet.
 */
export const printLaid = z.object({
  turn: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  part: z.enum(['page', 'ink', 'label']),
})
export type PrintLaid = z.infer<typeof printLaid>

/**
 * Why an operator printed a label again. `not_out`: it was uncertain whether the label was printed, and the operator
 * decided that it was not.
 */
export const reprintReasons = ['damaged', 'lost', 'misprint', 'not_out', 'other'] as const
export type ReprintReason = (typeof reprintReasons)[number]

/** The facts of a print job on which the operator's choices depend. */
export interface PrintStanding {
  readonly state: PrintState
  /** Why the job waits for an operator before anything is sent. */
  readonly hold: PrintHold['kind'] | null
  /** Whether the folder printer wrote the job as a file. */
  readonly isFile: boolean
  /** Whether the desk has a printer other than the job's printer. */
  readonly hasOther: boolean
}

/**
 * The decisions that are possible about a print job. `came_out`, `print_again`: the answers to the question whether the
 * paper came out of the printer; `print_anyway`: print the label although it was held; `place`: print it with another
 * rotation or crop; `move`: print it on another printer; `retry`: print it now instead of later; `give_up`: no paper is
 * wanted any more.
 */
export const printChoices = [
  'came_out',
  'print_again',
  'print_anyway',
  'place',
  'move',
  'retry',
  'give_up',
] as const
export type PrintChoice = (typeof printChoices)[number]

/**
 * Returns the choices for a print job, in the order in which they are offered. A job that was possibly printed is never
 * moved or sent again. To print the label once more, the desk creates a new job, which is marked as a copy.
 */
export function printChoicesOf({ state, hold, isFile, hasOther }: PrintStanding): PrintChoice[] {
  const move: PrintChoice[] = hasOther ? ['move'] : []
  switch (state) {
    case 'queued':
    case 'refused':
      // a label that does not fit on the paper cannot be printed, whatever the operator decides, so `print_anyway` is
      // not offered
      if (hold === 'does_not_fit') return ['place', ...move, 'give_up']
      return hold !== null
        ? ['place', ...move, 'print_anyway', 'give_up']
        : [...(state === 'refused' ? (['retry'] as const) : []), ...move, 'give_up']
    case 'unknown':
      return ['came_out', 'print_again']
    case 'sent':
    case 'spooled':
      return isFile ? ['print_again'] : ['came_out', 'print_again']
    case 'confirmed':
    case 'scan_confirmed':
    case 'failed':
      return ['print_again']
    case 'sending':
      return []
  }
}

/**
 * Whether a scan of the label proves that a print with an unknown outcome was printed. The scanned paper of a reprint
 * may be an earlier print, and if a job has several pages, others than the scanned one may be missing. `pageCount`: the
 * number of pages that were sent; null: it is not known.
 */
export function provesUnknownPrint(print: {
  readonly isReprint: boolean
  readonly pageCount: number | null
}): boolean {
  return !print.isReprint && print.pageCount === 1
}

/** Whether a print job waits for a decision of the operator. */
export function asksAboutPrint(state: PrintState, isHeld: boolean): boolean {
  return state === 'unknown' || (isHeld && (state === 'queued' || state === 'refused'))
}

/**
 * Whether the paper still has to be scanned: only the scan proves that it is on the right parcel. The scan of a label
 * whose PDF was saved in a folder proves that the label was printed from there.
 */
export function awaitsScanBack(state: PrintState): boolean {
  return state === 'sent' || state === 'spooled' || state === 'confirmed'
}
