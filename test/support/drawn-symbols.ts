import bwipjs from 'bwip-js/node'
import { type Bitmap, blankBitmap, bytesPerRow, type DotBox, quarterTurn } from '#labels/pixels/bitmap.ts'

/** A barcode to draw: its bwip-js name and its text. */
export interface SymbolWish {
  readonly bcid: string
  readonly text: string
  readonly options?: Readonly<Record<string, string | number | boolean>>
  readonly moduleDots: number
  /** Height of the bars. Present only for linear symbols. */
  readonly barDots?: number
}

/** Paints a box black or white. */
export function paint(bitmap: Bitmap, box: DotBox, isBlack: boolean): void {
  const rowBytes = bytesPerRow(bitmap.widthDots)
  for (let y = Math.max(0, box.y); y < Math.min(bitmap.heightDots, box.y + box.height); y++) {
    for (let x = Math.max(0, box.x); x < Math.min(bitmap.widthDots, box.x + box.width); x++) {
      const at = y * rowBytes + (x >> 3)
      const bit = 0x80 >> (x & 7)
      bitmap.bytes[at] = isBlack ? (bitmap.bytes[at] ?? 0) | bit : (bitmap.bytes[at] ?? 0) & ~bit
    }
  }
}

/** Returns which modules of a symbol are dark, row by row. A linear symbol has one row. */
function modulesOf({ bcid, text, options }: SymbolWish): boolean[][] {
  // The type of `raw` in bwip-js 4.11 lacks the options of the symbology, but the function accepts them.
  const symbol: object | undefined = bwipjs.raw({ bcid, text, ...options })[0]
  if (symbol && 'sbs' in symbol && Array.isArray(symbol.sbs))
    return [symbol.sbs.map(Number).flatMap((run, index) => Array<boolean>(run).fill(index % 2 === 0))]
  if (!symbol || !('pixs' in symbol && 'pixx' in symbol) || !Array.isArray(symbol.pixs))
    throw new Error(`no ${bcid} of ${text}`)
  const side = Number(symbol.pixx)
  const dark = symbol.pixs.map((pixel) => Number(pixel) === 1)
  return Array.from({ length: dark.length / side }, (_, row) => dark.slice(row * side, (row + 1) * side))
}

/** Draws a symbol with its upper left corner at a point. Returns the box of its bars. */
export function drawSymbol(bitmap: Bitmap, at: { x: number; y: number }, wish: SymbolWish): DotBox {
  const { moduleDots } = wish
  const rows = modulesOf(wish)
  const rowDots = rows.length === 1 ? (wish.barDots ?? 80) : moduleDots
  for (const [rowAt, row] of rows.entries()) {
    for (const [column, isDark] of row.entries()) {
      const x = at.x + column * moduleDots
      if (isDark) paint(bitmap, { x, y: at.y + rowAt * rowDots, width: moduleDots, height: rowDots }, true)
    }
  }
  return { ...at, width: (rows[0]?.length ?? 0) * moduleDots, height: rows.length * rowDots }
}

/**
 * Returns a symbol on white with a quiet zone of this number of modules, turned clockwise by this number of quarters.
 */
export function symbolAlone(wish: SymbolWish, turns = 0, quietModules = 10): Bitmap {
  const quiet = quietModules * wish.moduleDots
  const { width, height } = drawSymbol(blankBitmap(8, 8), { x: 0, y: 0 }, wish)
  let bitmap = blankBitmap(width + 2 * quiet, height + 2 * quiet)
  drawSymbol(bitmap, { x: quiet, y: quiet }, wish)
  for (let turn = 0; turn < turns; turn++) bitmap = quarterTurn(bitmap)
  return bitmap
}
