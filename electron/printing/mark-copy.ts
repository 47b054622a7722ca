import type { PrintRequest } from '#desk/ports/printers.ts'
import type { CopyMark } from '#labels/mark/draw-copy-mark.ts'
import { markPdfInThread } from '#labels/raster-in-thread.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, ok, type Result } from '#shared/errors/result.ts'

/** What a reprint bears, so that two papers of one label are told apart: when it was asked for, as this PC's clock had it. */
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
 * For printers that take the document itself: a reprint with its mark drawn into it, anything else as it is. Errors:
 * `document.not_a_pdf`, `document.unreadable`.
 */
export async function marked(request: PrintRequest): Promise<Result<PrintRequest>> {
  const mark = copyMarkOf(request)
  if (mark === null) return ok(request)
  try {
    return ok({ ...request, document: await markPdfInThread(request.document, mark) })
  } catch (error) {
    const known = error instanceof CataloguedError ? error.failure : failure('document.unreadable')
    return { ok: false, error: known }
  }
}
