import { drawCutLine, drawSign, drawText, fillBox, measureWith, type Canvas } from './canvas.ts'
import { clip, fitLines, leading } from './fit-text.ts'
import type { LabelSpec } from './label-spec.ts'
import { a4, snapPt, type BoxPt, type SizePt } from './page-geometry.ts'
import { sheetPhrases, type SheetPhrases } from './sheet-phrases.ts'

const marginPt = 48
const cutPt = a4.heightPt / 2
const scissorsPath =
  'M18 8 A18 18 0 1 0 18.01 8 Z M18 18 A8 8 0 1 1 17.99 18 Z M18 56 A18 18 0 1 0 18.01 56 Z M18 66 A8 8 0 1 1 17.99 66 Z M30 34 L98 66 L88 72 L26 46 Z M30 66 L98 34 L88 28 L26 54 Z'

/** Where a label lies on the sheet once it is turned: in the middle of the upper half. */
export function sheetLabelBox(label: SizePt): BoxPt {
  return {
    xPt: snapPt((a4.widthPt - label.heightPt) / 2),
    yPt: snapPt((cutPt - label.widthPt) / 2),
    widthPt: label.heightPt,
    heightPt: label.widthPt,
  }
}

function drawSteps(canvas: Canvas, phrases: SheetPhrases, topPt: number): void {
  const gutter = 18
  const width = (a4.widthPt - 2 * marginPt - 3 * gutter) / 4
  const measure = measureWith(canvas.fonts)
  for (const [index, [title, text]] of phrases.steps.entries()) {
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

function drawFacts(canvas: Canvas, spec: LabelSpec, phrases: SheetPhrases, topPt: number): void {
  const measure = measureWith(canvas.fonts)
  const facts = [
    [phrases.reference, spec.reference],
    [phrases.trackingCode, spec.trackingText],
    [phrases.follow, spec.trackingUrl],
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
  const phrases = sheetPhrases(spec.sender.country)
  drawCutLine(canvas, 24, a4.widthPt - 24, cutPt)
  fillBox(canvas, { xPt: 38, yPt: cutPt - 8, widthPt: 28, heightPt: 16 }, 1)
  drawSign(canvas, scissorsPath, 44, cutPt - 7.5, 15, 0.15)
  drawText(canvas, phrases.title, marginPt, cutPt + 54, { sizePt: 20, bold: true })
  drawText(canvas, `${spec.brand.name} · ${spec.service.name}`, marginPt, cutPt + 72, {
    sizePt: 10,
    gray: 0.3,
  })
  drawSteps(canvas, phrases, cutPt + 96)
  drawFacts(canvas, spec, phrases, cutPt + 270)
  const note = spec.sample ? phrases.sampleNote : phrases.note
  drawText(canvas, note, marginPt, a4.heightPt - 40, { sizePt: 8, gray: 0.3 })
}
