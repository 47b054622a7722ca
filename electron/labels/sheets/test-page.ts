import { PDFDocument } from 'pdf-lib'
import {
  mmPerInch,
  planTestPage,
  type TestMark,
  testPageMm,
  type TestPaper,
} from '#shared/domain/test-page.ts'
import {
  type Canvas,
  drawBars,
  drawText,
  embedFonts,
  fillBox,
  measureWith,
  type TextStyle,
} from '../draw/canvas.ts'
import { clip, fitLines, fitSize, leading } from '../draw/fit-text.ts'
import {
  code128Of,
  linearBars,
  type LinearPlan,
  linearQuietModules,
  matrixBars,
  type MatrixPlan,
  matrixQuietModules,
  qrOf,
} from '../draw/symbols.ts'

/** The texts of the page in the operator's language. */
interface TestPageWords {
  readonly title: string
  /** The name of the printer and the date. */
  readonly lead: string
  /** The instructions for the operator. */
  readonly hint: string
  /** The text above the black block that tests the darkness. */
  readonly block: string
}

export interface TestPageSpec {
  readonly run: string
  readonly paper: TestPaper
  readonly words: TestPageWords
  /**
   * The date in the metadata of the file. The current time is not used, so that the same spec results in the same
   * bytes.
   */
  readonly date: Date
}

/**
 * Draws the test page of a printer: one page as large as the printable area of its paper. Bars, corners and rulers are
 * whole dots of that printer. planTestPage (shared/domain/test-page.ts) determines the marks.
 */
export async function drawTestPage(spec: TestPageSpec): Promise<Uint8Array> {
  const { run, paper, date } = spec
  const plan = planTestPage(run, paper)
  const document = await PDFDocument.create({ updateMetadata: false })
  document.setTitle(`Test page ${run}`)
  document.setProducer('Scandesk')
  document.setCreationDate(date)
  document.setModificationDate(date)
  const dot = 72 / paper.dpi
  const page = document.addPage([paper.widthDots * dot, plan.heightDots * dot])
  const canvas = { page, fonts: await embedFonts(document), heightPt: plan.heightDots * dot }
  const grid: DotGrid = { canvas, dot, widthDots: paper.widthDots, heightDots: plan.heightDots }
  drawEdge(grid)
  const top = dotsOf(grid, testPageMm.edge)
  if (plan.isShort) drawTitle(grid, spec.words.lead, top)
  else drawHead(grid, spec, plan.gaugeMm, top)
  let y = top + dotsOf(grid, plan.isShort ? testPageMm.shortHead : testPageMm.head)
  const upright = plan.marks.filter(({ kind }) => kind === 'upright')
  const widest = Math.max(0, ...upright.map(({ moduleDots }) => moduleDots))
  const x = dotsOf(grid, testPageMm.left) + linearQuietModules * widest
  for (const mark of upright) {
    drawRow(grid, mark, x, y)
    y += dotsOf(grid, testPageMm.row)
  }
  const beside = plan.marks.filter(({ kind }) => kind !== 'upright')
  if (beside.length > 0) drawBand(grid, beside, spec.words, { x, y })
  return document.save()
}

function write(grid: DotGrid, text: string, xDots: number, yDots: number, style: TextStyle): void {
  drawText(grid.canvas, text, xDots * grid.dot, yDots * grid.dot, style)
}

function drawTitle(grid: DotGrid, title: string, top: number): { left: number; widthPt: number } {
  const left = dotsOf(grid, testPageMm.left)
  const widthPt = (grid.widthDots - left - dotsOf(grid, testPageMm.right + 1)) * grid.dot
  const sizePt = 10
  const text = clip(title, widthPt, sizePt, true, measureWith(grid.canvas.fonts))
  write(grid, text, left, top + dotsOf(grid, 2.6), { sizePt, bold: true })
  return { left, widthPt }
}

/**
 * Draws the title, the name of the printer with the date, the instructions, and the line that the operator measures
 * with a ruler. If `gaugeMm` is 0, the line is left out.
 */
function drawHead(grid: DotGrid, { words }: TestPageSpec, gaugeMm: number, top: number): void {
  const { canvas, dot } = grid
  const { left, widthPt } = drawTitle(grid, words.title, top)
  const measure = measureWith(canvas.fonts)
  const box = { widthPt, heightPt: dotsOf(grid, 9.2) * dot, maxSizePt: 7, minSizePt: 4.5 }
  const lines = [
    { text: words.lead, bold: false, scale: 1 },
    { text: words.hint, bold: false, scale: 1 },
  ]
  const fit = fitLines(lines, box, measure)
  let baselinePt = (top + dotsOf(grid, 3.6)) * dot
  for (const line of fit.lines) {
    const sizePt = fit.sizePt * line.scale
    baselinePt += sizePt * leading
    drawText(canvas, line.text, left * dot, baselinePt, { sizePt })
  }
  if (gaugeMm > 0) drawGauge(grid, gaugeMm, top + dotsOf(grid, 15.4))
}

