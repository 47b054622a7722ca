import { type AddressLineRole, addressLines } from './address-lines.ts'
import {
  type BoxPt,
  type Canvas,
  dotPt,
  drawBars,
  drawSign,
  drawText,
  fillBox,
  inset,
  measureWith,
  type SizePt,
  snapPt,
} from './canvas.ts'
import { clip, fitLines, fitSize, leading, type StyledLine } from './fit-text.ts'
import type { LabelAddress, LabelSpec } from './label-spec.ts'
import { linearBars, matrixBars, planCode128, planQr } from './symbols.ts'

/**
 * Draws the upright label: header, routing and QR code, sender, recipient, band, Code128, footer. Each row has a fixed
 * place, so that no address overlaps a barcode. Throws RangeError if the barcode of the tracking code does not fit.
 */
export function drawFace(canvas: Canvas, spec: LabelSpec, size: SizePt): void {
  const rows = layRows(size)
  drawFrame(canvas, size)
  drawHeader(canvas, spec, rows.header)
  drawRouting(canvas, spec, rows.routing)
  drawSender(canvas, spec, rows.sender)
  drawRecipient(canvas, spec, rows.recipient)
  drawBand(canvas, spec, rows.band)
  drawLinearBlock(canvas, spec, rows.symbol)
  drawFooter(canvas, spec, rows.footer)
  ruleAbove(canvas, rows.routing, heavyRulePt)
  ruleAbove(canvas, rows.sender, heavyRulePt)
  ruleAbove(canvas, rows.recipient, lightRulePt)
  ruleAbove(canvas, rows.footer, lightRulePt)
}

const marginPt = 8
const frameRulePt = 1.5
const heavyRulePt = 3
const lightRulePt = 0.75
const padPt = 6

/** Heights of the fixed rows, in points. The recipient's row has the remaining height. */
const rowHeights = { header: 46, routing: 77, sender: 62, band: 17, symbol: 99, footer: 28 }

interface Rows {
  readonly header: BoxPt
  readonly routing: BoxPt
  readonly sender: BoxPt
  readonly recipient: BoxPt
  readonly band: BoxPt
  readonly symbol: BoxPt
  readonly footer: BoxPt
}

function layRows(size: SizePt): Rows {
  const inner = { xPt: marginPt, widthPt: size.widthPt - 2 * marginPt }
  const fixed = Object.values(rowHeights).reduce((sum, height) => sum + height, 0)
  const recipientHeight = size.heightPt - 2 * marginPt - fixed
  let yPt = marginPt
  const next = (heightPt: number): BoxPt => {
    const row = { ...inner, yPt, heightPt }
    yPt += heightPt
    return row
  }
  return {
    header: next(rowHeights.header),
    routing: next(rowHeights.routing),
    sender: next(rowHeights.sender),
    recipient: next(recipientHeight),
    band: next(rowHeights.band),
    symbol: next(rowHeights.symbol),
    footer: next(rowHeights.footer),
  }
}

function split(row: BoxPt, rightWidthPt: number): { left: BoxPt; right: BoxPt } {
  const leftWidthPt = row.widthPt - rightWidthPt
  return {
    left: { ...row, widthPt: leftWidthPt },
    right: { ...row, xPt: row.xPt + leftWidthPt, widthPt: rightWidthPt },
  }
}

function ruleAbove(canvas: Canvas, box: BoxPt, heightPt: number): void {
  fillBox(canvas, { ...box, yPt: box.yPt - heightPt / 2, heightPt })
}

function ruleLeft(canvas: Canvas, box: BoxPt): void {
  fillBox(canvas, { ...box, xPt: box.xPt - lightRulePt / 2, widthPt: lightRulePt })
}

function caption(canvas: Canvas, text: string, box: BoxPt): void {
  drawText(canvas, text, box.xPt + padPt, box.yPt + 9.5, { sizePt: 5.5, bold: true, spacingPt: 0.6 })
}

function drawFrame(canvas: Canvas, size: SizePt): void {
  const outer = {
    xPt: marginPt,
    yPt: marginPt,
    widthPt: size.widthPt - 2 * marginPt,
    heightPt: size.heightPt - 2 * marginPt,
  }
  fillBox(canvas, { ...outer, heightPt: frameRulePt })
  fillBox(canvas, { ...outer, yPt: outer.yPt + outer.heightPt - frameRulePt, heightPt: frameRulePt })
  fillBox(canvas, { ...outer, widthPt: frameRulePt })
  fillBox(canvas, { ...outer, xPt: outer.xPt + outer.widthPt - frameRulePt, widthPt: frameRulePt })
}

