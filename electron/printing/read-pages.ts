import type { PrintPage } from '#desk/ports/printers.ts'
import { readLabelsInThread } from '#labels/raster-in-thread.ts'
import type { RasterPaper } from '#labels/place/raster.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, ok, type Result } from '#shared/errors/result.ts'

/**
 * A document as the dots of this paper, each page with the barcodes that were read in exactly those dots.
 * Errors: `document.not_a_pdf`, `document.unreadable`, `printer.paper_too_narrow`.
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
    const known = error instanceof CataloguedError ? error.failure : failure('document.unreadable')
    return { ok: false, error: known }
  }
}
