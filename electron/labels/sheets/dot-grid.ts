import { type Canvas, drawBars, fillBox } from '../draw/canvas.ts'
import { mmPerInch } from '#shared/domain/test-page.ts'
import type { LinearPlan, MatrixPlan } from '../draw/symbols.ts'
import { linearBars, matrixBars } from '../draw/symbols.ts'

/** A page drawn on in the printer's own dots, from the upper left corner; y runs down. */
export interface DotGrid {
  readonly canvas: Canvas
  /** Side of one dot in points. */
  readonly dot: number
  readonly widthDots: number
  readonly heightDots: number
}

/** Whole dots nearest to a length. */
export function dotsOf({ dot }: Pick<DotGrid, 'dot'>, lengthMm: number): number {
  return Math.round(((lengthMm / mmPerInch) * 72) / dot)
}

/** A filled box of whole dots; 0 is black, 1 white. */
export function fillDots(
  { canvas, dot }: DotGrid,
  x: number,
  y: number,
  width: number,
  height: number,
  gray = 0,
): void {
  if (width <= 0 || height <= 0) return
  // a fiftieth of a dot less: no renderer may blacken a dot more than was meant
  const inset = dot / 50
  const box = {
    xPt: x * dot + inset,
    yPt: y * dot + inset,
    widthPt: width * dot - 2 * inset,
    heightPt: height * dot - 2 * inset,
  }
  fillBox(canvas, box, gray)
}

/** A Code128 with its first bar at a point. */
export function drawLinearAt(
  { canvas, dot }: DotGrid,
  plan: LinearPlan,
  x: number,
  y: number,
  heightDots: number,
): void {
  drawBars(canvas, linearBars(plan, heightDots * dot, dot), x * dot, y * dot)
}

/** A Code128 whose bars lie: read from the bottom up, its first bar at the lower end of a column. */
export function drawLadderAt(
  { canvas, dot }: DotGrid,
  plan: LinearPlan,
  x: number,
  y: number,
  widthDots: number,
): void {
  const bars = linearBars(plan, widthDots * dot, dot).map(({ xPt, widthPt, heightPt }) => ({
    xPt: 0,
    yPt: plan.widthDots * dot - xPt - widthPt,
    widthPt: heightPt,
    heightPt: widthPt,
  }))
  drawBars(canvas, bars, x * dot, y * dot)
}

/** A QR code with its upper left module at a point. */
export function drawMatrixAt({ canvas, dot }: DotGrid, plan: MatrixPlan, x: number, y: number): void {
  drawBars(canvas, matrixBars(plan, dot), x * dot, y * dot)
}
