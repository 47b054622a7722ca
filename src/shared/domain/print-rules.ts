import type { PrintHold } from './print-hold.ts'
import { isOnPaper, type PrintState } from './print-state.ts'

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
