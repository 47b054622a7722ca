import type { PrintLaid } from '#shared/domain/print-job.ts'
import { type Bitmap, crop } from '../pixels/bitmap.ts'
import { withDocument } from '../pixels/pdfium.ts'
import { faithfulPages } from './faithful-pages.ts'
import { type LabelOptions, planLabels, type PlannedLabel } from './placement-plan.ts'
import { noOffset, type Offset, offsetPlace, type PrintableArea } from './printable-area.ts'

/** The paper for which labels are rendered. */
export interface RasterPaper {
  /** The printer's resolution in dots per inch. */
  readonly dpi: number
  /** Number of printable dots across the paper. The length of the paper has no limit. */
  readonly widthDots: number
  /**
   * The width of the bitmap of a label that is narrower than the paper. True: the width of the label with its white
   * margin; false or left out: the width of the paper.
   */
  readonly isCut?: boolean
}

/**
 * White margin of a label that was cut out: above and below it and, with `isCut`, also on its left and right; in
 * millimetres.
 */
const marginMm = 2

/**
 * Renders the labels of a PDF as bitmaps, page by page and on a sheet in reading order. A bitmap is exactly as wide as
 * the paper, unless `isCut` is set. Blank pages are left out. A page that fits without turning is printed whole. Of any
 * other page, each label of a sheet with several labels is cut out; if there are not several labels, the area with ink
 * is cut out or, if that does not fit, only the label. A part that fits keeps its original size and is turned if
 * necessary. A part that does not fit is made smaller, if its barcodes stay readable. If at least one label of the
 * document fits, parts that do not fit and have no barcode are left out. `options` overrides these rules. The printer's
 * offset moves a whole page within the length of the page; for a label that was cut out, the offset makes the paper
 * longer. Throws CataloguedError `printer.paper_too_narrow` {neededMm, printableMm}, `document.not_a_pdf`,
 * `document.too_large`, `document.unreadable`.
 */
export async function rasterise(
  pdf: Uint8Array,
  paper: RasterPaper,
  options: LabelOptions = {},
): Promise<Bitmap[]> {
  return (await layOnPaper(pdf, paper, options)).map(({ bitmap }) => bitmap)
}

/** Returns the bitmaps of `rasterise`, each with its placement. */
export async function layOnPaper(
  pdf: Uint8Array,
  paper: RasterPaper,
  options: LabelOptions,
): Promise<{ readonly bitmap: Bitmap; readonly laid: PrintLaid }[]> {
  const area = { ...paper, heightDots: Infinity }
  const margin = Math.round((marginMm * paper.dpi) / 25.4)
  const { offset = noOffset } = options
  const labels = await withDocument(pdf, (document) => planLabels(document, area, options))
  return labels.map((label) => ({
    bitmap: onPaper(label, paper, margin, offset),
    laid: { turn: label.turn, part: label.part },
  }))
}

/** Places a label in the middle of the width of the paper and moves it by the offset. */
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

/** One sheet of the printer's loaded paper. */
export interface Media {
  readonly widthMm: number
  readonly heightMm: number
}

export interface PlaceOptions extends LabelOptions {
  /**
   * Resolution of the printer in dots per inch, if known. It limits how narrow bars may become. The default is the
   * coarsest resolution.
   */
  readonly dpi?: number
}

const coarsestDpi = 203
const ptPerMm = 72 / 25.4

/**
 * Places the labels of a PDF for a printer that accepts PDF. Each page has the size of the medium and one label, in the
 * middle and moved by the offset. Labels are cut out, turned and made smaller by the same rules as in `rasterise`.
 * Drawings stay vector drawings (faithful-pages.ts). The result has no scripts, actions, forms or passwords. Throws
 * CataloguedError like `rasterise`.
 */
export async function placeOnMedia(
  pdf: Uint8Array,
  media: Media,
  options: PlaceOptions = {},
): Promise<Uint8Array> {
  return (await layOnMedia(pdf, media, options)).pdf
}

/** Returns the document of `placeOnMedia`, and the placement of each of its pages. */
export async function layOnMedia(
  pdf: Uint8Array,
  { widthMm, heightMm }: Media,
  { dpi = coarsestDpi, ...options }: PlaceOptions,
): Promise<{ readonly pdf: Uint8Array; readonly laid: readonly PrintLaid[] }> {
  const toDots = (mm: number): number => Math.round((mm * dpi) / 25.4)
  const area: PrintableArea = { dpi, widthDots: toDots(widthMm), heightDots: toDots(heightMm) }
  return withDocument(pdf, async (document) => {
    const labels = await planLabels(document, area, options)
    const sheets = labels.map((label) => ({
      label,
      ...placeOf(label, area, options.offset ?? noOffset),
      widthPt: widthMm * ptPerMm,
      heightPt: heightMm * ptPerMm,
    }))
    const laid = labels.map(({ turn, part }) => ({ turn, part }))
    return { pdf: await faithfulPages(pdf, document, sheets, dpi), laid }
  })
}

function placeOf(
  { bitmap }: PlannedLabel,
  area: PrintableArea,
  offset: Offset,
): { xDots: number; yDots: number } {
  const middle = {
    x: Math.floor((area.widthDots - bitmap.widthDots) / 2),
    y: Math.floor((area.heightDots - bitmap.heightDots) / 2),
  }
  const { x, y } = offsetPlace(bitmap, middle, area, offset)
  return { xDots: x, yDots: y }
}
