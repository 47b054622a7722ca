import {
  concatTransformationMatrix,
  PDFDocument,
  type PDFPage,
  popGraphicsState,
  pushGraphicsState,
} from 'pdf-lib'
import { CataloguedError } from '#shared/errors/result.ts'
import {
  type BoxPt,
  type Canvas,
  drawText,
  embedFonts,
  fillBox,
  type Fonts,
  inset,
  measureWith,
  withQuarterTurn,
} from '../draw/canvas.ts'
import { clip, leading } from '../draw/fit-text.ts'
import { type Bitmap, crop, type DotBox, inkBox, overlaid } from '../pixels/bitmap.ts'
import { withDocument } from '../pixels/pdfium.ts'
import { sheetFromMm } from '../place/placement-plan.ts'
import { findLinearSymbols } from '../read/find-symbols.ts'
import { labelBoxes } from '../read/label-boxes.ts'
import { type LabelReading, readLabel, type ReadSymbol } from '../read/read-label.ts'
import { findMarkPlace, type MarkPlace, type MarkShape } from './mark-place.ts'

/** The texts of the mark on a reprint. */
export interface CopyMark {
  /** The text in large letters, for example `COPY`. */
  readonly word: string
  /**
   * The text in small letters, for example date and time. It is cut if it is wider than about 60 mm in the smallest
   * letters.
   */
  readonly line: string
}

/**
 * Distance of the copy mark (such as `COPY`) from bars that could not be read, in millimetres. It is fixed, because the
 * module of such bars is unknown.
 */
const unreadQuietMm = 4
/** Resolution for finding the white areas of a page, in dots per inch. */
const pageDpi = 203

/**
 * Draws the mark of a copy into a label bitmap, outside all barcodes and their quiet zones, and then reads the bitmap
 * again. Throws CataloguedError `document.unreadable` {cause: copy_mark} if there is no place for the mark, or if a
 * barcode is no longer readable.
 */
export async function markLabel(label: LabelReading, dpi: number, mark: CopyMark): Promise<LabelReading> {
  const { bitmap } = label
  const document = await PDFDocument.create({ updateMetadata: false })
  const fonts = await embedFonts(document)
  const place = placeOn(label, dpi, mark, fonts)
  const { box } = place
  const toPt = 72 / dpi
  const whole = { xPt: 0, yPt: 0, widthPt: box.width * toPt, heightPt: box.height * toPt }
  const page = document.addPage([whole.widthPt, whole.heightPt])
  drawCopyMark({ page, fonts, heightPt: whole.heightPt }, whole, mark.word, {
    ...place,
    emPt: place.emDots * toPt,
  })
  const piece = await withDocument(await document.save(), (drawn) => drawn.render(0, dpi))
  const marked = await readLabel(overlaid(bitmap, piece, box), dpi)
  assertSame(label.symbols, marked.symbols)
  return marked
}

/**
 * Draws the mark of a copy, like `markLabel`, on each page of a PDF except blank pages. Changes nothing else and keeps
 * form fields. Throws the errors of `markLabel`, and CataloguedError `document.not_a_pdf`, `document.too_large` or
 * `document.unreadable`.
 */
export async function markPdf(pdf: Uint8Array, mark: CopyMark): Promise<Uint8Array> {
  const before = await readPages(pdf)
  const document = await PDFDocument.load(pdf, { updateMetadata: false, password: '' }).catch(
    (error: unknown) => {
      throw new CataloguedError('document.unreadable', { cause: 'copy_mark' }, { cause: error })
    },
  )
  const fonts = await embedFonts(document)
  for (const [at, page] of document.getPages().entries()) {
    const label = before[at]
    if (label) markPage(page, label, fonts, mark)
  }
  const marked = await document.save()
  const after = await readPages(marked)
  for (const [at, label] of before.entries()) assertSame(label?.symbols ?? [], after[at]?.symbols ?? [])
  return marked
}

function placeOn(
  { bitmap, symbols }: LabelReading,
  dpi: number,
  mark: CopyMark,
  fonts: Fonts,
): MarkPlace<CopyMarkShape> {
  const round = Math.ceil((unreadQuietMm * dpi) / 25.4)
  const bars = findLinearSymbols(bitmap, dpi).map(({ box }) => grown(box, round))
  const keepClear = [...symbols.map((symbol) => symbol.quietBox), ...bars]
  const place = findMarkPlace(bitmap, keepClear, copyMarkShapes(mark, fonts, dpi), dpi)
  if (!place) throw new CataloguedError('document.unreadable', { cause: 'copy_mark' })
  return place
}

