import { CataloguedError } from '#shared/errors/result.ts'
import { type Bitmap, crop, type DotBox, inkBox, type Turn, turned } from '../pixels/bitmap.ts'
import type { OpenDocument } from '../pixels/pdfium.ts'
import { findLinearSymbols, findQrMarks } from '../read/find-symbols.ts'
import { labelBoxes } from '../read/label-boxes.ts'
import { keepsBarcodes, measureSymbols, readableScale } from './label-scale.ts'
import type { Offset, PrintableArea } from './printable-area.ts'

/** The operator's choices for a document that was not printed correctly. */
export interface LabelOptions {
  /**
   * Rotation in degrees, clockwise, relative to the page as a PDF viewer shows it. `auto` turns a label only if it does
   * not fit otherwise.
   */
  readonly turn?: Turn | 'auto'
  /**
   * Whether to print the whole page or only the area with ink. `auto` prints the page if it fits. Otherwise it prints
   * each label of a sheet with several labels; on any other page it prints the area with ink or, if that does not fit,
   * only the label.
   */
  readonly crop?: 'auto' | 'page' | 'ink'
  /**
   * The offset in the printer's settings, by which a label is moved on the paper. The offset never makes a label
   * smaller.
   */
  readonly offset?: Offset
}

/** One label as it will be printed. */
export interface PlannedLabel {
  readonly page: number
  /** The part of the page, in dots of `renderDpi`, as a viewer shows the page. */
  readonly box: DotBox
  /**
   * Dots per inch for rendering: the printer's resolution if the label keeps its size, less if the label is made
   * smaller.
   */
  readonly renderDpi: number
  readonly turn: Turn
  /** The kind of the part: `page` includes the margins of the page, `label` is one label of a sheet. */
  readonly part: 'page' | 'ink' | 'label'
  /** The rendered and turned part of the page, in the printer's dots. */
  readonly bitmap: Bitmap
}

/**
 * A page whose shorter side is longer than this is a sheet with labels on it; any other page is a label. A5 is 148 mm
 * wide.
 */
export const sheetFromMm = 140
const measuringPixelsPerDot = 3
/** Tolerance of sizes, because paper sizes are named in whole millimetres but A4 is 595.28 points wide. */
const hairMm = 1

type Part = PlannedLabel['part']

interface Unplaced {
  readonly hasBarcode: boolean
  readonly refusal: CataloguedError
}

/**
 * Plans the labels of a document, page by page. Leaves out blank pages. If at least one label of the document fits,
 * also leaves out pages that do not fit and have no barcode. Throws CataloguedError `printer.paper_too_narrow`
 * {neededMm, printableMm}, `document.unreadable`.
 */
export async function planLabels(
  document: OpenDocument,
  area: PrintableArea,
  options: LabelOptions,
): Promise<PlannedLabel[]> {
  const labels: PlannedLabel[] = []
  let leftOut: CataloguedError | null = null
  for (let page = 0; page < document.pageCount; page++) {
    for (const planned of await planPage(document, page, area, options)) {
      if ('bitmap' in planned) labels.push(planned)
      else if (planned.hasBarcode) throw planned.refusal
      else leftOut ??= planned.refusal
    }
  }
  if (labels.length > 0) return labels
  throw leftOut ?? new CataloguedError('document.unreadable', { cause: 'blank' })
}

async function planPage(
  document: OpenDocument,
  page: number,
  area: PrintableArea,
  { turn = 'auto', crop: wish = 'auto' }: LabelOptions,
): Promise<(PlannedLabel | Unplaced)[]> {
  const render = rememberedRenders(document, page)
  const native = await render(area.dpi)
  const ink = inkBox(native)
  if (!ink) return []
  const seen: SeenPage = { render, page, native, area, turn }
  const upright = turn === 'auto' ? 0 : turn
  const { widthDots: width, heightDots: height } = native
  const whole = trimmed({ x: 0, y: 0, width, height }, ink, upright, area)
  if (wish === 'page') return [await placed(seen, whole, 'page')]
  if (wish === 'ink') return [await placed(seen, ink, 'ink')]
  const asItIs = cutOut({ ...seen, turn: upright }, whole, 'page')
  if (asItIs) return [asItIs]
  const isSheet = (Math.min(whole.width, whole.height) / area.dpi) * 25.4 > sheetFromMm
  const labels = isSheet ? labelBoxes(native, area.dpi, barcodesOf(native, area.dpi)) : []
  if (labels.length > 1) return Promise.all(labels.map((label) => placed(seen, label, 'label')))
  const [label] = labels
  return [cutOut(seen, ink, 'ink') ?? (await placed(seen, label ?? ink, label ? 'label' : 'ink'))]
}

/**
 * Returns the boxes of the linear barcodes. If there are none, returns the boxes of the corner marks of QR codes. If
 * there are linear barcodes, QR codes are ignored, because instructions beside the label may also contain a QR code.
 */
function barcodesOf(native: Bitmap, dpi: number): DotBox[] {
  const linear = findLinearSymbols(native, dpi).map(({ box }) => box)
  return linear.length > 0 ? linear : findQrMarks(native, dpi)
}

type Render = (dpi: number, pixelsPerDot?: number) => Promise<Bitmap>

/** Caches the renderings of a page, because several labels of a sheet need the same renderings. */
function rememberedRenders(document: OpenDocument, page: number): Render {
  const made = new Map<string, Promise<Bitmap>>()
  return (dpi, pixelsPerDot) => {
    const key = `${String(dpi)} ${String(pixelsPerDot)}`
    const known = made.get(key) ?? document.render(page, dpi, pixelsPerDot)
    made.set(key, known)
    return known
  }
}

