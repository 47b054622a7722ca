import { decodePDFRawStream, PDFArray, PDFDocument, PDFRawStream } from 'pdf-lib'

/**
 * Returns the texts that are drawn on the first page, one entry for each drawing operator, with Latin-1 characters
 * unchanged.
 */
export async function drawnTexts(pdf: Uint8Array): Promise<string[]> {
  const document = await PDFDocument.load(pdf, { updateMetadata: false })
  const contents = document.getPage(0).node.Contents()
  const streams =
    contents instanceof PDFArray ? contents.asArray().map((ref) => document.context.lookup(ref)) : [contents]
  const texts: string[] = []
  for (const stream of streams) {
    if (!(stream instanceof PDFRawStream)) continue
    const operators = Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1')
    for (const [, hex] of operators.matchAll(/<([0-9A-Fa-f]*)> Tj/g))
      texts.push(Buffer.from(hex ?? '', 'hex').toString('latin1'))
  }
  return texts
}