/**
 * Finds a place for the copy mark on a page. If the page is a sheet of labels, finds a place on each label, because the
 * labels may be separated later.
 */
function placesOnPage(page: LabelReading, mark: CopyMark, fonts: Fonts): MarkPlace<CopyMarkShape>[] {
  const { bitmap, symbols } = page
  const labels = labelsOn(
    bitmap,
    pageDpi,
    symbols.map(({ box }) => box),
  )
  return labels.map((label) => {
    const { x, y } = label
    // the barcodes of neighbouring labels are included, because their quiet zones may reach into this label
    const moved = symbols.map((symbol) => ({
      ...symbol,
      quietBox: { ...symbol.quietBox, x: symbol.quietBox.x - x, y: symbol.quietBox.y - y },
    }))
    const place = placeOn({ ...page, bitmap: crop(bitmap, label), symbols: moved }, pageDpi, mark, fonts)
    return { ...place, box: { ...place.box, x: place.box.x + x, y: place.box.y + y } }
  })
}

/**
 * Returns the area of each label on a page. The area is the whole page, unless the page is large enough to be a sheet
 * of labels.
 */
function labelsOn(bitmap: Bitmap, dpi: number, barcodes: readonly DotBox[]): DotBox[] {
  const { widthDots, heightDots } = bitmap
  const isSheet = (Math.min(widthDots, heightDots) / dpi) * 25.4 > sheetFromMm
  const labels = isSheet ? labelBoxes(bitmap, dpi, barcodes) : []
  return labels.length > 0 ? labels : [{ x: 0, y: 0, width: widthDots, height: heightDots }]
}

function grown({ x, y, width, height }: DotBox, by: number): DotBox {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by }
}

/** Renders every page as a viewer shows it and reads its barcodes. The element of a blank page is null. */
async function readPages(pdf: Uint8Array): Promise<(LabelReading | null)[]> {
  return withDocument(pdf, async (document) => {
    const pages: (LabelReading | null)[] = []
    for (let page = 0; page < document.pageCount; page++) {
      const bitmap = await document.render(page, pageDpi)
      pages.push(inkBox(bitmap) ? await readLabel(bitmap, pageDpi) : null)
    }
    return pages
  })
}

function markPage(page: PDFPage, label: LabelReading, fonts: Fonts, mark: CopyMark): void {
  const toPt = 72 / pageDpi
  const view = viewOf(page)
  for (const place of placesOnPage(label, mark, fonts)) {
    const { x, y, width, height } = place.box
    const box: BoxPt = { xPt: x * toPt, yPt: y * toPt, widthPt: width * toPt, heightPt: height * toPt }
    page.pushOperators(pushGraphicsState(), concatTransformationMatrix(...view.matrix))
    drawCopyMark({ page, fonts, heightPt: view.heightPt }, box, mark.word, {
      ...place,
      emPt: place.emDots * toPt,
    })
    page.pushOperators(popGraphicsState())
  }
}

type Matrix = [number, number, number, number, number, number]

/**
 * Returns the height of a page in a viewer, and the matrix from the viewer's coordinates (0 is the lower left corner)
 * to the page's coordinates.
 */
function viewOf(page: PDFPage): { heightPt: number; matrix: Matrix } {
  const { x, y, width, height } = page.getCropBox()
  switch (((page.getRotation().angle % 360) + 360) % 360) {
    case 90:
      return { heightPt: width, matrix: [0, 1, -1, 0, x + width, y] }
    case 180:
      return { heightPt: height, matrix: [-1, 0, 0, -1, x + width, y + height] }
    case 270:
      return { heightPt: width, matrix: [0, -1, 1, 0, x, y + height] }
    default:
      return { heightPt: height, matrix: [1, 0, 0, 1, x, y] }
  }
}

/**
 * Throws unless both readings contain the same barcodes. The kind and the text of each must be equal; its position may
 * differ.
 */
function assertSame(before: readonly ReadSymbol[], after: readonly ReadSymbol[]): void {
  const says = (symbols: readonly ReadSymbol[]): string =>
    symbols
      .map(({ symbology, text }) => `${symbology} ${text}`)
      .sort()
      .join('\n')
  if (says(before) !== says(after)) throw new CataloguedError('document.unreadable', { cause: 'copy_mark' })
}

