import { crop, turned, type Bitmap } from '../pixels/bitmap.ts'
import type { PlannedLabel } from './label-plan.ts'
import { areAlike } from './likeness.ts'
import { type OpenDocument, withDocument } from '../pixels/pdfium.ts'
import { type PagePart, remakePages } from './remake-pages.ts'

/** A label on a page of its own. */
export interface LabelSheet {
  readonly label: PlannedLabel
  /** Where its corner goes: whole dots, so that bars keep the dots they were planned with. */
  readonly xDots: number
  readonly yDots: number
  readonly widthPt: number
  readonly heightPt: number
}

/** Pictures stand in for pages that cannot be kept as they were drawn: so many of their dots to one of the printer's. */
const pictureDotsPerDot = 2

/**
 * A document of these sheets. What was drawn stays drawn, unless a page does not come out as it was rendered before
 * (encryption, damage and fonts that one reader takes and another does not): then it is a picture.
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

/** A document of these sheets, all of them pictures. */
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

/** Which pages show what was planned for them, and white beside it. None where the document cannot even be read. */
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

/** A label as a picture finer than the printer's dots. */
async function picture(
  document: OpenDocument,
  { page, box, renderDpi, turn }: PlannedLabel,
): Promise<Bitmap> {
  const times = (value: number): number => value * pictureDotsPerDot
  const fine = await document.render(page, times(renderDpi), 2)
  const { x, y, width, height } = box
  return turned(crop(fine, { x: times(x), y: times(y), width: times(width), height: times(height) }), turn)
}
