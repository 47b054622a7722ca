import { CataloguedError } from '#shared/errors/result.ts'
import { type Bitmap, inkBox } from '../pixels/bitmap.ts'

/** The area on which a label must fit. */
export interface PrintableArea {
  /** The printer's resolution in dots per inch. */
  readonly dpi: number
  readonly widthDots: number
  /** Printable height of the paper in dots; infinite on a roll. */
  readonly heightDots: number
}

/**
 * The distance by which all ink is moved on the paper, in millimetres: to the right and towards the end of the paper.
 */
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
 * Returns the place of a label after it was moved by the printer's offset. All of the label's ink stays on the paper;
 * its white margin may be outside. Throws CataloguedError `printer.paper_too_narrow` {neededMm, printableMm} if ink
 * would be outside the paper.
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
  // the length of paper that would be needed in this direction, if ink is beyond one of the edges
  const needed = Math.max(from + length, most === Infinity ? length - from : most - from)
  if (from >= 0 && from + length <= most) return
  const toMm = (dots: number): number => Math.ceil((dots / dpi) * mmPerInch)
  const printable = most === Infinity ? length : most
  throw new CataloguedError('printer.paper_too_narrow', {
    neededMm: toMm(needed),
    printableMm: toMm(printable),
  })
}
