import { type Bitmap, blankBitmap, bytesPerRow, isBlack } from '../pixels/bitmap.ts'
import { findLinearSymbols } from '../read/find-linear-symbols.ts'

/** Dots of one that are nowhere near the other, as a share of all: fine lines fall on one dot or the next. */
const mostStrayed = 0.004

/** Dots that differ within a linear barcode: where edges lie between two dots, they may fall on either. */
const mostMovedInBars = 0.08

/**
 * Whether two renderings show the same label: every dot of either is within one dot of the other but for a few, and in
 * linear barcodes few differ at all.
 */
export function areAlike(one: Bitmap, other: Bitmap, dpi: number): boolean {
  const ink = Math.max(count(one), count(other))
  const strayed = strays(one, other) + strays(other, one)
  return strayed <= mostStrayed * ink && keepsBars(one, other, dpi)
}

function keepsBars(one: Bitmap, other: Bitmap, dpi: number): boolean {
  return findLinearSymbols(one, dpi).every(({ box }) => {
    let different = 0
    for (let y = box.y; y < box.y + box.height; y++)
      for (let x = box.x; x < box.x + box.width; x++)
        if (isBlack(one, x, y) !== (x < other.widthDots && isBlack(other, x, y))) different++
    return different <= mostMovedInBars * box.width * box.height
  })
}

/** Dots of one bitmap that have none of the other's beside or upon them. */
function strays(one: Bitmap, other: Bitmap): number {
  const near = widened(other)
  const [rowBytes, nearBytes] = [bytesPerRow(one.widthDots), bytesPerRow(near.widthDots)]
  let total = 0
  for (let y = 0; y < one.heightDots; y++)
    for (let at = 0; at < rowBytes; at++) {
      const covered = y < near.heightDots && at < nearBytes ? (near.bytes[y * nearBytes + at] ?? 0) : 0
      total += bitsIn((one.bytes[y * rowBytes + at] ?? 0) & ~covered)
    }
  return total
}

/** Every dot made three by three. */
function widened({ widthDots, heightDots, bytes }: Bitmap): Bitmap {
  const rowBytes = bytesPerRow(widthDots)
  const wide = blankBitmap(widthDots, heightDots)
  for (let y = 0; y < heightDots; y++)
    for (let at = 0; at < rowBytes; at++) {
      const here = y * rowBytes + at
      const before = at > 0 ? (bytes[here - 1] ?? 0) : 0
      const after = at + 1 < rowBytes ? (bytes[here + 1] ?? 0) : 0
      const own = bytes[here] ?? 0
      const spread = own | (own << 1) | (own >> 1) | (before << 7) | (after >> 7)
      for (const row of [y - 1, y, y + 1])
        if (row >= 0 && row < heightDots)
          wide.bytes[row * rowBytes + at] = (wide.bytes[row * rowBytes + at] ?? 0) | spread
    }
  return wide
}

function count({ bytes }: Bitmap): number {
  return bytes.reduce((sum, byte) => sum + bitsIn(byte), 0)
}

function bitsIn(byte: number): number {
  let bits = byte - ((byte >> 1) & 0x55)
  bits = (bits & 0x33) + ((bits >> 2) & 0x33)
  return (bits + (bits >> 4)) & 0x0f
}
