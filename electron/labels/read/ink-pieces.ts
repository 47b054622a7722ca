import { type Bitmap, bytesPerRow, type DotBox } from '../pixels/bitmap.ts'

const cellMm = 1

/** A page in squares of a millimetre: which of them hold ink. */
interface Cells {
  readonly columns: number
  readonly rows: number
  /** Width of a square in dots. */
  readonly size: number
  readonly hasInk: Uint8Array
}

/** Ink that stands by itself: its box in dots, and the squares that it takes. */
export interface Piece {
  readonly box: DotBox
  readonly cells: readonly number[]
}

/** The squares of a page, to be taken apart by `pieces`. */
export function cellsOf({ widthDots, heightDots, bytes }: Bitmap, dpi: number): Cells {
  const size = Math.round((cellMm * dpi) / 25.4)
  const columns = Math.ceil(widthDots / size)
  const rows = Math.ceil(heightDots / size)
  const hasInk = new Uint8Array(columns * rows)
  const rowBytes = bytesPerRow(widthDots)
  for (let y = 0; y < heightDots; y++) {
    const row = Math.floor(y / size) * columns
    for (let at = 0; at < rowBytes; at++) {
      const byte = bytes[y * rowBytes + at] ?? 0
      if (byte === 0) continue
      for (let bit = 0; bit < 8; bit++)
        if ((byte & (0x80 >> bit)) !== 0) hasInk[row + Math.floor((at * 8 + bit) / size)] = 1
    }
  }
  return { columns, rows, size, hasInk }
}

/** Pieces whose squares reach each other over at most `gapMm` of white; of all ink, or of some squares alone. */
export function pieces(cells: Cells, gapMm: number, among?: readonly number[]): Piece[] {
  const isFree = among ? new Uint8Array(cells.hasInk.length) : cells.hasInk.slice()
  for (const cell of among ?? []) isFree[cell] = 1
  const reach = Math.max(1, Math.round(gapMm / cellMm))
  const found: Piece[] = []
  for (let start = 0; start < isFree.length; start++)
    if (isFree[start] === 1) found.push(pieceFrom(start, cells, isFree, reach))
  return found
}

function pieceFrom(start: number, { columns, rows, size }: Cells, isFree: Uint8Array, reach: number): Piece {
  const taken = [start]
  isFree[start] = 0
  let [left, right, top, bottom] = [columns, 0, rows, 0]
  for (let next = 0; next < taken.length; next++) {
    const at = taken[next] ?? 0
    const [x, y] = [at % columns, Math.floor(at / columns)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
    for (let nearY = Math.max(0, y - reach); nearY <= Math.min(rows - 1, y + reach); nearY++) {
      for (let nearX = Math.max(0, x - reach); nearX <= Math.min(columns - 1, x + reach); nearX++) {
        const near = nearY * columns + nearX
        if (isFree[near] !== 1) continue
        isFree[near] = 0
        taken.push(near)
      }
    }
  }
  const [width, height] = [(right - left + 1) * size, (bottom - top + 1) * size]
  return { box: { x: left * size, y: top * size, width, height }, cells: taken }
}
