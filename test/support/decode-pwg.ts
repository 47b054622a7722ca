import { type Bitmap, blankBitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'

export interface PwgPage {
  readonly dpi: number
  readonly bitsPerPixel: number
  readonly colorSpace: number
  readonly pageSizePt: readonly [number, number]
  readonly mediaName: string
  readonly totalPages: number
  readonly bitmap: Bitmap
}

/**
 * Returns the pages of a PWG raster document (PWG 5102.4) with black dots or grey values. Throws for a missing or extra
 * byte.
 */
export function decodePwg(bytes: Buffer): PwgPage[] {
  if (bytes.toString('latin1', 0, 4) !== 'RaS2') throw new Error('no PWG raster')
  const pages: PwgPage[] = []
  let at = 4
  const byte = (): number => {
    const value = bytes[at++]
    if (value === undefined) throw new Error('PWG raster ends early')
    return value
  }
  const row = (length: number): number[] => {
    const values: number[] = []
    while (values.length < length) {
      const code = byte()
      if (code === 128) throw new Error('a row that ends early')
      if (code < 128) values.push(...new Array<number>(code + 1).fill(byte()))
      else for (let count = 257 - code; count > 0; count--) values.push(byte())
    }
    if (values.length > length) throw new Error('a row longer than it is')
    return values
  }
  while (at < bytes.length) {
    const head = bytes.subarray(at, at + 1796)
    at += 1796
    const field = (offset: number): number => head.readUInt32BE(offset)
    const [width, height, bitsPerPixel, lineBytes] = [field(372), field(376), field(388), field(392)]
    const bitmap = blankBitmap(width, height)
    for (let y = 0; y < height;) {
      const rows = byte() + 1
      const values = row(lineBytes)
      const packed = bitsPerPixel === 1 ? values : packGreys(values)
      for (let copy = 0; copy < rows; copy++) bitmap.bytes.set(packed, (y + copy) * bytesPerRow(width))
      y += rows
    }
    pages.push({
      dpi: field(276),
      bitsPerPixel,
      colorSpace: field(400),
      pageSizePt: [field(352), field(356)],
      mediaName: head.toString('latin1', 1732, 1796).replace(/\0.*$/s, ''),
      totalPages: field(452),
      bitmap,
    })
  }
  return pages
}

function packGreys(values: readonly number[]): Uint8Array {
  const packed = new Uint8Array(bytesPerRow(values.length))
  for (const [x, grey] of values.entries())
    if (grey === 0) packed[x >> 3] = (packed[x >> 3] ?? 0) | (0x80 >> (x & 7))
    else if (grey !== 255) throw new Error('a grey that is neither black nor white')
  return packed
}