/** Draws a line with a short stroke at each end. The operator measures it with a ruler. */
function drawGauge(grid: DotGrid, gaugeMm: number, y: number): void {
  const { canvas, dot, widthDots } = grid
  const length = dotsOf(grid, gaugeMm)
  const left = Math.floor((widthDots - length) / 2)
  const line = Math.max(2, dotsOf(grid, 0.25))
  const stroke = dotsOf(grid, 3)
  fillDots(grid, left, y + Math.floor((stroke - line) / 2), length, line)
  // the operator measures between the outer edges of the strokes
  for (const x of [left, left + length - line]) fillDots(grid, x, y, line, stroke)
  const text = `${String(gaugeMm)} mm`
  const sizePt = 7
  const halfPt = measureWith(canvas.fonts)(text, sizePt, true) / 2 + 3
  const middlePt = (widthDots * dot) / 2
  fillBox(canvas, { xPt: middlePt - halfPt, yPt: y * dot, widthPt: 2 * halfPt, heightPt: stroke * dot }, 1)
  write(grid, text, widthDots / 2, y + dotsOf(grid, 2.4), { sizePt, bold: true, align: 'center' })
}

function widthText({ moduleMm }: TestMark): string {
  return `${moduleMm.toFixed(2)} mm`
}

/** Draws a barcode. The width of its modules and its content are printed above it. */
function drawRow(grid: DotGrid, mark: TestMark, x: number, top: number): void {
  const plan = code128Of(mark.code, mark.moduleDots)
  write(grid, widthText(mark), x, top + dotsOf(grid, 2.6), { sizePt: 7, bold: true })
  const noteX = x + dotsOf(grid, 15)
  write(grid, mark.code, noteX, top + dotsOf(grid, 2.6), { sizePt: 6 })
  drawLinearAt(grid, plan, x, top + dotsOf(grid, 3.6), dotsOf(grid, 7.6))
}

/** Draws side by side: the turned barcode, the QR code, and the black area that tests the darkness of the print. */
function drawBand(
  grid: DotGrid,
  marks: readonly TestMark[],
  words: TestPageWords,
  { x: left, y: top }: { readonly x: number; readonly y: number },
): void {
  const turned = marks.find(({ kind }) => kind === 'turned')
  const matrix = marks.find(({ kind }) => kind === 'matrix')
  const textY = top + dotsOf(grid, 2.6)
  let x = left
  if (turned) {
    const quiet = linearQuietModules * turned.moduleDots
    const barDots = dotsOf(grid, 11)
    write(grid, widthText(turned), x, textY, { sizePt: 7, bold: true })
    drawLadderAt(grid, code128Of(turned.code, turned.moduleDots), x, textY + quiet, barDots)
    x += barDots + dotsOf(grid, 2)
  }
  if (matrix) {
    const qr = qrOf(matrix.code, matrix.moduleDots)
    const quiet = matrixQuietModules * matrix.moduleDots
    write(grid, 'QR', x + quiet, textY, { sizePt: 7, bold: true })
    drawMatrixAt(grid, qr, x + quiet, textY + quiet)
    x += qr.sideDots + 2 * quiet
  }
  drawDarkness(grid, words.block, x, top)
}

/**
 * Draws a black area, and lines of one, two and three dots with equally wide white gaps. If the print head is too hot,
 * the gaps become black.
 */
function drawDarkness(grid: DotGrid, words: string, x: number, top: number): void {
  const { canvas, dot, widthDots } = grid
  const width = Math.min(dotsOf(grid, 50), widthDots - x - dotsOf(grid, testPageMm.right + 2))
  const measure = measureWith(canvas.fonts)
  if (width < dotsOf(grid, 6)) return
  const sizePt = fitSize(words, width * dot, { maxSizePt: 7, minSizePt: 4 }, measure)
  const text = clip(words, width * dot, sizePt, true, measure)
  write(grid, text, x, top + dotsOf(grid, 2.6), { sizePt, bold: true })
  let y = top + dotsOf(grid, 4)
  const block = dotsOf(grid, 10)
  fillDots(grid, x, y, width, block)
  y += block + dotsOf(grid, 1.5)
  for (const dots of [3, 2, 1]) {
    const height = dotsOf(grid, 5)
    const half = Math.floor(width / 2 / (2 * dots)) * 2 * dots
    for (let at = 0; at + dots <= half; at += 2 * dots) fillDots(grid, x + at, y, dots, height)
    const lying = x + half + dotsOf(grid, 1)
    for (let at = 0; at + dots <= height; at += 2 * dots)
      fillDots(grid, lying, y + at, x + width - lying, dots)
    y += height + dotsOf(grid, 1.5)
  }
}

/**
 * Number of nested corners in each corner of the printable area, 1 mm, 2 mm and so on from its edge. The number of
 * corners that are missing in a print is the number of millimetres that the printer cuts off.
 */
const cornerMarks = 5
/** Distance from the edge at which the lines of all nested corners end, in millimetres. */
const cornerMm = 7

