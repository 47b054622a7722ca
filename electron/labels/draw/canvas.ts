import {
  closePath,
  concatTransformationMatrix,
  fill,
  grayscale,
  type PDFDocument,
  type PDFFont,
  type PDFPage,
  popGraphicsState,
  pushGraphicsState,
  rectangle,
  setFillingGrayscaleColor,
  StandardFonts,
} from 'pdf-lib'
import type { Measure } from './fit-text.ts'
import { toWinAnsi } from './winansi.ts'

/**
 * Points per dot of a 203 dpi printer. Bars and matrix modules are whole dots, so that no driver rounds their widths.
 */
export const dotPt = 72 / 203

/**
 * Returns a length in points as a whole number of dots, rounded down, with a tolerance of a millionth of a dot. `dot`
 * is the side of one dot in points.
 */
export function wholeDots(lengthPt: number, dot: number = dotPt): number {
  return Math.floor(lengthPt / dot + 1e-6)
}

/** Rounds a length in points down to whole dots. */
export function snapPt(lengthPt: number, dot: number = dotPt): number {
  return wholeDots(lengthPt, dot) * dot
}

export interface SizePt {
  readonly widthPt: number
  readonly heightPt: number
}

export interface BoxPt extends SizePt {
  readonly xPt: number
  /** Distance downwards from the top edge. */
  readonly yPt: number
}

/** Returns the box reduced by `byPt` on each side. */
export function inset(box: BoxPt, byPt: number): BoxPt {
  return {
    xPt: box.xPt + byPt,
    yPt: box.yPt + byPt,
    widthPt: box.widthPt - 2 * byPt,
    heightPt: box.heightPt - 2 * byPt,
  }
}

export interface Fonts {
  readonly regular: PDFFont
  readonly bold: PDFFont
}

/** A page, or a turned label on a page. Coordinates start at the upper left corner; y increases downwards. */
export interface Canvas {
  readonly page: PDFPage
  readonly fonts: Fonts
  readonly heightPt: number
}

export interface TextStyle {
  readonly sizePt: number
  readonly bold?: boolean
  /** Which part of the text is at `xPt`: its left end (default), its right end or its middle. */
  readonly align?: 'left' | 'center' | 'right'
  /** Shade of the text: 0 is black, 1 is white. */
  readonly gray?: number
  readonly spacingPt?: number
}

/**
 * Embeds the two standard fonts of every label. They are part of every PDF reader, so the file contains no font data.
 */
export async function embedFonts(document: PDFDocument): Promise<Fonts> {
  return {
    regular: await document.embedFont(StandardFonts.Helvetica),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
  }
}

/** Returns a function that measures the width of a text. The text is converted to the characters of the font first. */
export function measureWith(fonts: Fonts): Measure {
  return (text, sizePt, bold) =>
    (bold ? fonts.bold : fonts.regular).widthOfTextAtSize(toWinAnsi(text), sizePt)
}

/** Draws one line of text on a baseline. Transliterates characters that the font lacks, so it never fails. */
export function drawText(
  canvas: Canvas,
  text: string,
  xPt: number,
  baselinePt: number,
  style: TextStyle,
): void {
  const font = style.bold === true ? canvas.fonts.bold : canvas.fonts.regular
  const printable = toWinAnsi(text)
  const spacing = style.spacingPt ?? 0
  const width = font.widthOfTextAtSize(printable, style.sizePt) + spacing * Math.max(printable.length - 1, 0)
  const shift = { left: 0, center: width / 2, right: width }[style.align ?? 'left']
  canvas.page.drawText(printable, {
    x: xPt - shift,
    y: canvas.heightPt - baselinePt,
    size: style.sizePt,
    font,
    color: grayscale(style.gray ?? 0),
    ...(spacing === 0 ? {} : { characterSpacing: spacing }),
  })
}

function boxPath(canvas: Canvas, box: BoxPt): ReturnType<typeof rectangle>[] {
  return [
    rectangle(box.xPt, canvas.heightPt - box.yPt - box.heightPt, box.widthPt, box.heightPt),
    closePath(),
  ]
}

/** Fills a box; 0 is black, 1 is white. Lines are also drawn as boxes, so that their edges are exact. */
export function fillBox(canvas: Canvas, box: BoxPt, gray = 0): void {
  canvas.page.pushOperators(
    pushGraphicsState(),
    setFillingGrayscaleColor(gray),
    ...boxPath(canvas, box),
    fill(),
    popGraphicsState(),
  )
}

/** Draws all bars as one path with one fill, so that no renderer leaves thin gaps between adjacent bars. */
export function drawBars(canvas: Canvas, bars: readonly BoxPt[], xPt: number, yPt: number): void {
  canvas.page.pushOperators(
    pushGraphicsState(),
    setFillingGrayscaleColor(0),
    ...bars.map((bar) =>
      rectangle(xPt + bar.xPt, canvas.heightPt - yPt - bar.yPt - bar.heightPt, bar.widthPt, bar.heightPt),
    ),
    fill(),
    popGraphicsState(),
  )
}

/** Draws an SVG path, scaled from a box of 100 by 100 to a square. */
export function drawSign(
  canvas: Canvas,
  path: string,
  xPt: number,
  yPt: number,
  sidePt: number,
  gray = 0,
): void {
  canvas.page.drawSvgPath(path, {
    x: xPt,
    y: canvas.heightPt - yPt,
    scale: sidePt / 100,
    color: grayscale(gray),
    borderWidth: 0,
  })
}

/** Draws a dashed line along which people cut. */
export function drawCutLine(canvas: Canvas, fromXPt: number, toXPt: number, yPt: number): void {
  canvas.page.drawLine({
    start: { x: fromXPt, y: canvas.heightPt - yPt },
    end: { x: toXPt, y: canvas.heightPt - yPt },
    thickness: 0.8,
    dashArray: [5, 4],
    color: grayscale(0.25),
  })
}

/**
 * Draws on a canvas that is turned anticlockwise by 90 degrees. `box`: the area of that canvas in the page's
 * coordinates.
 */
export function withQuarterTurn(canvas: Canvas, box: BoxPt, draw: (turned: Canvas) => void): void {
  // the turned canvas is as high as the box is wide. In PDF coordinates, its point (x, y) becomes the point (right - y,
  // bottom + x)
  const right = box.xPt + box.widthPt
  const bottom = canvas.heightPt - box.yPt - box.heightPt
  canvas.page.pushOperators(pushGraphicsState(), concatTransformationMatrix(0, 1, -1, 0, right, bottom))
  draw({ ...canvas, heightPt: box.widthPt })
  canvas.page.pushOperators(popGraphicsState())
}
