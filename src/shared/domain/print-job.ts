import { z } from 'zod'

/**
 * States of a print job (ARCHITECTURE.md, Printing). `sent`: every byte was handed over; `spooled`: another queue
 * has it; `confirmed`: the device or the operator said so; `scan_confirmed`: the printed label was scanned.
 * `unknown` is held for the operator and never resent by itself; `failed`: nothing came out and nothing will by itself.
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
  sending: ['sent', 'spooled', 'confirmed', 'refused', 'unknown', 'failed'],
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

/** Whether paper came out, as far as the desk knows: a PDF in a folder (`isFile`) is paper only once it was scanned. */
export function isOnPaper(state: PrintState, isFile: boolean): boolean {
  if (state === 'scan_confirmed') return true
  return !isFile && (state === 'sent' || state === 'spooled' || state === 'confirmed')
}

/** Whether the job still needs the printer or the operator. */
export function isPrintOpen(state: PrintState): boolean {
  return state === 'queued' || state === 'sending' || state === 'refused' || state === 'unknown'
}

/**
 * Why a job waits before anything of it is sent: what would come out was looked at, and is not the label it should be.
 * `nothing_readable`: no barcode on it can be read; `another_label`: it bears the code of another label of this desk;
 * `does_not_fit`: the printer's paper cannot carry it with its barcodes readable.
 */
export const printHold = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('nothing_readable') }),
  z.object({ kind: z.literal('another_label'), code: z.string(), title: z.string() }),
  z.object({
    kind: z.literal('does_not_fit'),
    neededMm: z.number().nullable(),
    printableMm: z.number().nullable(),
  }),
])
export type PrintHold = z.infer<typeof printHold>

/** Degrees clockwise; `auto`: as it fits. */
export const printTurn = z.union([
  z.literal('auto'),
  z.literal(0),
  z.literal(90),
  z.literal(180),
  z.literal(270),
])

/** How an operator wants a document laid on the paper; `auto` is what the desk finds best. */
export const printPlacement = z.object({
  turn: printTurn,
  /** `page`: the whole page; `ink`: what is printed on it; `auto`: the label that stands on it. */
  crop: z.enum(['auto', 'page', 'ink']),
})
export type PrintPlacement = z.infer<typeof printPlacement>

/** How a page really came to lie on its paper, and which part of the document's page it shows; `label`: one of a sheet. */
export const printLaid = z.object({
  turn: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  part: z.enum(['page', 'ink', 'label']),
})
export type PrintLaid = z.infer<typeof printLaid>

/** Why somebody printed a label once more. `not_out`: nobody knew whether it came out, and the operator said no. */
export const reprintReasons = ['damaged', 'lost', 'misprint', 'not_out', 'other'] as const
export type ReprintReason = (typeof reprintReasons)[number]

/** What a print job looks like to somebody who has to decide about it. */
export interface PrintStanding {
  readonly state: PrintState
  /** Why it waits for somebody before anything is sent. */
  readonly hold: PrintHold['kind'] | null
  /** The folder printer wrote it. */
  readonly isFile: boolean
  /** Another printer stands here. */
  readonly hasOther: boolean
}

/**
 * `came_out`, `print_again`: the answers to "did it come out?"; `print_anyway`: although it was held; `place`: turned or
 * cut otherwise; `move`: to another printer; `retry`: now instead of later; `give_up`: no paper is wanted any more.
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
 * What may be done about a print job, in the order in which it is offered. A job that may have printed is never moved or
 * sent again as if it had not: a second paper is a print of its own, marked as one.
 */
export function printChoicesOf({ state, hold, isFile, hasOther }: PrintStanding): PrintChoice[] {
  const move: PrintChoice[] = hasOther ? ['move'] : []
  switch (state) {
    case 'queued':
    case 'refused':
      // what the paper cannot carry cannot be printed whatever somebody says
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

/** Whether a person has to say something before it goes on. */
export function asksAboutPrint(state: PrintState, isHeld: boolean): boolean {
  return state === 'unknown' || (isHeld && (state === 'queued' || state === 'refused'))
}

/** Whether its paper still waits to be scanned: until then nobody knows that it is on the right parcel. */
export function awaitsScanBack(state: PrintState, isFile: boolean): boolean {
  return isOnPaper(state, isFile) && state !== 'scan_confirmed'
}
