import { PDFDocument, PDFName } from 'pdf-lib'
import type { PaperSize } from '#shared/bridge/printer-views.ts'
import { type Turn, turned } from '../pixels/bitmap.ts'
import { type OpenDocument, withDocument } from '../pixels/pdfium.ts'
import { faithfulPages, type LabelSheet, picturePages } from './faithful-pages.ts'
import { type Offset, offsetPlace } from './printable-area.ts'

/** Resolution at which pages are compared with their source; pages that become pictures have twice this resolution. */
const dpi = 203

/** The placement of whole pages on paper of the same size. */
export interface PageLay {
  /** Rotation of each page in degrees, clockwise. */
  readonly turn: Turn
  readonly offset: Offset
}

/**
 * Turns and moves every page of a document without loss of ink. Drawings stay vector drawings (faithful-pages.ts).
 * Throws CataloguedError `printer.paper_too_narrow` {neededMm, printableMm} if ink would be lost; `document.not_a_pdf`,
 * `document.too_large`, `document.unreadable`.
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

/**
 * Merges the pages of several documents into one file, in their order and each in its own size. Only the printed
 * content of each document is copied, as in `placeOnMedia`. The desk never prints such a file: it prints each label as
 * a separate job. If a print of the whole file stopped halfway, nothing would show which labels were printed. Throws
 * CataloguedError `document.not_a_pdf`, `document.too_large`, `document.unreadable` for the first document that fails.
 */
export async function mergeDocuments(pdfs: readonly Uint8Array[]): Promise<Uint8Array> {
  const merged = await PDFDocument.create({ updateMetadata: false })
  for (const pdf of pdfs) {
    const one = await plainPages(pdf)
    for (const page of await merged.copyPages(one, one.getPageIndices())) merged.addPage(page)
  }
  return merged.save({ useObjectStreams: false, addDefaultPage: false })
}

async function plainPages(pdf: Uint8Array): Promise<PDFDocument> {
  return withDocument(pdf, async (document) => {
    const sheets = await wholePages(document)
    const drawn = await reopen(await faithfulPages(pdf, document, sheets, dpi))
    // the list of hidden layers is in the PDF's catalogue, which `copyPages` does not copy, so pictures replace the
    // pages of a document with hidden layers
    if (!drawn.catalog.has(PDFName.of('OCProperties'))) return drawn
    return reopen(await picturePages(document, sheets, dpi))
  })
}

function reopen(pdf: Uint8Array): Promise<PDFDocument> {
  return PDFDocument.load(pdf, { updateMetadata: false })
}

async function wholePages(document: OpenDocument): Promise<LabelSheet[]> {
  const sheets: LabelSheet[] = []
  for (let page = 0; page < document.pageCount; page++) {
    const bitmap = await document.render(page, dpi)
    const box = { x: 0, y: 0, width: bitmap.widthDots, height: bitmap.heightDots }
    const label = { page, box, renderDpi: dpi, turn: 0, part: 'page', bitmap } as const
    sheets.push({ label, xDots: 0, yDots: 0, ...document.sizePt(page) })
  }
  return sheets
}

/** Maximum width of a label. The paper of label printers is at most 4 inches plus a margin wide; A5 is 148 mm wide. */
const widestLabelMm = 120
const mmPerPt = 25.4 / 72

/**
 * Returns the kind of paper for which a document is made: `label` if the shorter side of every page is at most 120 mm,
 * otherwise `page`. Throws CataloguedError like `withDocument`.
 */
export function paperSizeOf(pdf: Uint8Array): Promise<PaperSize> {
  return withDocument(pdf, (document) => {
    const pages = Array.from({ length: document.pageCount }, (_, page) => document.sizePt(page))
    const isLabel = ({ widthPt, heightPt }: { widthPt: number; heightPt: number }): boolean =>
      Math.min(widthPt, heightPt) * mmPerPt <= widestLabelMm
    return Promise.resolve(pages.every(isLabel) ? 'label' : 'page')
  })
}
