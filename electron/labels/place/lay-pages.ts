import { turned, type Turn } from '../pixels/bitmap.ts'
import { type OpenDocument, withDocument } from '../pixels/pdfium.ts'
import { faithfulPages, type LabelSheet } from './faithful-pages.ts'
import { type Offset, offsetPlace } from './offset.ts'

/** How whole pages are laid on paper of their own size. */
export interface PageLay {
  /** Degrees clockwise. */
  readonly turn: Turn
  readonly offset: Offset
}

/** At this many dots an inch pages are compared with what they were. */
const dpi = 203

/**
 * The same document with every page turned and moved: what was drawn stays drawn (faithful-pages.ts), and none of its
 * ink is lost. Throws CataloguedError `printer.paper_too_narrow` {neededMm, printableMm} where some would be;
 * `document.not_a_pdf`, `document.too_large`, `document.unreadable`.
 */
export function layPages(pdf: Uint8Array, lay: PageLay): Promise<Uint8Array> {
  return withDocument(pdf, async (document) => {
    const sheets: LabelSheet[] = []
    for (let page = 0; page < document.pageCount; page++) sheets.push(await laidPage(document, page, lay))
    return faithfulPages(pdf, document, sheets, dpi)
  })
}

async function laidPage(
  document: OpenDocument,
  page: number,
  { turn, offset }: PageLay,
): Promise<LabelSheet> {
  const seen = await document.render(page, dpi)
  const box = { x: 0, y: 0, width: seen.widthDots, height: seen.heightDots }
  const bitmap = turned(seen, turn)
  const { x, y } = offsetPlace(bitmap, { x: 0, y: 0 }, { ...bitmap, dpi }, offset)
  const { widthPt, heightPt } = document.sizePt(page)
  const size = turn % 180 === 0 ? { widthPt, heightPt } : { widthPt: heightPt, heightPt: widthPt }
  const label = { page, box, renderDpi: dpi, turn, part: 'page', bitmap } as const
  return { label, xDots: x, yDots: y, ...size }
}
