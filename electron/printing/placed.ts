import type { PreparedPrint, PrintOutcome, PrintPage, PrintRequest } from '#desk/ports/printers.ts'
import { placedInThread } from '#labels/raster-in-thread.ts'
import type { PrinterLayout } from '#shared/bridge/printer-views.ts'
import type { PrintLaid } from '#shared/domain/print-hold.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, ok, type Result } from '#shared/errors/result.ts'
import type { MediaSize } from './ipp-media.ts'
import { marked } from './mark-copy.ts'
import { layOf } from './printer-layout.ts'
import { readPages } from './read-pages.ts'

interface PlacedPaper {
  /** Null: what the printer is loaded with is not known, so the document goes as it is. */
  readonly size: MediaSize | null
  readonly dpi: number
  readonly layout: PrinterLayout
}

const mmPerInch = 25.4

/**
 * For printers that take the document itself or pictures of its pages: the job with its labels laid on paper of this
 * size, marked where it is a copy, and read as it lies there. Errors: those of `placedInThread`, `marked` and `readPages`.
 */
export async function preparePlaced(
  request: PrintRequest,
  paper: PlacedPaper,
  send: (job: PrintRequest, looked: readonly PrintPage[]) => Promise<PrintOutcome>,
): Promise<Result<PreparedPrint>> {
  const placed = await placedOn(request, paper)
  if (!placed.ok) return placed
  const { job, laid } = placed.value
  const { dpi } = paper
  const widthDots = Math.round(((paper.size?.widthMm ?? 0) / mmPerInch) * dpi)
  const read = await readPages(job.document, { dpi, widthDots })
  if (!read.ok) return read
  // read as the labels lie, so how they came to lie so is what was done before
  const pages = read.value.map((page, at) => ({ ...page, laid: laid[at] }))
  return ok({ dpi, pages, send: () => send(job, pages) })
}

async function placedOn(
  request: PrintRequest,
  { size, dpi, layout }: PlacedPaper,
): Promise<Result<{ readonly job: PrintRequest; readonly laid: readonly PrintLaid[] }>> {
  const markedAs = async (document: Uint8Array, laid: readonly PrintLaid[]): ReturnType<typeof placedOn> => {
    const job = await marked({ ...request, document })
    return job.ok ? ok({ job: job.value, laid }) : job
  }
  if (!size) return markedAs(request.document, [])
  try {
    const { pdf, laid } = await placedInThread(request.document, size, { dpi, ...layOf(request, layout) })
    return await markedAs(pdf, laid)
  } catch (error) {
    const known = error instanceof CataloguedError ? error.failure : failure('document.unreadable')
    return { ok: false, error: known }
  }
}
