import { addressLines, type AddressLineRole } from './address-lines.ts'
import { drawText, fillBox, measureWith, type Canvas } from './canvas.ts'
import { caption, lightRulePt, padPt, ruleAbove, ruleLeft, split } from './face-grid.ts'
import { clip, fitLines, leading, type StyledLine } from './fit-text.ts'
import type { LabelAddress, LabelSpec } from './label-spec.ts'
import type { BoxPt } from './page-geometry.ts'

/** The black tab that says TO. */
const recipientTabPt = 30

const senderScale: Readonly<Record<AddressLineRole, number>> = {
  name: 1,
  contact: 1,
  street: 1,
  place: 1,
  country: 1,
}
const recipientScale: Readonly<Record<AddressLineRole, number>> = {
  name: 1.05,
  contact: 0.9,
  street: 1,
  place: 1.3,
  country: 1,
}

function drawAddress(
  canvas: Canvas,
  address: LabelAddress,
  box: BoxPt,
  style: {
    scale: Readonly<Record<AddressLineRole, number>>
    bold: readonly AddressLineRole[]
    maxSizePt: number
  },
): void {
  const lines = addressLines(address).map((line): StyledLine => ({
    text: line.text,
    bold: style.bold.includes(line.role),
    scale: style.scale[line.role],
    ...(line.keep === undefined ? {} : { keep: line.keep }),
  }))
  const fit = fitLines(lines, { ...box, maxSizePt: style.maxSizePt, minSizePt: 5 }, measureWith(canvas.fonts))
  let yPt = box.yPt
  for (const line of fit.lines) {
    const sizePt = fit.sizePt * line.scale
    drawText(canvas, line.text, box.xPt, yPt + sizePt * 0.86, { sizePt, bold: line.bold })
    yPt += sizePt * leading
  }
}

function drawCells(canvas: Canvas, cells: readonly (readonly [string, string])[], box: BoxPt): void {
  const measure = measureWith(canvas.fonts)
  const heightPt = box.heightPt / cells.length
  for (const [index, [label, value]] of cells.entries()) {
    const cell = { ...box, yPt: box.yPt + index * heightPt, heightPt }
    if (index > 0) ruleAbove(canvas, cell, lightRulePt)
    const baseline = cell.yPt + heightPt / 2 + 3.2
    drawText(canvas, label, cell.xPt + padPt, baseline, { sizePt: 5.5, bold: true, spacingPt: 0.6 })
    const text = clip(value, cell.widthPt - 2 * padPt - 26, 9, true, measure)
    drawText(canvas, text, cell.xPt + cell.widthPt - padPt, baseline, {
      sizePt: 9,
      bold: true,
      align: 'right',
    })
  }
}

export function drawSender(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
  const { left, right } = split(row, 92)
  caption(canvas, 'RETURN FROM', left)
  const text = {
    xPt: left.xPt + padPt,
    yPt: left.yPt + 12,
    widthPt: left.widthPt - 2 * padPt,
    heightPt: left.heightPt - 14,
  }
  drawAddress(canvas, spec.sender, text, { scale: senderScale, bold: ['name'], maxSizePt: 8.5 })
  ruleLeft(canvas, right)
  const way = `${spec.sender.country.slice(0, 2)} – ${spec.recipient.country.slice(0, 2)}`.toUpperCase()
  const cells = [
    ['DATE', spec.date.toISOString().slice(0, 10)],
    ['ROUTE', way],
    ['PARCEL', '1 / 1'],
  ] as const
  drawCells(canvas, cells, right)
}

export function drawRecipient(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
  const tab = { ...row, widthPt: recipientTabPt }
  fillBox(canvas, tab)
  drawText(canvas, 'TO', tab.xPt + tab.widthPt / 2, tab.yPt + 20, {
    sizePt: 15,
    bold: true,
    gray: 1,
    align: 'center',
  })
  const text = {
    xPt: row.xPt + tab.widthPt + 8,
    yPt: row.yPt + 7,
    widthPt: row.widthPt - tab.widthPt - 14,
    heightPt: row.heightPt - 12,
  }
  drawAddress(canvas, spec.recipient, text, {
    scale: recipientScale,
    bold: ['name', 'place', 'country'],
    maxSizePt: 12.5,
  })
}
