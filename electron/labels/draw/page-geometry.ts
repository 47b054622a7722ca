import type { LabelLayout } from './label-spec.ts'

/** Points per dot of a 203 dpi printer. Bars and matrix modules are whole dots, so that no driver rounds them. */
export const dotPt = 72 / 203

/** The whole number of dots nearest below a length in points; `dot` is the side of one. */
export function wholeDots(lengthPt: number, dot: number = dotPt): number {
  return Math.floor(lengthPt / dot + 1e-6)
}

/** A length in points, moved down to a whole dot. */
export function snapPt(lengthPt: number, dot: number = dotPt): number {
  return wholeDots(lengthPt, dot) * dot
}

export interface SizePt {
  readonly widthPt: number
  readonly heightPt: number
}

export interface BoxPt extends SizePt {
  readonly xPt: number
  /** From the top edge, downwards. */
  readonly yPt: number
}

const fourBySix: SizePt = { widthPt: 288, heightPt: 432 }
export const a6: SizePt = { widthPt: 297.64, heightPt: 419.53 }
export const a4: SizePt = { widthPt: 595.28, heightPt: 841.89 }

/** Size of the upright label that a layout carries; the page round it may be larger or turned. */
export const faceSizes: Readonly<Record<LabelLayout, SizePt>> = {
  '4x6': fourBySix,
  a6,
  sheet: a6,
  rotated: fourBySix,
}
