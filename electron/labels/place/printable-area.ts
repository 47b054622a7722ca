import { CataloguedError } from '#shared/errors/result.ts'
import { type Bitmap, inkBox } from '../pixels/bitmap.ts'

/** The area on which a label must fit. */
export interface PrintableArea {
  /** The printer's resolution in dots an inch. */
  readonly dpi: number
  readonly widthDots: number
  /** Height of the paper; infinite on a roll. */
  readonly heightDots: number
}

/** The distance by which all ink is moved on the paper: to the right and towards its end, in millimetres. */
export interface Offset {
  readonly xMm: number
  readonly yMm: number
}

export const noOffset: Offset = { xMm: 0, yMm: 0 }

/** A label's place on its paper, in dots. */
interface Place {
  readonly x: number
  readonly y: number
}

const mmPerInch = 25.4

/**
 * Returns a label's place after the printer's offset. All of its ink stays on the paper; white may exceed the edge.
 * Throws CataloguedError `printer.paper_too_narrow` {neededMm, printableMm} if ink would exceed the edge.
 */
export function offsetPlace(
  label: Bitmap,
  { x, y }: Place,
  paper: PrintableArea,
  { xMm, yMm }: Offset,
): Place {
  const toDots = (mm: number): number => Math.round((mm * paper.dpi) / mmPerInch)
  const moved = { x: x + toDots(xMm), y: y + toDots(yMm) }
  const ink = inkBox(label)
  if (!ink) return moved
  refuseBeyond(moved.x + ink.x, ink.width, paper.widthDots, paper.dpi)
  refuseBeyond(moved.y + ink.y, ink.height, paper.heightDots, paper.dpi)
  return moved
}

function refuseBeyond(from: number, length: number, most: number, dpi: number): void {
  // the width that the paper would need, because both edges are alike
  const needed = Math.max(from + length, most === Infinity ? length - from : most - from)
  if (from >= 0 && from + length <= most) return
  const toMm = (dots: number): number => Math.ceil((dots / dpi) * mmPerInch)
  const printable = most === Infinity ? length : most
  throw new CataloguedError('printer.paper_too_narrow', {
    neededMm: toMm(needed),
    printableMm: toMm(printable),
  })
}
