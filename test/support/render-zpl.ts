import { decode } from 'fast-png'
import { ready } from 'zpl-renderer-js'
import { type Bitmap, blankBitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'

/** One ^XA…^XZ as somebody else's renderer draws it, at 8 dots a millimetre. */
export async function renderZpl(
  format: string,
  size: { widthMm: number; heightMm: number },
): Promise<Bitmap> {
  const { api } = await ready
  const png = await api.zplToBase64Async(format, size.widthMm, size.heightMm, 8)
  const { width, height, data, channels } = decode(Buffer.from(png, 'base64'))
  const bitmap = blankBitmap(width, height)
  const rowBytes = bytesPerRow(width)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if ((data[(y * width + x) * channels] ?? 255) >= 128) continue
      const at = y * rowBytes + (x >> 3)
      bitmap.bytes[at] = (bitmap.bytes[at] ?? 0) | (0x80 >> (x & 7))
    }
  return bitmap
}
