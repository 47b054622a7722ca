/** One page in black and white. Each row has whole bytes, with the leftmost dot in the highest bit; 1 is black. */
export interface Bitmap {
  readonly widthDots: number
  readonly heightDots: number
  readonly bytes: Uint8Array
}

/** A part of a bitmap, in dots. */
export interface DotBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Whether two boxes have a dot in common. */
export function overlap(a: DotBox, b: DotBox): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

export function bytesPerRow(widthDots: number): number {
  return (widthDots + 7) >> 3
}

export function blankBitmap(widthDots: number, heightDots: number): Bitmap {
  return { widthDots, heightDots, bytes: new Uint8Array(bytesPerRow(widthDots) * heightDots) }
}

export function isBlack({ bytes, widthDots }: Bitmap, x: number, y: number): boolean {
  return ((bytes[y * bytesPerRow(widthDots) + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0
}

/** Whether a part of a bitmap contains a black dot. The area outside the bitmap counts as white. */
export function hasInkIn(bitmap: Bitmap, { x, y, width, height }: DotBox): boolean {
  for (let atY = Math.max(0, y); atY < Math.min(bitmap.heightDots, y + height); atY++)
    for (let atX = Math.max(0, x); atX < Math.min(bitmap.widthDots, x + width); atX++)
      if (isBlack(bitmap, atX, atY)) return true
  return false
}

function blacken({ bytes, widthDots }: Bitmap, x: number, y: number): void {
  const at = y * bytesPerRow(widthDots) + (x >> 3)
  bytes[at] = (bytes[at] ?? 0) | (0x80 >> (x & 7))
}

/** Returns the smallest box that contains all black dots, or null if there are none. */
export function inkBox(bitmap: Bitmap): DotBox | null {
  const { widthDots, heightDots, bytes } = bitmap
  const rowBytes = bytesPerRow(widthDots)
  let [left, right, top, bottom] = [widthDots, -1, -1, -1]
  for (let y = 0; y < heightDots; y++) {
    const row = bytes.subarray(y * rowBytes, (y + 1) * rowBytes)
    const first = row.findIndex((byte) => byte !== 0)
    if (first < 0) continue
    const last = row.findLastIndex((byte) => byte !== 0)
    if (top < 0) top = y
    bottom = y
    left = Math.min(left, first * 8 + Math.clz32(row[first] ?? 0) - 24)
    right = Math.max(right, last * 8 + 7 - trailingZeros(row[last] ?? 0))
  }
  return bottom < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

function trailingZeros(byte: number): number {
  return 31 - Math.clz32(byte & -byte)
}

/**
 * Returns a part of a bitmap. The area outside the bitmap is white. Copies eight dots at a time, because the part may
 * be a whole label.
 */
export function crop(bitmap: Bitmap, box: DotBox): Bitmap {
  const cut = blankBitmap(box.width, box.height)
  const fromX = Math.max(0, -box.x)
  const toX = Math.min(box.width, bitmap.widthDots - box.x)
  const toY = Math.min(box.height, bitmap.heightDots - box.y)
  if (toX <= fromX) return cut
  const [rowBytes, cutRowBytes] = [bytesPerRow(bitmap.widthDots), bytesPerRow(box.width)]
  const [first, last] = [fromX >> 3, (toX - 1) >> 3]
  const shift = box.x & 7
  // bits outside the page, also those after the last dot of a row, count as white
  const [firstMask, lastMask] = [0xff >> (fromX & 7), 0xff << (7 - ((toX - 1) & 7))]
  for (let y = Math.max(0, -box.y); y < toY; y++) {
    const [row, cutRow] = [(box.y + y) * rowBytes, y * cutRowBytes]
    for (let at = first; at <= last; at++) {
      const from = at + (box.x >> 3)
      const left = from < 0 ? 0 : (bitmap.bytes[row + from] ?? 0)
      const right = from + 1 >= rowBytes ? 0 : (bitmap.bytes[row + from + 1] ?? 0)
      cut.bytes[cutRow + at] = ((left << 8) | right) >> (8 - shift)
    }
    cut.bytes[cutRow + first] = (cut.bytes[cutRow + first] ?? 0) & firstMask
    cut.bytes[cutRow + last] = (cut.bytes[cutRow + last] ?? 0) & lastMask
  }
  return cut
}

/**
 * Returns a copy of a bitmap in which the dots of a piece, black and white, replace the dots at its place. Parts of the
 * piece outside the bitmap are left out.
 */
export function overlaid(
  bitmap: Bitmap,
  piece: Bitmap,
  at: { readonly x: number; readonly y: number },
): Bitmap {
  const whole = { ...bitmap, bytes: bitmap.bytes.slice() }
  const rowBytes = bytesPerRow(bitmap.widthDots)
  const fromX = Math.max(0, -at.x)
  const toX = Math.min(piece.widthDots, bitmap.widthDots - at.x)
  const toY = Math.min(piece.heightDots, bitmap.heightDots - at.y)
  for (let y = Math.max(0, -at.y); y < toY; y++) {
    for (let x = fromX; x < toX; x++) {
      const byte = (at.y + y) * rowBytes + ((at.x + x) >> 3)
      const bit = 0x80 >> ((at.x + x) & 7)
      const before = whole.bytes[byte] ?? 0
      whole.bytes[byte] = isBlack(piece, x, y) ? before | bit : before & ~bit
    }
  }
  return whole
}

/** Returns a copy of a bitmap in which these boxes are white. */
export function erased(bitmap: Bitmap, boxes: readonly DotBox[]): Bitmap {
  const { widthDots, heightDots } = bitmap
  const bytes = bitmap.bytes.slice()
  const rowBytes = bytesPerRow(widthDots)
  for (const box of boxes)
    for (let y = Math.max(0, box.y); y < Math.min(heightDots, box.y + box.height); y++)
      for (let x = Math.max(0, box.x); x < Math.min(widthDots, box.x + box.width); x++) {
        const at = y * rowBytes + (x >> 3)
        bytes[at] = (bytes[at] ?? 0) & ~(0x80 >> (x & 7))
      }
  return { widthDots, heightDots, bytes }
}

/** Turns a bitmap clockwise by 90 degrees: the left edge becomes the top. */
export function quarterTurn(bitmap: Bitmap): Bitmap {
  const { widthDots, heightDots, bytes } = bitmap
  const rowBytes = bytesPerRow(widthDots)
  const turned = blankBitmap(heightDots, widthDots)
  for (let y = 0; y < heightDots; y++)
    for (let at = 0; at < rowBytes; at++) {
      // skips bytes without a black dot, because most of a label is white
      if (bytes[y * rowBytes + at] === 0) continue
      const toX = Math.min(widthDots, at * 8 + 8)
      for (let x = at * 8; x < toX; x++) if (isBlack(bitmap, x, y)) blacken(turned, heightDots - 1 - y, x)
    }
  return turned
}

/** A rotation in degrees, clockwise. */
export type Turn = 0 | 90 | 180 | 270

/** Turns a bitmap clockwise. */
export function turned(bitmap: Bitmap, turn: Turn): Bitmap {
  let result = bitmap
  for (let at = 0; at < turn; at += 90) result = quarterTurn(result)
  return result
}
