import { PDFDocument } from 'pdf-lib'

/** Returns a PDF with this number of pages of 4x6 inches. Each page contains only a rectangle. */
export async function manyPages(pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  for (let page = 0; page < pages; page++)
    document.addPage([4 * 72, 6 * 72]).drawRectangle({ x: 72, y: 72, width: 72, height: 72 })
  return document.save()
}
