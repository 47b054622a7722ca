import { drawCutLine, drawSign, drawText, fillBox, measureWith, type Canvas } from './canvas.ts'
import { clip, fitLines, leading } from './fit-text.ts'
import type { LabelSpec } from './label-spec.ts'
import { a4, snapPt, type BoxPt, type SizePt } from './page-geometry.ts'

const marginPt = 48
const cutPt = a4.heightPt / 2
const scissorsPath =
  'M18 8 A18 18 0 1 0 18.01 8 Z M18 18 A8 8 0 1 1 17.99 18 Z M18 56 A18 18 0 1 0 18.01 56 Z M18 66 A8 8 0 1 1 17.99 66 Z M30 34 L98 66 L88 72 L26 46 Z M30 66 L98 34 L88 28 L26 54 Z'

const steps = [
  ['Pack', 'Put the goods back in their box, with the papers that came with them.'],
  ['Cut', 'Cut along the dashed line. Keep this half: it carries your tracking code.'],
  ['Stick', 'Cover older labels. Stick the label flat on the largest side, no tape across the bars.'],
  ['Hand in', 'Bring the parcel to any parcel point and keep the receipt until you have your refund.'],
] as const

/** Where a label lies on the sheet once it is turned: in the middle of the upper half. */
export function sheetLabelBox(label: SizePt): BoxPt {
  return {
    xPt: snapPt((a4.widthPt - label.heightPt) / 2),
    yPt: snapPt((cutPt - label.widthPt) / 2),
    widthPt: label.heightPt,
    heightPt: label.widthPt,
  }
}

function drawSteps(canvas: Canvas, topPt: number): void {
  const gutter = 18
  const width = (a4.widthPt - 2 * marginPt - 3 * gutter) / 4
  const measure = measureWith(canvas.fonts)
  for (const [index, [title, text]] of steps.entries()) {
    const xPt = marginPt + index * (width + gutter)
    fillBox(canvas, { xPt, yPt: topPt, widthPt: width, heightPt: 2 })
    drawText(canvas, String(index + 1), xPt, topPt + 42, { sizePt: 36, bold: true })
    drawText(canvas, title, xPt, topPt + 64, { sizePt: 12, bold: true })
    const box = { widthPt: width, heightPt: 90, maxSizePt: 9.5, minSizePt: 8 }
    const fit = fitLines([{ text, bold: false, scale: 1 }], box, measure)
    for (const [row, line] of fit.lines.entries())
      drawText(canvas, line.text, xPt, topPt + 80 + row * fit.sizePt * (leading + 0.14), {
        sizePt: fit.sizePt,
      })
  }
}

function drawFacts(canvas: Canvas, spec: LabelSpec, topPt: number): void {
  const measure = measureWith(canvas.fonts)
  const facts = [
    ['Reference', spec.reference],
    ['Tracking code', spec.trackingText],
    ['Follow your parcel', spec.trackingUrl],
  ] as const
  const rowPt = 22
  for (const [index, [label, value]] of facts.entries()) {
    const yPt = topPt + index * rowPt
    fillBox(canvas, { xPt: marginPt, yPt, widthPt: a4.widthPt - 2 * marginPt, heightPt: 0.5 }, 0.55)
    drawText(canvas, label, marginPt, yPt + 15, { sizePt: 9, gray: 0.3 })
    const text = clip(value, a4.widthPt - 2 * marginPt - 130, 10, true, measure)
    drawText(canvas, text, marginPt + 130, yPt + 15, { sizePt: 10, bold: true })
  }
}

/** The lower half of the sheet: cutting line, what to do with the label, and what to keep. */
export function drawReturnSheet(canvas: Canvas, spec: LabelSpec): void {
  drawCutLine(canvas, 24, a4.widthPt - 24, cutPt)
  fillBox(canvas, { xPt: 38, yPt: cutPt - 8, widthPt: 28, heightPt: 16 }, 1)
  drawSign(canvas, scissorsPath, 44, cutPt - 7.5, 15, 0.15)
  drawText(canvas, 'How to send your parcel back', marginPt, cutPt + 54, { sizePt: 20, bold: true })
  drawText(canvas, `${spec.brand.name} · ${spec.service.name}`, marginPt, cutPt + 72, {
    sizePt: 10,
    gray: 0.3,
  })
  drawSteps(canvas, cutPt + 96)
  drawFacts(canvas, spec, cutPt + 270)
  const note = spec.sample
    ? 'SAMPLE: made in a sandbox, not for shipping.'
    : 'One label, one parcel: do not copy it.'
  drawText(canvas, note, marginPt, a4.heightPt - 40, { sizePt: 8, gray: 0.3 })
}
