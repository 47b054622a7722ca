import type { PrintLaid } from '#shared/domain/print-hold.ts'
import { faithfulPages } from './faithful-pages.ts'
import { type LabelOptions, planLabels, type PlannedLabel } from './label-plan.ts'
import { noOffset, type Offset, offsetPlace } from './offset.ts'
import type { Room } from './room.ts'
import { withDocument } from '../pixels/pdfium.ts'

/** One sheet of what a printer is loaded with. */
export interface Media {
  readonly widthMm: number
  readonly heightMm: number
}

export interface PlaceOptions extends LabelOptions {
  /** Of the printer, where it is known: what bars may shrink to. The coarsest unless said. */
  readonly dpi?: number
}

const coarsestDpi = 203
const ptPerMm = 72 / 25.4

/**
 * The labels of a PDF for a printer that takes PDF: one a page of its media's size, in the middle but for the offset, cut out
 * at native size and turned as `rasterise` does it, and by the same rule never made smaller than the printer's dots can carry. What
 * was drawn stays drawn (faithful-pages.ts). The document that comes out has no scripts, actions, forms or passwords.
 * Throws CataloguedError as `rasterise` does.
 */
export async function placeOnMedia(
  pdf: Uint8Array,
  media: Media,
  options: PlaceOptions = {},
): Promise<Uint8Array> {
  return (await layOnMedia(pdf, media, options)).pdf
}

/** The document of `placeOnMedia`, and of each of its pages how it came to lie so. */
export async function layOnMedia(
  pdf: Uint8Array,
  { widthMm, heightMm }: Media,
  { dpi = coarsestDpi, ...options }: PlaceOptions,
): Promise<{ readonly pdf: Uint8Array; readonly laid: readonly PrintLaid[] }> {
  const toDots = (mm: number): number => Math.round((mm * dpi) / 25.4)
  const room: Room = { dpi, widthDots: toDots(widthMm), heightDots: toDots(heightMm) }
  return withDocument(pdf, async (document) => {
    const labels = await planLabels(document, room, options)
    const sheets = labels.map((label) => ({
      label,
      ...placeOf(label, room, options.offset ?? noOffset),
      widthPt: widthMm * ptPerMm,
      heightPt: heightMm * ptPerMm,
    }))
    const laid = labels.map(({ turn, part }) => ({ turn, part }))
    return { pdf: await faithfulPages(pdf, document, sheets, dpi), laid }
  })
}

function placeOf({ bitmap }: PlannedLabel, room: Room, offset: Offset): { xDots: number; yDots: number } {
  const middle = {
    x: Math.floor((room.widthDots - bitmap.widthDots) / 2),
    y: Math.floor((room.heightDots - bitmap.heightDots) / 2),
  }
  const { x, y } = offsetPlace(bitmap, middle, room, offset)
  return { xDots: x, yDots: y }
}