interface SeenPage {
  readonly render: Render
  readonly page: number
  readonly native: Bitmap
  readonly area: PrintableArea
  readonly turn: Turn | 'auto'
}

/**
 * Places a part of a page in its original size or, if that does not fit, smaller. If the part does not fit at all,
 * returns the reason.
 */
async function placed(seen: SeenPage, box: DotBox, part: Part): Promise<PlannedLabel | Unplaced> {
  const label = cutOut(seen, box, part) ?? (await scaled(seen, box, part))
  if (label) return label
  const { native, area } = seen
  const hasBarcode = barcodesOf(crop(native, box), area.dpi).length > 0
  return { hasBarcode, refusal: new CataloguedError('printer.paper_too_narrow', shortage(box, area)) }
}

/**
 * Returns the needed and the printable length, in millimetres, for the side that does not fit. Compares the shorter
 * sides of the box and the paper; if these fit, the longer sides. The needed length does not include the last dot,
 * because the box may cover it only in part: A4 is 210 mm wide and not 211. The printable length is rounded: a print
 * head of 832 dots is 104 mm wide and not 105.
 */
function shortage(
  box: DotBox,
  { dpi, widthDots, heightDots }: PrintableArea,
): { neededMm: number; printableMm: number } {
  const [short, long] = [Math.min(box.width, box.height), Math.max(box.width, box.height)]
  const [narrow, wide] = [Math.min(widthDots, heightDots), Math.max(widthDots, heightDots)]
  const [needed, printable] = short > narrow || wide === Infinity ? [short, narrow] : [long, wide]
  const toMm = (dots: number): number => (dots / dpi) * 25.4
  return { neededMm: Math.ceil(toMm(needed - 1)), printableMm: Math.round(toMm(printable)) }
}

/** If a page is larger than the paper by at most the tolerance, cuts the edges of the page, but never ink. */
function trimmed(
  page: DotBox,
  ink: DotBox,
  turn: Turn,
  { dpi, widthDots, heightDots }: PrintableArea,
): DotBox {
  const [most, mostDown] = turn % 180 === 0 ? [widthDots, heightDots] : [heightDots, widthDots]
  const [across, down] = [Math.max(0, page.width - most), Math.max(0, page.height - mostDown)]
  if (Math.max(across, down) > (hairMm * dpi) / 25.4) return page
  const [x, y] = [Math.floor(across / 2), Math.floor(down / 2)]
  const box = { x, y, width: page.width - across, height: page.height - down }
  const isInside =
    ink.x >= x && ink.y >= y && ink.x + ink.width <= x + box.width && ink.y + ink.height <= y + box.height
  return isInside ? box : page
}

function fitsTurned(
  { width, height }: DotBox,
  turn: Turn,
  { widthDots, heightDots }: PrintableArea,
): boolean {
  return turn % 180 === 0
    ? width <= widthDots && height <= heightDots
    : height <= widthDots && width <= heightDots
}

/** Returns the rotations to try, in this order: 0 and 90 degrees for `auto`, otherwise only the chosen rotation. */
function turnsOf(turn: Turn | 'auto'): readonly Turn[] {
  return turn === 'auto' ? [0, 90] : [turn]
}

/** Cuts out a part of a page at its original size, turned if necessary; null if it does not fit. */
function cutOut({ page, native, area, turn }: SeenPage, box: DotBox, part: Part): PlannedLabel | null {
  const found = turnsOf(turn).find((one) => fitsTurned(box, one, area))
  if (found === undefined) return null
  const bitmap = turned(crop(native, box), found)
  return { page, box, renderDpi: area.dpi, turn: found, part, bitmap }
}

/**
 * Renders a part of a page in a smaller size. Returns null if the part has no linear barcode, if its barcodes would
 * become unreadable, or if no size fits the paper.
 */
async function scaled(seen: SeenPage, box: DotBox, part: Part): Promise<PlannedLabel | null> {
  const { render, area, turn } = seen
  const { dpi } = area
  const fine = await render(dpi * measuringPixelsPerDot, 1)
  const measured = measureSymbols(
    crop(fine, enlarged(box, measuringPixelsPerDot)),
    dpi,
    measuringPixelsPerDot,
  )
  // if the first size does not fit, tries a size that is two dots smaller: rounding may make a label two dots wider
  for (const lessDots of [0, 2]) {
    const scale = readableScale(measured, largestScale(box, turn, area, lessDots), dpi)
    if (scale === null) return null
    const within = enlarged(box, scale)
    const native = await render(dpi * scale)
    const ink = inkBox(crop(native, within))
    if (!ink) return null
    const cut = part === 'page' ? within : { ...ink, x: within.x + ink.x, y: within.y + ink.y }
    const label = cutOut({ ...seen, native }, cut, part)
    if (label)
      return keepsBarcodes(label.bitmap, dpi, measured.linear) ? { ...label, renderDpi: dpi * scale } : null
  }
  return null
}

function largestScale(
  { width, height }: DotBox,
  turn: Turn | 'auto',
  { widthDots, heightDots }: PrintableArea,
  lessDots: number,
): number {
  const scales = turnsOf(turn).map((one) => {
    const [across, down] = one % 180 === 0 ? [width, height] : [height, width]
    return Math.min((widthDots - lessDots) / across, (heightDots - lessDots) / down)
  })
  return Math.max(...scales)
}

/** Converts a box to the dots of a rendering that is `factor` times as large. Rounds outwards to whole dots. */
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
