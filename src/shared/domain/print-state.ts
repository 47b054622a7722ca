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
