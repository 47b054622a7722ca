import { drawSign, drawText, fillBox, measureWith, type Canvas } from './canvas.ts'
import { drawRecipient, drawSender } from './face-addresses.ts'
import {
  caption,
  drawFrame,
  heavyRulePt,
  inset,
  layRows,
  lightRulePt,
  padPt,
  ruleAbove,
  ruleLeft,
  split,
} from './face-grid.ts'
import { clip, fitSize } from './fit-text.ts'
import { drawLinearBlock, drawMatrixCell } from './label-symbols.ts'
import type { LabelSpec } from './label-spec.ts'
import type { BoxPt, SizePt } from './page-geometry.ts'

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

/** The site of a tracking address, as people type it. */
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

/**
 * The label itself, upright: header, routing and QR, sender, recipient, band, Code128, footer. Rows are strict, so
 * that no address reaches a symbol. Throws RangeError where the tracking code fits no symbol of this size.
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
