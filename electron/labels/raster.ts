import { CataloguedError } from '#shared/errors/result.ts'
import { type Bitmap, crop, type DotBox, inkBox, quarterTurn } from './bitmap.ts'
import { findLinearSymbols } from './find-linear-symbols.ts'
import { labelBox } from './label-box.ts'
import { keepsBarcodes, measureSymbols, readableScale } from './label-scale.ts'
import { type OpenDocument, withDocument } from './pdfium.ts'

/** What a label is rendered for. */
export interface RasterPaper {
  /** Dots an inch of the printer. */
  readonly dpi: number
  /** Dots that fit beside each other on its paper; the length has no end. */
  readonly widthDots: number
}

/** A5 is 148 mm wide: such a page is a sheet with a label on it, a narrower one is the label. */
const sheetFromMm = 140
/** White above and below a label that was cut out. */
const marginMm = 2
const measuringPixelsPerDot = 3

/**
 * The labels of a PDF as bitmaps exactly as wide as the paper, one a page; pages without ink are left out. Native
 * size wherever the label fits, cut out of its page and turned if need be. A label that is too wide is made smaller
 * only as far as its barcodes stay readable. On a sheet only the label prints, and beside a label that fits, a page
 * without a barcode that does not fit is left out.
 * Throws CataloguedError `printer.paper_too_narrow` {neededMm, printableMm}, `document.not_a_pdf`, `document.unreadable`.
 */
export async function rasterise(pdf: Uint8Array, paper: RasterPaper): Promise<Bitmap[]> {
  return withDocument(pdf, async (document) => {
    const labels: Bitmap[] = []
    let leftOut: CataloguedError | null = null
    for (let page = 0; page < document.pageCount; page++) {
      const placed = await placePage(document, page, paper)
      if (placed === null) continue
      if ('widthDots' in placed) labels.push(placed)
      else if (placed.hasBarcode) throw placed.refusal
      else leftOut ??= placed.refusal
    }
    if (labels.length > 0) return labels
    throw leftOut ?? new CataloguedError('document.unreadable', { cause: 'blank' })
  })
}

interface Unplaced {
  readonly hasBarcode: boolean
  readonly refusal: CataloguedError
}

async function placePage(
  document: OpenDocument,
  page: number,
  paper: RasterPaper,
): Promise<Bitmap | Unplaced | null> {
  const { dpi, widthDots } = paper
  const native = await document.render(page, dpi)
  const ink = inkBox(native)
  if (!ink) return null
  if (native.widthDots <= widthDots) return onPaper(native, widthDots)
  const whole = cutOut(native, ink, paper)
  if (whole) return whole
  const barcodes = findLinearSymbols(native, dpi)
  const isSheet = (Math.min(native.widthDots, native.heightDots) / dpi) * 25.4 > sheetFromMm
  const label = isSheet
    ? labelBox(
        native,
        dpi,
        barcodes.map(({ box }) => box),
      )
    : ink
  const placed = label && (cutOut(native, label, paper) ?? (await scaled(document, page, label, paper)))
  if (placed) return placed
  const { width, height } = label ?? ink
  const toMm = (dots: number): number => Math.ceil((dots / dpi) * 25.4)
  const facts = { neededMm: toMm(Math.min(width, height)), printableMm: toMm(widthDots) }
  return { hasBarcode: barcodes.length > 0, refusal: new CataloguedError('printer.paper_too_narrow', facts) }
}

/** A part of a page at native size, upright if it fits so, else turned, else null. */
function cutOut(native: Bitmap, box: DotBox, { dpi, widthDots }: RasterPaper): Bitmap | null {
  const fitsUpright = box.width <= widthDots
  if (!fitsUpright && box.height > widthDots) return null
  const piece = crop(native, box)
  const margin = Math.round((marginMm * dpi) / 25.4)
  return onPaper(fitsUpright ? piece : quarterTurn(piece), widthDots, margin)
}

/** In the middle of the paper's width. */
function onPaper(label: Bitmap, widthDots: number, margin = 0): Bitmap {
  const x = -Math.floor((widthDots - label.widthDots) / 2)
  return crop(label, { x, y: -margin, width: widthDots, height: label.heightDots + 2 * margin })
}

/** A part of a page rendered smaller, or null where its barcodes would not survive that. */
async function scaled(
  document: OpenDocument,
  page: number,
  box: DotBox,
  paper: RasterPaper,
): Promise<Bitmap | null> {
  const { dpi, widthDots } = paper
  const fine = await document.render(page, dpi * measuringPixelsPerDot, 1)
  const measured = measureSymbols(
    crop(fine, enlarged(box, measuringPixelsPerDot)),
    dpi,
    measuringPixelsPerDot,
  )
  // smaller by two dots where rounding makes the label that much wider
  for (const room of [widthDots, widthDots - 2]) {
    const scale = readableScale(measured, room / Math.min(box.width, box.height), dpi)
    if (scale === null) return null
    const piece = crop(await document.render(page, dpi * scale), enlarged(box, scale))
    const ink = inkBox(piece)
    const placed = ink && cutOut(piece, ink, paper)
    if (placed) return keepsBarcodes(placed, dpi, measured.linear) ? placed : null
  }
  return null
}

/** A box in the dots of a page rendered `factor` times as large; whole dots, none lost. */
function enlarged({ x, y, width, height }: DotBox, factor: number): DotBox {
  const left = Math.floor(x * factor)
  const top = Math.floor(y * factor)
  return {
    x: left,
    y: top,
    width: Math.ceil((x + width) * factor) - left,
    height: Math.ceil((y + height) * factor) - top,
  }
}