/**
 * A possible layout of the copy mark, which has a word in large letters and a line in small letters. Lengths are in em
 * of the large letters.
 */
interface CopyMarkShape extends MarkShape {
  readonly rows: readonly string[]
  readonly lineEm: number
  /**
   * Whether the text in small letters (`CopyMark.line`) is beside the text in large letters (`CopyMark.word`). False:
   * it is below.
   */
  readonly isBeside: boolean
}

const leastWordPt = 11
const mostWordPt = 30
/** Smallest letters of the line, in points. Thermal printers do not print smaller letters legibly. */
const leastLinePt = 6
const widestLinePt = 180

const paddingEm = 0.32
const frameEm = 0.07
/** Height of capital letters, and height of the space for an accent above them, in em of these letters. */
const capEm = 0.72
const accentEm = 0.14
const gapEm = 0.26

/** Returns the possible layouts of a mark at this resolution. */
function copyMarkShapes(mark: CopyMark, fonts: Fonts, dpi: number): CopyMarkShape[] {
  const measure = measureWith(fonts)
  const line = clip(mark.line, widestLinePt, leastLinePt, false, measure)
  const emOf = (text: string, bold: boolean): number => measure(text, 100, bold) / 100
  const wordEm = emOf(mark.word, true)
  const shapeOf = (rows: readonly string[], lineEm: number, isBeside: boolean): CopyMarkShape => {
    const rowsEm = Math.max(...rows.map((row) => emOf(row, false))) * lineEm
    const belowEm = isBeside ? 0 : gapEm + rows.length * lineEm * leading
    return {
      rows,
      lineEm,
      isBeside,
      widthEm: (isBeside ? wordEm + 2 * gapEm + rowsEm : Math.max(wordEm, rowsEm)) + 2 * paddingEm,
      heightEm: accentEm + capEm + belowEm + 2 * paddingEm,
      leastDots: (Math.max(leastWordPt, leastLinePt / lineEm) * dpi) / 72,
      mostDots: (mostWordPt * dpi) / 72,
    }
  }
  const below = [1, 2, 3, 4].map((rows) => inRows(line, rows, (text) => emOf(text, false)))
  return [
    shapeOf([line], 0.4, true),
    ...[0.3, 0.55].flatMap((lineEm) => below.map((rows) => shapeOf(rows, lineEm, false))),
  ]
}

/** Breaks a line of words into at most `most` rows of similar width. */
function inRows(line: string, most: number, widthOf: (text: string) => number): string[] {
  const words = line.split(' ')
  for (let width = widthOf(line) / most; ; width *= 1.05) {
    const rows: string[] = []
    for (const word of words) {
      const joined = `${rows.at(-1) ?? ''} ${word}`.trim()
      if (rows.length > 0 && widthOf(joined) <= width) rows[rows.length - 1] = joined
      else rows.push(word)
    }
    if (rows.length <= most) return rows
  }
}

/** Draws a mark in a box with a white background and a frame. A turned mark is read from the bottom up. */
function drawCopyMark(
  canvas: Canvas,
  box: BoxPt,
  word: string,
  {
    shape,
    emPt,
    isTurned,
  }: { readonly shape: CopyMarkShape; readonly emPt: number; readonly isTurned: boolean },
): void {
  if (isTurned) {
    withQuarterTurn(canvas, box, (turned) => {
      const whole = { xPt: 0, yPt: 0, widthPt: box.heightPt, heightPt: box.widthPt }
      drawCopyMark(turned, whole, word, { shape, emPt, isTurned: false })
    })
    return
  }
  const frame = frameEm * emPt
  fillBox(canvas, box)
  fillBox(canvas, inset(box, frame), 1)
  const left = box.xPt + paddingEm * emPt
  const baseline = box.yPt + (paddingEm + accentEm + capEm) * emPt
  drawText(canvas, word, left, baseline, { sizePt: emPt, bold: true })
  const linePt = shape.lineEm * emPt
  const style = { sizePt: linePt, align: shape.isBeside ? 'right' : 'left' } as const
  const xPt = shape.isBeside ? box.xPt + box.widthPt - paddingEm * emPt : left
  const first = shape.isBeside ? baseline : baseline + gapEm * emPt + capEm * linePt
  for (const [at, row] of shape.rows.entries())
    drawText(canvas, row, xPt, first + at * linePt * leading, style)
}
