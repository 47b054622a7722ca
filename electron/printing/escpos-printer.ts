import type { PrinterPort } from '#desk/ports/printers.ts'
import { type EscposTimeouts, exchange } from './escpos-exchange.ts'
import { escposStatus } from './escpos-status.ts'
import { createRawPrinter, type PrinterAddress, type PrinterNaming } from './raw-printer.ts'

const standardTimeouts: EscposTimeouts = {
  connectMs: 3_000,
  statusMs: 1_000,
  stallMs: 15_000,
  labelMs: 10_000,
  settleMs: 250,
  closeMs: 5_000,
}

export type EscposPrinterOptions = PrinterAddress &
  PrinterNaming & {
    /** Width of the paper; what prints on it is less. */
    readonly paperMm: 58 | 80 | 104
    readonly dpi: 203 | 300
    readonly timeouts?: EscposTimeouts
  }

/** Dots that print across a paper: 48, 72 and 104 mm of it. */
export const escposWidthDots = {
  203: { 58: 384, 80: 576, 104: 832 },
  300: { 58: 567, 80: 850, 104: 1228 },
} as const

/**
 * A receipt or label printer that speaks ESC/POS. Refused: only before the first byte of the label left, for
 * asking how the printer is leaves no trace on paper. Confirmed: a printer that answers said in turn, behind the
 * label, that it got there, and that it was ready then; evidence are its bytes. Sent: a printer without status took
 * every byte and closed in order. All else nobody knows. It never tries again by itself.
 */
export function createEscposPrinter(options: EscposPrinterOptions): PrinterPort {
  const timeouts = options.timeouts ?? standardTimeouts

  return createRawPrinter({
    naming: options,
    address: options,
    paper: { dpi: options.dpi, widthDots: escposWidthDots[options.dpi][options.paperMm] },
    timeouts,
    ask: (connection) => escposStatus(connection).now(timeouts.statusMs),
    exchange: (connection, labels) => exchange(connection, labels, timeouts),
  })
}