/**
 * Draws a frame at the edge of the printable area, nested corners at a distance of one millimetre from each other, and
 * rulers along the top and the left.
 */
function drawEdge(grid: DotGrid): void {
  drawFrame(grid)
  for (const isRight of [false, true]) for (const isLow of [false, true]) drawCorner(grid, isRight, isLow)
  drawRuler(grid, true)
  drawRuler(grid, false)
}

/**
 * Returns the width of a line: a quarter of a millimetre, but at least two dots, because many intact printers do not
 * print a line of one dot.
 */
function lineDots(grid: DotGrid): number {
  return Math.max(2, dotsOf(grid, 0.25))
}

function drawFrame(grid: DotGrid): void {
  const { widthDots, heightDots } = grid
  const line = lineDots(grid)
  fillDots(grid, 0, 0, widthDots, line)
  fillDots(grid, 0, heightDots - line, widthDots, line)
  fillDots(grid, 0, 0, line, heightDots)
  fillDots(grid, widthDots - line, 0, line, heightDots)
}

function drawCorner(grid: DotGrid, isRight: boolean, isLow: boolean): void {
  const { widthDots, heightDots } = grid
  const arm = dotsOf(grid, cornerMm)
  for (let mm = 1; mm <= cornerMarks; mm++) {
    const at = dotsOf(grid, mm)
    const line = mm === cornerMarks ? 2 * lineDots(grid) : lineDots(grid)
    const x = isRight ? widthDots - arm : at
    const y = isLow ? heightDots - at - line : at
    fillDots(grid, x, y, arm - at, line)
    const xOfStroke = isRight ? widthDots - at - line : at
    const yOfStroke = isLow ? heightDots - arm : at
    fillDots(grid, xOfStroke, yOfStroke, line, arm - at)
  }
}

/**
 * Draws a ruler with a stroke of 1.5 mm for each millimetre. The strokes are longer at each fifth millimetre; at each
 * tenth they are longest and have a number.
 */
function drawRuler(grid: DotGrid, isAcross: boolean): void {
  const { canvas, dot, widthDots, heightDots } = grid
  const line = lineDots(grid)
  const lengthDots = (isAcross ? widthDots : heightDots) - dotsOf(grid, cornerMm)
  for (let mm = cornerMm + 1; dotsOf(grid, mm) < lengthDots - line; mm++) {
    const at = dotsOf(grid, mm)
    const stroke = dotsOf(grid, mm % 10 === 0 ? 3.2 : mm % 5 === 0 ? 2.4 : 1.5)
    if (isAcross) fillDots(grid, at, 0, line, stroke)
    else fillDots(grid, 0, at, stroke, line)
    if (mm % 10 !== 0) continue
    const style = { sizePt: 6, bold: true, align: 'center' } as const
    if (isAcross) drawText(canvas, String(mm), at * dot, (stroke + dotsOf(grid, 2.2)) * dot, style)
    else
      drawText(canvas, String(mm), (stroke + dotsOf(grid, 0.5)) * dot, at * dot + 2.1, {
        ...style,
        align: 'left',
      })
  }
}

/** A page with coordinates in the printer's dots, from the upper left corner; y increases downwards. */
interface DotGrid {
  readonly canvas: Canvas
  /** Side of one dot of the printer, in points. */
  readonly dot: number
  readonly widthDots: number
  readonly heightDots: number
}

/** Converts a length in millimetres to dots, rounded to whole dots. */
function dotsOf({ dot }: Pick<DotGrid, 'dot'>, lengthMm: number): number {
  return Math.round(((lengthMm / mmPerInch) * 72) / dot)
}

/** Fills a box of whole dots; 0 is black, 1 is white. */
function fillDots(
  { canvas, dot }: DotGrid,
  x: number,
  y: number,
  width: number,
  height: number,
  gray = 0,
): void {
  if (width <= 0 || height <= 0) return
  // the box is a fiftieth of a dot smaller on each side, so that no renderer blackens one dot more than planned
  const inset = dot / 50
  const box = {
    xPt: x * dot + inset,
    yPt: y * dot + inset,
    widthPt: width * dot - 2 * inset,
    heightPt: height * dot - 2 * inset,
  }
  fillBox(canvas, box, gray)
}

/** Draws a Code128 with its first bar at a point. */
function drawLinearAt(
  { canvas, dot }: DotGrid,
  plan: LinearPlan,
  x: number,
  y: number,
  heightDots: number,
): void {
  drawBars(canvas, linearBars(plan, heightDots * dot, dot), x * dot, y * dot)
}

/** Draws a turned Code128 with its first bar at the lower end of a column. The barcode is read from the bottom up. */
function drawLadderAt(
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

/** Draws a QR code with its upper left module at a point. */
function drawMatrixAt({ canvas, dot }: DotGrid, plan: MatrixPlan, x: number, y: number): void {
  drawBars(canvas, matrixBars(plan, dot), x * dot, y * dot)
}
