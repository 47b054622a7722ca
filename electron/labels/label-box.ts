import { type Bitmap, bytesPerRow, crop, type DotBox, inkBox } from './bitmap.ts'

const cellMm = 2
/** Parts of a label stand closer than this to each other; what is further away is another thing on the sheet. */
const gapMm = 8
/** The smallest label that carriers hand out is 4 by 2 inch or so; less is a barcode that lost its addresses. */
const shortestSideMm = 40

interface Cells {
  readonly columns: number
  readonly rows: number
  readonly hasInk: Uint8Array
}

/**
 * The box of the label on a sheet that also holds other things: the largest piece that stands by itself and holds
 * one of the barcodes, or null where none does.
 */
export function labelBox(sheet: Bitmap, dpi: number, barcodes: readonly DotBox[]): DotBox | null {
  const cell = Math.round((cellMm * dpi) / 25.4)
  const shortest = (shortestSideMm * dpi) / 25.4
  const found = pieces(cellsOf(sheet, cell), Math.round(gapMm / cellMm))
    .map((box) => ({ x: box.x * cell, y: box.y * cell, width: box.width * cell, height: box.height * cell }))
    .filter((box) => Math.min(box.width, box.height) >= shortest)
    .filter((box) => barcodes.some((barcode) => holds(box, barcode)))
    .sort((a, b) => b.width * b.height - a.width * a.height)
  const piece = found[0]
  const ink = piece && inkBox(crop(sheet, piece))
  return piece && ink ? { ...ink, x: piece.x + ink.x, y: piece.y + ink.y } : null
}

function holds(box: DotBox, { x, y, width, height }: DotBox): boolean {
  return x >= box.x && y >= box.y && x + width <= box.x + box.width && y + height <= box.y + box.height
}

function cellsOf({ widthDots, heightDots, bytes }: Bitmap, cell: number): Cells {
  const columns = Math.ceil(widthDots / cell)
  const rows = Math.ceil(heightDots / cell)
  const hasInk = new Uint8Array(columns * rows)
  const rowBytes = bytesPerRow(widthDots)
  for (let y = 0; y < heightDots; y++) {
    const row = Math.floor(y / cell) * columns
    for (let at = 0; at < rowBytes; at++) {
      const byte = bytes[y * rowBytes + at] ?? 0
      if (byte === 0) continue
      for (let bit = 0; bit < 8; bit++)
        if ((byte & (0x80 >> bit)) !== 0) hasInk[row + Math.floor((at * 8 + bit) / cell)] = 1
    }
  }
  return { columns, rows, hasInk }
}

/** Boxes, in cells, of inked cells that reach each other in steps of at most `reach` cells. */
function pieces({ columns, rows, hasInk }: Cells, reach: number): DotBox[] {
  const isFree = hasInk.slice()
  const boxes: DotBox[] = []
  for (let start = 0; start < isFree.length; start++) {
    if (isFree[start] !== 1) continue
    isFree[start] = 0
    const open = [start]
    let [left, right, top, bottom] = [columns, 0, rows, 0]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
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
          open.push(near)
        }
      }
    }
    boxes.push({ x: left, y: top, width: right - left + 1, height: bottom - top + 1 })
  }
  return boxes
}
