import { withDocument } from '../pixels/pdfium.ts'
import type { PaperSize } from '#shared/bridge/printer-views.ts'

/** The widest paper that printers of labels take is 4 inches and a margin; A5 is 148 mm wide. */
const widestLabelMm = 120
const mmPerPt = 25.4 / 72

/**
 * The paper that a document is made for: a `label` where every page is at most 120 mm wide, upright as a printer takes
 * it, else a `page`. Throws CataloguedError as `withDocument` does.
 */
export function paperSizeOf(pdf: Uint8Array): Promise<PaperSize> {
  return withDocument(pdf, (document) => {
    const pages = Array.from({ length: document.pageCount }, (_, page) => document.sizePt(page))
    const isLabel = ({ widthPt, heightPt }: { widthPt: number; heightPt: number }): boolean =>
      Math.min(widthPt, heightPt) * mmPerPt <= widestLabelMm
    return Promise.resolve(pages.every(isLabel) ? 'label' : 'page')
  })
}
