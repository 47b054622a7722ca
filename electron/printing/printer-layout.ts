import type { PrintRequest } from '#desk/ports/printers.ts'
import type { LabelOptions } from '#labels/place/label-plan.ts'
import { layInThread } from '#labels/raster-in-thread.ts'
import type { PrinterLayout } from '#shared/bridge/printer-views.ts'
import type { PrintLaid } from '#shared/domain/print-hold.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, ok, type Result } from '#shared/errors/result.ts'

/** How a job is laid on this printer's paper: turned as the printer is set, unless somebody laid this job otherwise. */
export function layOf(
  { placement }: Pick<PrintRequest, 'placement'>,
  { turn, offsetXMm, offsetYMm }: PrinterLayout,
): LabelOptions {
  return { ...(placement ?? { turn }), offset: { xMm: offsetXMm, yMm: offsetYMm } }
}

/** A job as its pages lie, and how far they were turned for it; 0: as a viewer shows them. */
interface LaidOut {
  readonly request: PrintRequest
  readonly turn: PrintLaid['turn']
}

/**
 * For a printer whose paper is the document's own: each page turned and moved; as it is where neither is set. Errors:
 * `printer.paper_too_narrow` {neededMm, printableMm}, `document.not_a_pdf`, `document.unreadable`.
 */
export async function laidOut(request: PrintRequest, layout: PrinterLayout): Promise<Result<LaidOut>> {
  const { turn: wish = 'auto', offset } = layOf(request, layout)
  const turn = wish === 'auto' ? 0 : wish
  if (!offset || (turn === 0 && offset.xMm === 0 && offset.yMm === 0)) return ok({ request, turn })
  try {
    const document = await layInThread(request.document, { turn, offset })
    return ok({ request: { ...request, document }, turn })
  } catch (error) {
    const known = error instanceof CataloguedError ? error.failure : failure('document.unreadable')
    return { ok: false, error: known }
  }
}
