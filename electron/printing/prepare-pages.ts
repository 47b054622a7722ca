import type { PreparedPrint, PrintOutcome, PrintPage, PrintRequest } from '#desk/ports/printers.ts'
import type { CopyMark } from '#labels/mark/copy-mark.ts'
import type { LabelOptions } from '#labels/place/placement-plan.ts'
import type { RasterPaper } from '#labels/place/lay-labels.ts'
import { layInThread, markPdfInThread, placedInThread, readLabelsInThread } from '#labels/raster-in-thread.ts'
import type { PrinterLayout } from '#shared/bridge/printer-views.ts'
import type { PrintLaid } from '#shared/domain/print-job.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, ok, type Result } from '#shared/errors/result.ts'
import type { MediaSize } from './ipp-media.ts'

/**
 * Renders the pages of a document at the resolution and width of the paper, and reads the barcodes of the rendered
 * pages. Errors: `document.not_a_pdf`, `document.too_large`, `document.unreadable`, `printer.paper_too_narrow`.
 */
export async function readPages(
  document: Uint8Array,
  paper: RasterPaper,
  options: Parameters<typeof readLabelsInThread>[2] = {},
): Promise<Result<readonly PrintPage[]>> {
  try {
    const labels = await readLabelsInThread(document, paper, options)
    return ok(
      labels.map(({ bitmap, symbols, hasUnreadBars, laid }) => ({
        ...bitmap,
        codes: symbols.map(({ text }) => text),
        hasUnreadBars,
        laid,
      })),
    )
  } catch (error) {
    return unreadable(error)
  }
}

/**
 * Returns the placement of a job on the printer's paper. The offset is always that of the printer's layout. The
 * rotation and the printed part are those of the job's own placement; if the job has none, the layout determines the
 * rotation.
 */
export function layOf(
  { placement }: Pick<PrintRequest, 'placement'>,
  { turn, offsetXMm, offsetYMm }: PrinterLayout,
): LabelOptions {
  return { ...(placement ?? { turn }), offset: { xMm: offsetXMm, yMm: offsetYMm } }
}

/**
 * A job whose pages were turned and moved, and the turn in degrees. At 0 degrees the pages have the orientation that a
 * PDF viewer shows.
 */
interface LaidOut {
  readonly request: PrintRequest
  readonly turn: PrintLaid['turn']
}

/**
 * Turns and moves each page as `layOf` determines, for a printer whose paper has the size of the document. Errors:
 * `printer.paper_too_narrow` {neededMm, printableMm}, `document.not_a_pdf`, `document.too_large`,
 * `document.unreadable`.
 */
export async function laidOut(request: PrintRequest, layout: PrinterLayout): Promise<Result<LaidOut>> {
  const { turn: wish = 'auto', offset } = layOf(request, layout)
  const turn = wish === 'auto' ? 0 : wish
  if (!offset || (turn === 0 && offset.xMm === 0 && offset.yMm === 0)) return ok({ request, turn })
  try {
    const document = await layInThread(request.document, { turn, offset })
    return ok({ request: { ...request, document }, turn })
  } catch (error) {
    return unreadable(error)
  }
}

/**
 * Returns the mark of a reprint: a word and the time of the job by this PC's clock. Operators can thereby distinguish
 * the printed copies of a label. Returns null for other jobs.
 */
export function copyMarkOf({
  isReprint,
  createdAt,
}: Pick<PrintRequest, 'isReprint' | 'createdAt'>): CopyMark | null {
  if (!isReprint) return null
  const at = new Date(createdAt)
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${String(at.getFullYear())}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return { word: 'COPY', line: `${day} ${two(at.getHours())}:${two(at.getMinutes())}` }
}

/**
 * Draws the mark into the document of a reprint, for printers that accept the document itself. Returns other jobs
 * unchanged. Errors: `document.not_a_pdf`, `document.too_large`, `document.unreadable`.
 */
export async function marked(request: PrintRequest): Promise<Result<PrintRequest>> {
  const mark = copyMarkOf(request)
  if (mark === null) return ok(request)
  try {
    return ok({ ...request, document: await markPdfInThread(request.document, mark) })
  } catch (error) {
    return unreadable(error)
  }
}

interface PlacedPaper {
  /** The size of the paper. If it is not known, it is null, and the pages of the document are not moved or turned. */
  readonly size: MediaSize | null
  readonly dpi: number
  readonly layout: PrinterLayout
}

const mmPerInch = 25.4

/**
 * Prepares a job for printers that accept the document itself or pictures of its pages. Places its labels on paper of
 * this size, marks them if the job is a reprint, and reads the barcodes of the result. Errors: those of
 * `placedInThread`, `marked` and `readPages`.
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
  // the pages were placed before they were read, so each page gets the placement that was recorded for it
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
    return unreadable(error)
  }
}

function unreadable(error: unknown): Result<never> {
  return {
    ok: false,
    error: error instanceof CataloguedError ? error.failure : failure('document.unreadable'),
  }
}
