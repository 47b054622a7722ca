import type { PrintRequest } from '#desk/ports/printers.ts'
import { placeInThread } from '#labels/raster-in-thread.ts'
import type { PrinterLayout } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, type Result } from '#shared/errors/result.ts'
import type { MediaSize } from './ipp-media.ts'
import { marked } from './mark-copy.ts'
import { layOf } from './printer-layout.ts'

/**
 * For printers that take the document itself: the job with its labels laid on paper of this size, and marked where it is
 * a copy: what is looked at and what is sent. Errors: those of `placeInThread` and `marked`.
 */
export async function placedOn(
  request: PrintRequest,
  size: MediaSize,
  { dpi, layout }: { readonly dpi: number; readonly layout: PrinterLayout },
): Promise<Result<PrintRequest>> {
  try {
    const document = await placeInThread(request.document, size, { dpi, ...layOf(request, layout) })
    return await marked({ ...request, document })
  } catch (error) {
    const known = error instanceof CataloguedError ? error.failure : failure('document.unreadable')
    return { ok: false, error: known }
  }
}
