import { PDFDocument } from 'pdf-lib'

export interface PdfPage {
  /** Of the media box: before `/Rotate` is applied. */
  readonly widthPt: number
  readonly heightPt: number
  /** Degrees clockwise at which a viewer shows the page: 0, 90, 180 or 270. */
  readonly rotation: number
}

/** The pages of a PDF. Throws where it cannot be read, an encrypted one included. */
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
