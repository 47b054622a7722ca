import type { PrinterPort, PrintOutcome } from '#desk/ports/printers.ts'
import type { Bitmap } from '#labels/bitmap.ts'
import { rasteriseInThread } from '#labels/raster-in-thread.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { type Course, type EscposTimeouts, exchange } from './escpos-exchange.ts'
import { escposStatus } from './escpos-status.ts'
import { openRaw } from './raw-sender.ts'

const standardTimeouts: EscposTimeouts = {
  connectMs: 3_000,
  statusMs: 1_000,
  stallMs: 15_000,
  labelMs: 10_000,
  settleMs: 250,
  closeMs: 5_000,
}

export interface EscposPrinterOptions {
  readonly name: string
  readonly host: string
  readonly port: number
  /** Width of the paper; what prints on it is less. */
  readonly paperMm: 58 | 80 | 104
  readonly dpi: 203 | 300
  readonly timeouts?: EscposTimeouts
}

/** Dots that print across a paper: 48, 72 and 104 mm of it. */
const widthDots = {
  203: { 58: 384, 80: 576, 104: 832 },
  300: { 58: 567, 80: 850, 104: 1228 },
} as const

/**
 * A receipt or label printer that speaks ESC/POS over TCP. Refused: only before the first byte of the label left, for
 * asking how the printer is leaves no trace on paper. Confirmed: a printer that answers said in turn, behind the
 * label, that it got there, and that it was ready then; evidence are its bytes. Sent: a printer without status took
 * every byte and closed in order. All else nobody knows. It never tries again by itself.
 */
export function createEscposPrinter(options: EscposPrinterOptions): PrinterPort {
  const { name } = options
  const timeouts = options.timeouts ?? standardTimeouts
  const paper = { dpi: options.dpi, widthDots: widthDots[options.dpi][options.paperMm] }
  const refusal = (cause: string): Failure => failure('printer.refused', { printer: name, cause })

  return {
    name,
    folder: null,
    async status() {
      const connection = await openRaw(options, timeouts.connectMs)
      if ('cause' in connection) return { state: 'refused', failure: refusal(connection.cause) }
      const report = await escposStatus(connection).now(timeouts.statusMs)
      await connection.finish(timeouts.statusMs)
      if (!report) return { state: 'unknown', failure: null }
      return report.cause
        ? { state: 'refused', failure: refusal(report.cause) }
        : { state: 'ready', failure: null }
    },
    async print({ document }) {
      let labels: Bitmap[]
      try {
        labels = await rasteriseInThread(document, paper)
      } catch (error) {
        const known = error instanceof CataloguedError ? error.failure : failure('document.unreadable')
        return { kind: 'refused', failure: known }
      }
      const connection = await openRaw(options, timeouts.connectMs)
      if ('cause' in connection) return { kind: 'refused', failure: refusal(connection.cause) }
      const course = await exchange(connection, labels, timeouts)
      await connection.finish(timeouts.statusMs)
      return outcomeOf(course, name)
    },
    // paper leaves no trace that a program could find
    lookFor: () => Promise.resolve(null),
  }
}

function outcomeOf(course: Course, printer: string): PrintOutcome {
  switch (course.kind) {
    case 'sent':
      return { kind: 'sent' }
    case 'confirmed':
      return { ...course, file: null }
    case 'refused':
      return { kind: 'refused', failure: failure('printer.refused', { printer, cause: course.cause }) }
    case 'partial':
    case 'unconfirmed': {
      const { kind, cause } = course
      return { kind, failure: failure('printer.outcome_unknown', { printer, cause }) }
    }
  }
}
