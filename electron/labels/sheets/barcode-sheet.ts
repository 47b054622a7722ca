import { PDFDocument } from 'pdf-lib'
import {
  type PlacedCell,
  planPages,
  type SheetFormat,
  type SheetKind,
  type SheetRoom,
} from '#shared/domain/sheet-layout.ts'
import { mmPerInch } from '#shared/domain/test-page.ts'
import { calibrationCodes } from '#shared/domain/wedge/calibration.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import {
  type BoxPt,
  type Canvas,
  drawBars,
  drawText,
  embedFonts,
  fillBox,
  measureWith,
  snapPt,
} from '../draw/canvas.ts'
import { clip, fitSize } from '../draw/fit-text.ts'
import {
  leastCode128Pt,
  linearBars,
  type LinearPlan,
  matrixBars,
  matrixQuietModules,
  planCode128,
  qrOf,
} from '../draw/symbols.ts'

export interface SheetSpec {
  readonly kind: SheetKind
  readonly format: SheetFormat
  readonly room: SheetRoom
  /** Resolution of the printer in dots per inch. The widths of bars are whole dots of this printer. */
  readonly dpi: number
  /**
   * Title of the PDF, and heading of each page. Sheets whose layout has no space for a heading (`headMm` is 0) do not
   * print it.
   */
  readonly title: string
  readonly lead: string
  readonly groups: readonly { readonly heading: string; readonly entries: readonly SheetEntry[] }[]
  /**
   * The date in the metadata of the file. The current time is not used, so that the same spec results in the same
   * bytes.
   */
  readonly date: Date
}

const ptPerMm = 72 / mmPerInch

/**
 * Draws a PDF with barcodes, such as commands, location labels or badges. Throws CataloguedError
 * `printer.sheet_too_large` {side, neededMm, printableMm} if a barcode does not fit the width or the height of the
 * paper.
 */
export async function drawBarcodeSheet(spec: SheetSpec): Promise<Uint8Array> {
  const { date } = spec
  const document = await PDFDocument.create({ updateMetadata: false })
  document.setTitle(spec.title)
  document.setProducer('Scandesk')
  document.setCreationDate(date)
  document.setModificationDate(date)
  const fonts = await embedFonts(document)
  const { plan, pages } = planPages(spec)
  for (const [number, { widthMm, heightMm, cells }] of pages.entries()) {
    const page = document.addPage([widthMm * ptPerMm, heightMm * ptPerMm])
    const canvas = { page, fonts, heightPt: heightMm * ptPerMm }
    const counted = pages.length > 1 ? `${String(number + 1)} / ${String(pages.length)}` : ''
    if (plan.headMm > 0) drawHead(canvas, spec, plan.marginMm, counted)
    for (const cell of cells) drawCell(canvas, spec, cell, heightMm)
  }
  return document.save()
}

function drawHead(canvas: Canvas, { title, lead, room }: SheetSpec, marginMm: number, counted: string): void {
  const measure = measureWith(canvas.fonts)
  const leftPt = marginMm * ptPerMm
  const rightPt = (room.widthMm - marginMm) * ptPerMm
  const widthPt = rightPt - leftPt
  drawText(canvas, clip(title, widthPt - 60, 22, true, measure), leftPt, leftPt + 20, {
    sizePt: 22,
    bold: true,
  })
  drawText(canvas, counted, rightPt, leftPt + 20, { sizePt: 10, align: 'right', gray: 0.3 })
  drawText(canvas, clip(lead, widthPt, 10, false, measure), leftPt, leftPt + 38, { sizePt: 10, gray: 0.25 })
  fillBox(canvas, { xPt: leftPt, yPt: leftPt + 47, widthPt, heightPt: 1.5 })
}

function drawCell(
  canvas: Canvas,
  spec: SheetSpec,
  { group, index, ...cell }: PlacedCell,
  pageMm: number,
): void {
  // the cells of some kinds of sheets have a fixed height, which may be larger than the height of a label
  const missingMm = cell.yMm + cell.heightMm - pageMm
  if (missingMm > 0) throw tooLarge('height', missingMm, pageMm)
  const box: BoxPt = {
    xPt: cell.xMm * ptPerMm,
    yPt: cell.yMm * ptPerMm,
    widthPt: cell.widthMm * ptPerMm,
    heightPt: cell.heightMm * ptPerMm,
  }
  const { heading, entries } = spec.groups[group] ?? { heading: '', entries: [] }
  if (index === null) {
    const text = clip(heading, box.widthPt, 10, true, measureWith(canvas.fonts))
    drawText(canvas, text, box.xPt, box.yPt + box.heightPt - 7, { sizePt: 10, bold: true, gray: 0.3 })
    return
  }
  const entry = entries[index]
  if (entry) drawEntry(canvas, spec, box, entry, pageMm)
}

