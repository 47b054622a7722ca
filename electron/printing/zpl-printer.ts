import type { PrinterPort } from '#desk/ports/printers.ts'
import { createRawPrinter, type PrinterAddress, type PrinterNaming } from './raw-printer.ts'
import type { RawConnection } from './raw-sender.ts'
import type { ZplJobOptions } from './zpl-bytes.ts'
import { exchangeZpl, type ZplTimeouts } from './zpl-exchange.ts'
import { type ZplStatus, zplStatus } from './zpl-status.ts'

const standardTimeouts: ZplTimeouts = {
  connectMs: 3_000,
  statusMs: 2_000,
  pollMs: 250,
  othersMs: 5_000,
  stallMs: 15_000,
  labelMs: 15_000,
  // two inches a second
  inchMs: 500,
  settleMs: 250,
  closeMs: 5_000,
}

export type ZplPrinterOptions = PrinterAddress &
  PrinterNaming &
  ZplJobOptions & {
    /** Of the label, or of what prints of it. */
    readonly widthMm: number
    readonly dpi: 203 | 300
    readonly timeouts?: ZplTimeouts
  }

/** Printers of 203 dpi have 8 dots a millimetre, those of 300 dpi a trifle under 12. */
export const zplDotsPerMm = { 203: 8, 300: 300 / 25.4 } as const

/**
 * A label printer that speaks ZPL. Refused: only before the first byte of the label left, for asking how the
 * printer is leaves no trace on paper. Confirmed: a printer that answers ~HS was seen with the label, then without, and
 * was well for as long as a label takes to come out; evidence are its lines. Sent: it was well all the time and never
 * seen with it, or it does not answer; every byte was taken and the connection closed in order. Many say nothing while
 * they lack paper: one that answered before and is silent now is refused. All else nobody knows. It never tries again
 * by itself.
 */
export function createZplPrinter(options: ZplPrinterOptions): PrinterPort {
  const { dpi, widthMm } = options
  const given = options.timeouts ?? standardTimeouts
  const speed = options.inchesPerSecond
  const timeouts = speed === null ? given : { ...given, inchMs: Math.min(given.inchMs, 1_000 / speed) }
  let isKnownToAnswer = false
  const statusOf = (connection: RawConnection): ZplStatus => {
    const status = zplStatus(connection)
    return {
      async ask(timeoutMs) {
        const report = await status.ask(timeoutMs)
        isKnownToAnswer ||= report !== null
        return report
      },
    }
  }

  return createRawPrinter({
    naming: options,
    address: options,
    paper: { dpi, widthDots: Math.floor(widthMm * zplDotsPerMm[dpi]) },
    timeouts,
    async ask(connection) {
      const report = await statusOf(connection).ask(timeouts.statusMs)
      return report ?? (isKnownToAnswer ? { cause: 'silent' } : null)
    },
    exchange: (connection, labels) =>
      exchangeZpl(connection, statusOf(connection), labels, { dpi, isKnownToAnswer, options, timeouts }),
  })
}