function drawHeader(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
  const measure = measureWith(canvas.fonts)
  const solid = spec.brand.header === 'solid'
  const ink = solid ? 1 : 0
  if (solid) fillBox(canvas, row)
  const markWidth = row.heightPt * 1.15
  const mark = { ...row, widthPt: markWidth }
  fillBox(canvas, solid ? { ...inset(mark, 3) } : mark, solid ? 1 : 0)
  const markSize = fitSize(spec.service.mark, markWidth - 14, { maxSizePt: 38, minSizePt: 8 }, measure)
  drawText(
    canvas,
    spec.service.mark,
    mark.xPt + markWidth / 2,
    mark.yPt + row.heightPt / 2 + markSize * 0.36,
    {
      sizePt: markSize,
      bold: true,
      align: 'center',
      gray: solid ? 0 : 1,
    },
  )
  const signSide = row.heightPt - 14
  const textX = row.xPt + markWidth + 9
  const textWidth = row.widthPt - markWidth - signSide - 24
  const nameSize = fitSize(spec.brand.name, textWidth, { maxSizePt: 20, minSizePt: 8 }, measure)
  drawText(canvas, spec.brand.name, textX, row.yPt + 22.5, { sizePt: nameSize, bold: true, gray: ink })
  const service = clip(spec.service.name, textWidth, 8.5, false, measure)
  drawText(canvas, service, textX, row.yPt + 35.5, { sizePt: 8.5, gray: ink })
  drawSign(canvas, spec.brand.signPath, row.xPt + row.widthPt - signSide - 7, row.yPt + 7, signSide, ink)
}

function drawRouting(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
  const measure = measureWith(canvas.fonts)
  const { left, right } = split(row, row.heightPt + 6)
  caption(canvas, 'ROUTING', left)
  const width = left.widthPt - 2 * padPt
  const sizePt = fitSize(spec.routing.code, width, { maxSizePt: 46, minSizePt: 10 }, measure)
  drawText(canvas, spec.routing.code, left.xPt + padPt - 1, left.yPt + 33 + sizePt * 0.36, {
    sizePt,
    bold: true,
  })
  const detail = clip(spec.routing.detail, width, 9, true, measure)
  drawText(canvas, detail, left.xPt + padPt, left.yPt + row.heightPt - 7, { sizePt: 9, bold: true })
  ruleLeft(canvas, right)
  drawMatrixCell(canvas, spec.trackingCode, right)
}

function drawBand(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
  fillBox(canvas, row)
  const middle = row.xPt + row.widthPt / 2
  if (spec.sample) {
    const style = { sizePt: 12.5, bold: true, gray: 1, align: 'center', spacingPt: 2.2 } as const
    drawText(canvas, 'SAMPLE – NOT FOR SHIPPING', middle, row.yPt + 13, style)
    return
  }
  const style = { sizePt: 8, bold: true, gray: 1, align: 'center', spacingPt: 1.1 } as const
  drawText(canvas, 'RETURN  ·  RETOUR  ·  RÜCKSENDUNG  ·  DEVOLUCIÓN', middle, row.yPt + 11.5, style)
}

/**
 * Returns the host name of a tracking address without `www.`, because people type it in this form. An address that
 * cannot be parsed is returned unchanged.
 */
function followSite(url: string): string {
  return URL.parse(url)?.hostname.replace(/^www\./, '') ?? url
}

function drawFooter(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
  const measure = measureWith(canvas.fonts)
  const { left, right } = split(row, row.widthPt * 0.4)
  caption(canvas, 'REFERENCE', left)
  caption(canvas, 'FOLLOW AT', right)
  ruleLeft(canvas, right)
  const bounds = { maxSizePt: 11, minSizePt: 6.5 }
  const width = left.widthPt - 2 * padPt
  const sizePt = fitSize(spec.reference, width, bounds, measure)
  const reference = clip(spec.reference, width, sizePt, true, measure)
  drawText(canvas, reference, left.xPt + padPt, row.yPt + 21.5, { sizePt, bold: true })
  const site = followSite(spec.trackingUrl)
  const siteWidth = right.widthPt - 2 * padPt
  const siteSize = fitSize(site, siteWidth, { maxSizePt: 8.5, minSizePt: 6 }, measure)
  drawText(canvas, clip(site, siteWidth, siteSize, false, measure), right.xPt + padPt, row.yPt + 21.5, {
    sizePt: siteSize,
  })
}

/** Width of the black box with the word TO. */
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

function drawSender(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
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

function drawRecipient(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
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

/** Distance between the quiet zones and the frame or other content. */
const clearancePt = 2
/** Height of the bars in points: 22 mm, so that a hand scanner reads the bars at arm's length. */
const barHeightPt = 64

/**
 * Draws the Code128 of the tracking code in the middle of a row, with its text below. The upper and lower ends of the
 * bars are on whole dots.
 */
function drawLinearBlock(canvas: Canvas, spec: LabelSpec, row: BoxPt): void {
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

/** Draws the QR code of the tracking code in the middle of a cell. */
function drawMatrixCell(canvas: Canvas, trackingCode: string, cell: BoxPt): void {
  const side = Math.min(cell.widthPt, cell.heightPt) - 2 * clearancePt
  const plan = planQr(trackingCode, side)
  const sidePt = plan.sideDots * dotPt
  const xPt = snapPt(cell.xPt + (cell.widthPt - sidePt) / 2)
  const yPt = snapPt(cell.yPt + (cell.heightPt - sidePt) / 2)
  drawBars(canvas, matrixBars(plan), xPt, yPt)
}
