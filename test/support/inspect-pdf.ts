import { PDFDocument } from 'pdf-lib'

export interface PdfPage {
  /** The width of the media box, before `/Rotate` is applied. */
  readonly widthPt: number
  readonly heightPt: number
  /** The clockwise rotation with which a viewer shows the page: 0, 90, 180 or 270 degrees. */
  readonly rotation: number
}

/** Returns the pages of a PDF. Throws if the PDF is unreadable or encrypted. */
export async function inspectPdf(bytes: Uint8Array): Promise<{ pages: PdfPage[] }> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false })
  return {
    pages: document.getPages().map((page) => ({
      widthPt: page.getWidth(),
      heightPt: page.getHeight(),
      rotation: ((page.getRotation().angle % 360) + 360) % 360,
    })),
  }
}
