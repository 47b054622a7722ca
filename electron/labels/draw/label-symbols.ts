import { drawBars, drawText, measureWith, type Canvas } from './canvas.ts'
import { fitSize } from './fit-text.ts'
import type { LabelSpec } from './label-spec.ts'
import { dotPt, snapPt, type BoxPt } from './page-geometry.ts'
import { linearBars, matrixBars, planCode128, planQr } from './symbols.ts'

/** Clear of the frame and of its neighbours, on top of the quiet zones. */
const clearancePt = 2
/** 22 mm: enough for a hand scanner at arm's length. */
const barHeightPt = 64

/** Code128 of the tracking code in the middle of a row, its text below; both ends of the bars on whole dots. */
export function drawLinearBlock(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
  const plan = planCode128(spec.trackingCode, row.widthPt - 2 * clearancePt)
  const widthPt = plan.widthDots * dotPt
  const xPt = snapPt(row.xPt + (row.widthPt - widthPt) / 2)
  const yPt = snapPt(row.yPt + 10)
  drawBars(canvas, linearBars(plan, snapPt(barHeightPt)), xPt, yPt)
  const measure = measureWith(canvas.fonts)
  const sizePt = fitSize(spec.trackingText, row.widthPt - 24, { maxSizePt: 14, minSizePt: 6 }, measure)
  const middle = row.xPt + row.widthPt / 2
  drawText(canvas, spec.trackingText, middle, row.yPt + 91, { sizePt, bold: true, align: 'center' })
}

/** QR of the tracking code in the middle of a cell. */
export function drawMatrixCell(canvas: Canvas, trackingCode: string, cell: BoxPt): void {
  const side = Math.min(cell.widthPt, cell.heightPt) - 2 * clearancePt
  const plan = planQr(trackingCode, side)
  const sidePt = plan.sideDots * dotPt
  const xPt = snapPt(cell.xPt + (cell.widthPt - sidePt) / 2)
  const yPt = snapPt(cell.yPt + (cell.heightPt - sidePt) / 2)
  drawBars(canvas, matrixBars(plan), xPt, yPt)
}
