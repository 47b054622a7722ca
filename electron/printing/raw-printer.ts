import type { PreparedPrint, PrinterCondition, PrinterPort } from '#desk/ports/printers.ts'
import type { Bitmap } from '#labels/pixels/bitmap.ts'
import type { RasterPaper } from '#labels/place/lay-labels.ts'
import { plainLayout, type PrinterLayout } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import { type DriverResult, outcomeOf } from './driver-result.ts'
import { copyMarkOf, layOf, readPages } from './prepare-pages.ts'
import { type DeviceAddress, openDevice, openRaw, type RawConnection } from './raw-connection.ts'

/** The address of a printer. */
export type PrinterAddress = { readonly host: string; readonly port: number } | DeviceAddress

/** The names of a printer, and the layout of its paper. */
export interface PrinterNaming {
  readonly name: string
  /** The printer's name for operators; `name` by default. */
  readonly title?: string
  readonly layout?: PrinterLayout
}

/** The parts of a driver that depend on the printer language. */
interface RawPrinterParts {
  readonly naming: PrinterNaming
  readonly address: PrinterAddress
  readonly paper: RasterPaper
  readonly timeouts: { readonly connectMs: number; readonly statusMs: number }
  /**
   * Queries the status. `cause`: why the printer would not print now; null if it would print. Returns null if the
   * printer reports no status.
   */
  readonly ask: (connection: RawConnection) => Promise<{ readonly cause: string | null } | null>
  /**
   * Prints labels over a connection. `hasPart`: whether the printer has probably received only a part of the job
   * before.
   */
  readonly exchange: (
    connection: RawConnection,
    labels: readonly Bitmap[],
    hasPart: boolean,
  ) => Promise<DriverResult>
  /** Called with the cause if no connection could be opened, or if a connection has ended before `finish`. */
  readonly onLost?: (cause: string) => void
}

/**
 * Creates the driver of a label printer. The driver opens a new connection for each job, after the dots of the document
 * were prepared.
 */
export function createRawPrinter(parts: RawPrinterParts): PrinterPort {
  const { timeouts, paper, address } = parts
  const { name, title = name, layout = plainLayout } = parts.naming
  const connectTo = async (): ReturnType<typeof openRaw> => {
    const { connectMs } = timeouts
    const opened = await ('path' in address ? openDevice(address, connectMs) : openRaw(address, connectMs))
    if ('cause' in opened) parts.onLost?.(opened.cause)
    return opened
  }
  const finish = async (connection: RawConnection): Promise<void> => {
    const cause = connection.lost()
    if (cause !== null) parts.onLost?.(cause)
    await connection.finish(timeouts.statusMs)
  }
  const refused = (cause: string): PrinterCondition => ({
    state: 'refused',
    failure: failure('printer.refused', { printer: title, cause }),
  })
  let hasPart = false
  const send = async (labels: readonly Bitmap[]): ReturnType<PreparedPrint['send']> => {
    const connection = await connectTo()
    if ('cause' in connection) return outcomeOf({ kind: 'refused', cause: connection.cause }, title)
    const result = await parts.exchange(connection, labels, hasPart)
    if (result.kind !== 'refused') hasPart = result.kind === 'partial' || result.kind === 'unconfirmed'
    await finish(connection)
    return outcomeOf(result, title)
  }

  return {
    name,
    title,
    folder: null,
    async status() {
      const connection = await connectTo()
      if ('cause' in connection) return refused(connection.cause)
      const report = await parts.ask(connection)
      // a lost connection is reported as the cause, because `send` would also refuse a job whose connection is lost
      const cause = connection.lost() ?? report?.cause ?? null
      await finish(connection)
      if (cause !== null) return refused(cause)
      return { state: report ? 'ready' : 'unknown', failure: null }
    },
    async prepare(request) {
      const pages = await readPages(request.document, paper, {
        ...layOf(request, layout),
        copyMark: copyMarkOf(request),
      })
      if (!pages.ok) return pages
      return ok({ dpi: paper.dpi, pages: pages.value, send: () => send(pages.value) })
    },
    // label printers and receipt printers keep no record of printed jobs, so no earlier job can be found
    lookFor: () => Promise.resolve(new Map()),
  }
}