function drawEntry(canvas: Canvas, spec: SheetSpec, box: BoxPt, entry: SheetEntry, pageMm: number): void {
  const draw: CellDrawing = cellDrawings[spec.kind]
  try {
    draw(canvas, box, entry, { dot: 72 / spec.dpi, isAlone: spec.format === 'label' })
  } catch (error) {
    if (!(error instanceof NoRoom)) throw error
    const missingMm = error.missingPt / ptPerMm
    throw tooLarge(error.side, missingMm, error.side === 'height' ? pageMm : spec.room.widthMm)
  }
}

function tooLarge(side: NoRoom['side'], missingMm: number, printableMm: number): CataloguedError {
  const neededMm = Math.ceil(printableMm + missingMm)
  return new CataloguedError('printer.sheet_too_large', {
    side,
    neededMm,
    printableMm: Math.floor(printableMm),
  })
}

export interface SheetEntry {
  /** Content of the barcode: printable ASCII, or one of the calibration codes. */
  readonly code: string
  /** The text that is printed in the largest letters. */
  readonly words: string
  /** The text of the line below `words`; empty if there is no such line. */
  readonly note: string
}

interface CellOptions {
  /** Side of one dot of the printer, in points. */
  readonly dot: number
  /** Whether this is the only cell of a label. Such a cell needs no cutting marks. */
  readonly isAlone: boolean
}

type CellDrawing = (canvas: Canvas, box: BoxPt, entry: SheetEntry, options: CellOptions) => void

/** Thrown if the cell is too narrow or too low for a readable barcode. `missingPt`: the missing length in points. */
class NoRoom extends Error {
  readonly side: 'width' | 'height'
  readonly missingPt: number

  constructor(side: 'width' | 'height', missingPt: number) {
    super(`no room for a barcode in the ${side}`)
    this.side = side
    this.missingPt = missingPt
  }
}

/** The functions that draw a cell, by kind of sheet. Each throws NoRoom if the barcode does not fit the cell. */
const cellDrawings: Readonly<Record<SheetKind, CellDrawing>> = {
  commands: drawCommand,
  digits: drawLocation,
  locations: drawLocation,
  badges: drawBadge,
  calibration: drawCalibration,
}

/** Minimum height of bars, because a hand scanner easily misses bars of less height. */
const leastBarsPt = 4 * ptPerMm
/**
 * Differences between lengths below this number of points are ignored, because sums of lengths have rounding errors.
 */
const roundingPt = 1e-6

/**
 * Draws a Code128 in a box, with its first bar at `atPt`; null: in the middle of the box. The quiet zones stay within
 * the box.
 */
function drawCode(canvas: Canvas, code: string, box: BoxPt, { dot }: CellOptions, atPt: number | null): void {
  if (box.heightPt < leastBarsPt - roundingPt) throw new NoRoom('height', leastBarsPt - box.heightPt)
  const plan = planIn(code, box.widthPt, dot)
  const middlePt = box.xPt + (box.widthPt - plan.widthDots * dot) / 2
  const x = snapPt(atPt ?? middlePt, dot)
  drawBars(canvas, linearBars(plan, snapPt(box.heightPt, dot), dot), x, snapPt(box.yPt, dot))
}

function planIn(code: string, widthPt: number, dot: number): LinearPlan {
  try {
    return planCode128(code, widthPt, dot)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new NoRoom('width', leastCode128Pt(code, dot) - widthPt)
  }
}

/**
 * Distance of the bars from the left edge of a label, as a quiet zone, because other ink may follow beyond the edge.
 * Bars on a page need no such distance, because the page has enough white beside its columns.
 */
const labelIndentPt = 4 * ptPerMm

/**
 * Draws a command: its text is above the barcode and aligned with the first bar, because operators read a column from
 * top to bottom.
 */
function drawCommand(canvas: Canvas, box: BoxPt, { code, words }: SheetEntry, options: CellOptions): void {
  const leftPt = box.xPt + (options.isAlone ? labelIndentPt : 0)
  const text = clip(words, box.xPt + box.widthPt - leftPt, 11, true, measureWith(canvas.fonts))
  drawText(canvas, text, leftPt, box.yPt + 12, { sizePt: 11, bold: true })
  const bars = { ...box, yPt: box.yPt + 17, heightPt: box.heightPt - 24 }
  drawCode(canvas, code, bars, options, leftPt)
}

const leastTextPt = 7

/**
 * Draws a location: its code is above the barcode and as large as possible, so that operators can read it from the
 * aisle.
 */
