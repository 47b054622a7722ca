import { drawText, fillBox, type Canvas } from './canvas.ts'
import type { BoxPt, SizePt } from './page-geometry.ts'

const marginPt = 8
const frameRulePt = 1.5
export const heavyRulePt = 3
export const lightRulePt = 0.75
export const padPt = 6

/** Heights of the rows that do not stretch; the recipient's row takes what is left. */
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

export function layRows(size: SizePt): Rows {
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

export function split(row: BoxPt, rightWidthPt: number): { left: BoxPt; right: BoxPt } {
  const leftWidthPt = row.widthPt - rightWidthPt
  return {
    left: { ...row, widthPt: leftWidthPt },
    right: { ...row, xPt: row.xPt + leftWidthPt, widthPt: rightWidthPt },
  }
}

export function ruleAbove(canvas: Canvas, box: BoxPt, heightPt: number): void {
  fillBox(canvas, { ...box, yPt: box.yPt - heightPt / 2, heightPt })
}

export function ruleLeft(canvas: Canvas, box: BoxPt): void {
  fillBox(canvas, { ...box, xPt: box.xPt - lightRulePt / 2, widthPt: lightRulePt })
}

export function caption(canvas: Canvas, text: string, box: BoxPt): void {
  drawText(canvas, text, box.xPt + padPt, box.yPt + 9.5, { sizePt: 5.5, bold: true, spacingPt: 0.6 })
}

export function inset(box: BoxPt, byPt: number): BoxPt {
  return {
    xPt: box.xPt + byPt,
    yPt: box.yPt + byPt,
    widthPt: box.widthPt - 2 * byPt,
    heightPt: box.heightPt - 2 * byPt,
  }
}

export function drawFrame(canvas: Canvas, size: SizePt): void {
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
