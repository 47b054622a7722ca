import type { PrinterCondition, PrinterPort } from '#desk/ports/printers.ts'
import type { Bitmap } from '#labels/bitmap.ts'
import type { RasterPaper } from '#labels/raster.ts'
import { rasteriseInThread } from '#labels/raster-in-thread.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { type Course, outcomeOf } from './course.ts'
import { openRaw, type RawConnection } from './raw-sender.ts'

/** What one language of printers adds to a connection and a bitmap. */
export interface RawPrinterParts {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly paper: RasterPaper
  readonly timeouts: { readonly connectMs: number; readonly statusMs: number }
  /** Why the printer would not print now, null if it would; null in all where it does not tell. */
  readonly ask: (connection: RawConnection) => Promise<{ readonly cause: string | null } | null>
  readonly exchange: (connection: RawConnection, labels: readonly Bitmap[]) => Promise<Course>
}

/** A printer of labels over TCP: a new connection each time, the document made dots before it is opened. */
export function createRawPrinter(parts: RawPrinterParts): PrinterPort {
  const { name, timeouts } = parts
  const refused = (cause: string): PrinterCondition => ({
    state: 'refused',
    failure: failure('printer.refused', { printer: name, cause }),
  })

  return {
    name,
    folder: null,
    async status() {
      const connection = await openRaw(parts, timeouts.connectMs)
      if ('cause' in connection) return refused(connection.cause)
      const report = await parts.ask(connection)
      await connection.finish(timeouts.statusMs)
      if (!report) return { state: 'unknown', failure: null }
      return report.cause === null ? { state: 'ready', failure: null } : refused(report.cause)
    },
    async print({ document }) {
      let labels: Bitmap[]
      try {
        labels = await rasteriseInThread(document, parts.paper)
      } catch (error) {
        const known = error instanceof CataloguedError ? error.failure : failure('document.unreadable')
        return { kind: 'refused', failure: known }
      }
      const connection = await openRaw(parts, timeouts.connectMs)
      if ('cause' in connection) return outcomeOf({ kind: 'refused', cause: connection.cause }, name)
      const course = await parts.exchange(connection, labels)
      await connection.finish(timeouts.statusMs)
      return outcomeOf(course, name)
    },
    // paper leaves no trace that a program could find
    lookFor: () => Promise.resolve(null),
  }
}
