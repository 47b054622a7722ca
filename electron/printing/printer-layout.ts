import type { PrintRequest } from '#desk/ports/printers.ts'
import type { LabelOptions } from '#labels/place/label-plan.ts'
import { layInThread } from '#labels/raster-in-thread.ts'
import type { PrinterLayout } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, ok, type Result } from '#shared/errors/result.ts'

/** How a job is laid on this printer's paper: turned as the printer is set, unless somebody laid this job otherwise. */
export function layOf(
  { placement }: Pick<PrintRequest, 'placement'>,
  { turn, offsetXMm, offsetYMm }: PrinterLayout,
): LabelOptions {
  return { ...(placement ?? { turn }), offset: { xMm: offsetXMm, yMm: offsetYMm } }
}

/**
 * For a printer whose paper is the document's own: each page turned and moved; as it is where neither is set. Errors:
 * `printer.paper_too_narrow` {neededMm, printableMm}, `document.not_a_pdf`, `document.unreadable`.
 */
export async function laidOut(request: PrintRequest, layout: PrinterLayout): Promise<Result<PrintRequest>> {
  const { turn = 'auto', offset } = layOf(request, layout)
  const degrees = turn === 'auto' ? 0 : turn
  if (!offset || (degrees === 0 && offset.xMm === 0 && offset.yMm === 0)) return ok(request)
  try {
    return ok({ ...request, document: await layInThread(request.document, { turn: degrees, offset }) })
  } catch (error) {
    const known = error instanceof CataloguedError ? error.failure : failure('document.unreadable')
    return { ok: false, error: known }
  }
}
