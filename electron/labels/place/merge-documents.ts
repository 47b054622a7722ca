import { PDFDocument, PDFName } from 'pdf-lib'
import { faithfulPages, type LabelSheet, picturePages } from './faithful-pages.ts'
import { type OpenDocument, withDocument } from '../pixels/pdfium.ts'

/** At this many dots an inch pages are compared with what they were; pictures get twice as many. */
const dpi = 203

/**
 * One document of all pages of several, in their order and each of its own size: a batch as one file. Of each document
 * only what prints is taken over, as `placeOnMedia` does it. The desk sends nothing so: a label that prints by itself is
 * looked at, held and confirmed by itself; of a batch that stops halfway nobody knows which labels came out.
 * Throws CataloguedError `document.not_a_pdf`, `document.too_large`, `document.unreadable` for the first that fails.
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
    // layers are switched off in the catalogue, which stays behind when pages are copied
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
