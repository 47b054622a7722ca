import type { PrintLaid } from '#shared/domain/print-hold.ts'
import { type Bitmap, crop } from '../pixels/bitmap.ts'
import { type LabelOptions, planLabels, type PlannedLabel } from './label-plan.ts'
import { noOffset, type Offset, offsetPlace } from './offset.ts'
import { withDocument } from '../pixels/pdfium.ts'

/** What a label is rendered for. */
export interface RasterPaper {
  /** Dots an inch of the printer. */
  readonly dpi: number
  /** Dots that fit beside each other on its paper; the length has no end. */
  readonly widthDots: number
  /** Cut to what is on it: a label that is narrower stays as wide as it is. */
  readonly isCut?: boolean
}

/** White above and below a label that was cut out. */
const marginMm = 2

/**
 * The labels of a PDF as bitmaps exactly as wide as the paper unless that is cut, page by page and on a sheet in reading
 * order; pages without ink are left out. Native size wherever the label fits, cut out of its page and turned if need be. A label
 * that is too wide is made smaller only as far as its barcodes stay readable. On a sheet only the labels print, and
 * beside a label that fits, a page without a barcode that does not fit is left out. `options` overrules this; an offset
 * moves a page within its own length, and makes the paper of a label that was cut out longer.
 * Throws CataloguedError `printer.paper_too_narrow` {neededMm, printableMm}, `document.not_a_pdf`,
 * `document.too_large`, `document.unreadable`.
 */
export async function rasterise(
  pdf: Uint8Array,
  paper: RasterPaper,
  options: LabelOptions = {},
): Promise<Bitmap[]> {
  return (await layOnPaper(pdf, paper, options)).map(({ bitmap }) => bitmap)
}

/** The bitmaps of `rasterise`, each with how it came to lie so. */
export async function layOnPaper(
  pdf: Uint8Array,
  paper: RasterPaper,
  options: LabelOptions,
): Promise<{ readonly bitmap: Bitmap; readonly laid: PrintLaid }[]> {
  const room = { ...paper, heightDots: Infinity }
  const margin = Math.round((marginMm * paper.dpi) / 25.4)
  const { offset = noOffset } = options
  const labels = await withDocument(pdf, (document) => planLabels(document, room, options))
  return labels.map((label) => ({
    bitmap: onPaper(label, paper, margin, offset),
    laid: { turn: label.turn, part: label.part },
  }))
}

/** In the middle of the paper's width, but for the offset. */
function onPaper(
  { bitmap, part }: PlannedLabel,
  { dpi, widthDots: paperDots, isCut }: RasterPaper,
  margin: number,
  offset: Offset,
): Bitmap {
  const isPage = part === 'page'
  const white = isPage ? 0 : margin
  const widthDots = isCut ? Math.min(paperDots, bitmap.widthDots + 2 * white) : paperDots
  const middle = { x: Math.floor((widthDots - bitmap.widthDots) / 2), y: white }
  const paper = { dpi, widthDots, heightDots: isPage ? bitmap.heightDots : Infinity }
  const { x, y } = offsetPlace(bitmap, middle, paper, offset)
  const height = isPage ? bitmap.heightDots : y + bitmap.heightDots + white
  return crop(bitmap, { x: -x, y: -y, width: widthDots, height })
}
