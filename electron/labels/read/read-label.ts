import { type Bitmap, type DotBox, overlap } from '../pixels/bitmap.ts'
import { findLinearSymbols } from './find-linear-symbols.ts'
import { type ReadSymbol, readSymbols } from './read-symbols.ts'

/** A label as it will be printed, dot for dot, and what stands on it. */
export interface LabelReading {
  readonly bitmap: Bitmap
  readonly symbols: readonly ReadSymbol[]
  /** There are bars like those of a linear barcode, and no linear barcode could be read: cropped, damaged, too fine. */
  readonly hasUnreadBars: boolean
}

/** Reads a bitmap made for a printer of so many dots an inch. */
export async function readLabel(bitmap: Bitmap, dpi: number): Promise<LabelReading> {
  const symbols = await readSymbols(bitmap, dpi)
  const isFree = (box: DotBox): boolean => !symbols.some((symbol) => overlap(symbol.box, box))
  const hasUnreadBars =
    !symbols.some((symbol) => symbol.isLinear) &&
    findLinearSymbols(bitmap, dpi).some(({ box }) => isFree(box))
  return { bitmap, symbols, hasUnreadBars }
}
