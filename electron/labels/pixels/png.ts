import { encode } from 'fast-png'
import type { Bitmap } from './bitmap.ts'
import { withDocument } from './pdfium.ts'

/** Encodes a bitmap as PNG with one grey channel of one bit and one pixel per dot. */
export function pngOf({ widthDots, heightDots, bytes }: Bitmap): Uint8Array {
  const data = bytes.map((byte) => ~byte)
  return encode({ width: widthDots, height: heightDots, data, depth: 1, channels: 1 }, { zlib: { level: 9 } })
}

/**
 * Renders every page of a PDF as a viewer shows it, at this number of dots per inch. Returns one PNG per page. Throws
 * CataloguedError `document.not_a_pdf`, `document.too_large`, `document.unreadable`.
 */
export function picturesOf(pdf: Uint8Array, dpi: number): Promise<Uint8Array[]> {
  return withDocument(pdf, async (document) => {
    const pictures: Uint8Array[] = []
    for (let page = 0; page < document.pageCount; page++)
      pictures.push(pngOf(await document.render(page, dpi)))
    return pictures
  })
}