function drawLocation(canvas: Canvas, box: BoxPt, { code, words }: SheetEntry, options: CellOptions): void {
  if (!options.isAlone) drawCorners(canvas, box)
  const measure = measureWith(canvas.fonts)
  const innerPt = box.widthPt - 12
  const textPt = Math.max(leastTextPt, Math.min(box.heightPt * 0.42, 60, box.heightPt - 16 - leastBarsPt))
  const sizePt = fitSize(words, innerPt, { maxSizePt: textPt, minSizePt: leastTextPt }, measure)
  const barsPt = Math.min(box.heightPt - textPt - 16, 90)
  const topPt = box.yPt + (box.heightPt - textPt - barsPt - 8) / 2
  const middle = box.xPt + box.widthPt / 2
  // the height of capital letters is seven tenths of the font size
  const baseline = topPt + textPt / 2 + sizePt * 0.36
  const text = clip(words, innerPt, sizePt, true, measure)
  drawText(canvas, text, middle, baseline, { sizePt, bold: true, align: 'center' })
  const bars = { xPt: box.xPt, yPt: topPt + textPt + 8, widthPt: box.widthPt, heightPt: barsPt }
  drawCode(canvas, code, bars, options, null)
}

/** Draws a badge: the name in large letters, the user name, and the barcode at the lower edge. */
function drawBadge(canvas: Canvas, box: BoxPt, entry: SheetEntry, options: CellOptions): void {
  const card = { ...box, heightPt: Math.min(box.heightPt, 54 * ptPerMm) }
  if (!options.isAlone) drawCorners(canvas, card)
  const measure = measureWith(canvas.fonts)
  const padPt = 12
  const innerPt = card.widthPt - 2 * padPt
  const left = card.xPt + padPt
  const sizePt = fitSize(entry.words, innerPt, { maxSizePt: 26, minSizePt: 9 }, measure)
  drawText(canvas, clip(entry.words, innerPt, sizePt, true, measure), left, card.yPt + 38, {
    sizePt,
    bold: true,
  })
  drawText(canvas, clip(entry.note, innerPt, 11, false, measure), left, card.yPt + 56, {
    sizePt: 11,
    gray: 0.25,
  })
  fillBox(canvas, { xPt: left, yPt: card.yPt + 66, widthPt: innerPt, heightPt: 1.5 })
  const yPt = card.yPt + 80
  const bars = { xPt: card.xPt, yPt, widthPt: card.widthPt, heightPt: card.heightPt - 80 - 16 }
  drawCode(canvas, entry.code, bars, options, null)
}

/**
 * Draws a calibration barcode and the name of the kind of scanners for which it is made. The barcode is as large as
 * these scanners can read well.
 */
function drawCalibration(
  canvas: Canvas,
  box: BoxPt,
  { code, words }: SheetEntry,
  options: CellOptions,
): void {
  const text = clip(words, box.widthPt, 14, true, measureWith(canvas.fonts))
  drawText(canvas, text, box.xPt, box.yPt + 15, { sizePt: 14, bold: true })
  const below = { ...box, yPt: box.yPt + 24, heightPt: box.heightPt - 32 }
  if (code === calibrationCodes.matrix) drawMatrix(canvas, code, below, options)
  else
    drawCode(
      canvas,
      code,
      { ...below, heightPt: Math.min(below.heightPt, 100) },
      options,
      box.xPt + labelIndentPt,
    )
}

/**
 * Largest and smallest module of a QR code, in millimetres. Phone cameras can read even smaller modules, but a worn
 * printer cannot print them.
 */
const coarsestModuleMm = 1
const finestModuleMm = 0.3

/**
 * Draws a QR code, including its quiet zone, in the upper left corner of a box. Throws NoRoom if modules of 0.3 mm do
 * not fit.
 */
function drawMatrix(canvas: Canvas, code: string, box: BoxPt, { dot }: CellOptions): void {
  const modules = qrOf(code, 1).sideDots + 2 * matrixQuietModules
  const dotsPerMm = ptPerMm / dot
  const leastPt = Math.ceil(finestModuleMm * dotsPerMm) * modules * dot
  if (box.widthPt < leastPt - roundingPt) throw new NoRoom('width', leastPt - box.widthPt)
  if (box.heightPt < leastPt - roundingPt) throw new NoRoom('height', leastPt - box.heightPt)
  const room = Math.floor((Math.min(box.widthPt, box.heightPt) + roundingPt) / dot / modules)
  const plan = qrOf(code, Math.min(room, Math.round(coarsestModuleMm * dotsPerMm)))
  const quietPt = matrixQuietModules * plan.moduleDots * dot
  drawBars(canvas, matrixBars(plan, dot), snapPt(box.xPt + quietPt, dot), snapPt(box.yPt + quietPt, dot))
}

/**
 * Draws the cutting marks: short lines at the corners of a box. If a barcode needs the whole width of the box, the
 * marks cover half a point of its quiet zone.
 */
function drawCorners(canvas: Canvas, { xPt, yPt, widthPt, heightPt }: BoxPt): void {
  const armPt = 6
  const linePt = 0.5
  for (const x of [xPt, xPt + widthPt])
    for (const y of [yPt, yPt + heightPt]) {
      fillBox(canvas, { xPt: x === xPt ? x : x - armPt, yPt: y, widthPt: armPt, heightPt: linePt }, 0.5)
      fillBox(canvas, { xPt: x, yPt: y === yPt ? y : y - armPt, widthPt: linePt, heightPt: armPt }, 0.5)
    }
}
