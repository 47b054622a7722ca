import { PDFDocument, PDFName, PDFNumber } from 'pdf-lib'
import { objectStreams } from '../place/object-streams.ts'

const entry = '/UserUnit'

/**
 * The length of a unit of each page's own measure in points of 1/72 inch (ISO 32000-1, 14.11.3), where a page has one;
 * pdfium knows nothing of it and would print such a label at a fraction of its size. Never throws: a document that
 * cannot be searched has none, and neither has an encrypted one with its pages in object streams.
 */
export async function userUnits(pdf: Uint8Array): Promise<readonly number[]> {
  const streams = objectStreams(pdf)
  if (!streams) return []
  const plain = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length)
  if (![plain, ...streams].some((bytes) => bytes.includes(entry))) return []
  try {
    const document = await PDFDocument.load(pdf, { updateMetadata: false, password: '' })
    return document.getPages().map(({ node }) => {
      const unit = node.lookup(PDFName.of('UserUnit'))
      return unit instanceof PDFNumber && unit.asNumber() > 0 ? unit.asNumber() : 1
    })
  } catch {
    return []
  }
}
