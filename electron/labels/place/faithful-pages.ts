import { type Bitmap, blankBitmap, bytesPerRow, crop, isBlack, turned } from '../pixels/bitmap.ts'
import { type OpenDocument, withDocument } from '../pixels/pdfium.ts'
import { findLinearSymbols } from '../read/find-symbols.ts'
import type { PlannedLabel } from './placement-plan.ts'
import { type PagePart, remakePages } from './remake-pages.ts'

/** A label on a separate page. */
export interface LabelSheet {
  readonly label: PlannedLabel
  /** The place of the label's upper left corner, in whole dots, so that the widths of bars do not change. */
  readonly xDots: number
  readonly yDots: number
  readonly widthPt: number
  readonly heightPt: number
}

/**
 * Number of dots of a picture per dot of the printer, in each direction. A picture replaces a page that cannot stay a
 * vector drawing.
 */
const pictureDotsPerDot = 2

/**
 * Creates a document with one page for each of these sheets. A page stays a vector drawing if it renders like the
 * original page; otherwise it becomes a picture. The renderings may differ because of encryption, damage, or fonts that
 * only one of the two PDF libraries supports.
 */
export async function faithfulPages(
  pdf: Uint8Array,
  document: OpenDocument,
  sheets: readonly LabelSheet[],
  dpi: number,
): Promise<Uint8Array> {
  const parts = sheets.map((sheet) => drawnPart(sheet, dpi))
  const drawn = await remakePages(pdf, parts).catch(() => null)
  const isRight = drawn ? await comparePages(drawn, sheets, dpi) : []
  if (drawn && isRight.every(Boolean)) return drawn
  return remakePages(pdf, await withPictures(document, parts, sheets, (at) => isRight[at] !== true))
}

/** Creates a document with one page for each of these sheets. Every page is a picture. */
export async function picturePages(
  document: OpenDocument,
  sheets: readonly LabelSheet[],
  dpi: number,
): Promise<Uint8Array> {
  const parts = sheets.map((sheet) => drawnPart(sheet, dpi))
  return remakePages(new Uint8Array(), await withPictures(document, parts, sheets, () => true))
}

async function withPictures(
  document: OpenDocument,
  parts: readonly PagePart[],
  sheets: readonly LabelSheet[],
  isPicture: (at: number) => boolean,
): Promise<PagePart[]> {
  const mended: PagePart[] = []
  for (const [at, part] of parts.entries()) {
    const label = sheets[at]?.label
    mended.push(label && isPicture(at) ? { ...part, source: await picture(document, label) } : part)
  }
  return mended
}

/**
 * Returns for each page of `drawn` whether it shows the planned part and nothing outside it. If the document cannot be
 * read, returns an empty list.
 */
async function comparePages(
  drawn: Uint8Array,
  sheets: readonly LabelSheet[],
  dpi: number,
): Promise<boolean[]> {
  return withDocument(drawn, async (made) => {
    const isRight: boolean[] = []
    for (const [page, { label, xDots, yDots }] of sheets.entries()) {
      const seen = page < made.pageCount ? await made.render(page, dpi) : null
      if (seen === null) return isRight
      const whole = { x: -xDots, y: -yDots, width: seen.widthDots, height: seen.heightDots }
      isRight.push(areAlike(crop(label.bitmap, whole), seen, dpi))
    }
    return isRight
  }).catch(() => [])
}

function drawnPart({ label, xDots, yDots, widthPt, heightPt }: LabelSheet, dpi: number): PagePart {
  const { bitmap, box, renderDpi, page, turn } = label
  const pt = 72 / dpi
  return {
    widthPt,
    heightPt,
    xPt: xDots * pt,
    yPt: yDots * pt,
    partWidthPt: bitmap.widthDots * pt,
    partHeightPt: bitmap.heightDots * pt,
    source: {
      page,
      fromXPt: (box.x * 72) / renderDpi,
      fromYPt: (box.y * 72) / renderDpi,
      turn,
      scale: renderDpi / dpi,
    },
  }
}

/** Renders a label as a picture with a higher resolution than the printer. */
async function picture(
  document: OpenDocument,
  { page, box, renderDpi, turn }: PlannedLabel,
): Promise<Bitmap> {
  const times = (value: number): number => value * pictureDotsPerDot
  const fine = await document.render(page, times(renderDpi), 2)
  const { x, y, width, height } = box
  return turned(crop(fine, { x: times(x), y: times(y), width: times(width), height: times(height) }), turn)
}

/**
 * Maximum share of the black dots of one rendering that are not near a black dot of the other. It is not 0, because
 * fine lines may move by a dot.
 */
const mostStrayed = 0.004

/**
 * Maximum share of the dots of a linear barcode that may differ. It is not 0, because an edge between two dots may be
 * rounded to either dot.
 */
const mostMovedInBars = 0.08

/**
 * Whether two renderings show the same label: nearly every black dot of one is at most one dot away from a black dot of
 * the other, and few dots differ within linear barcodes.
 */
export function areAlike(one: Bitmap, other: Bitmap, dpi: number): boolean {
  const ink = Math.max(count(one), count(other))
  const strayed = strays(one, other) + strays(other, one)
  return strayed <= mostStrayed * ink && keepsBars(one, other, dpi)
}

function keepsBars(one: Bitmap, other: Bitmap, dpi: number): boolean {
  return findLinearSymbols(one, dpi).every(({ box }) => {
    let different = 0
    for (let y = box.y; y < box.y + box.height; y++)
      for (let x = box.x; x < box.x + box.width; x++)
        if (isBlack(one, x, y) !== (x < other.widthDots && isBlack(other, x, y))) different++
    return different <= mostMovedInBars * box.width * box.height
  })
}

/** Counts the black dots of one bitmap that are more than one dot away from every black dot of the other. */
function strays(one: Bitmap, other: Bitmap): number {
  const near = widened(other)
  const [rowBytes, nearBytes] = [bytesPerRow(one.widthDots), bytesPerRow(near.widthDots)]
  let total = 0
  for (let y = 0; y < one.heightDots; y++)
    for (let at = 0; at < rowBytes; at++) {
      const covered = y < near.heightDots && at < nearBytes ? (near.bytes[y * nearBytes + at] ?? 0) : 0
      total += bitsIn((one.bytes[y * rowBytes + at] ?? 0) & ~covered)
    }
  return total
}

/** Widens every black dot to three by three dots. */
function widened({ widthDots, heightDots, bytes }: Bitmap): Bitmap {
  const rowBytes = bytesPerRow(widthDots)
  const wide = blankBitmap(widthDots, heightDots)
  for (let y = 0; y < heightDots; y++)
    for (let at = 0; at < rowBytes; at++) {
      const here = y * rowBytes + at
      const before = at > 0 ? (bytes[here - 1] ?? 0) : 0
      const after = at + 1 < rowBytes ? (bytes[here + 1] ?? 0) : 0
      const own = bytes[here] ?? 0
      const spread = own | (own << 1) | (own >> 1) | (before << 7) | (after >> 7)
      for (const row of [y - 1, y, y + 1])
        if (row >= 0 && row < heightDots)
          wide.bytes[row * rowBytes + at] = (wide.bytes[row * rowBytes + at] ?? 0) | spread
    }
  return wide
}

function count({ bytes }: Bitmap): number {
  return bytes.reduce((sum, byte) => sum + bitsIn(byte), 0)
}

function bitsIn(byte: number): number {
  let bits = byte - ((byte >> 1) & 0x55)
  bits = (bits & 0x33) + ((bits >> 2) & 0x33)
  return (bits + (bits >> 4)) & 0x0f
}
