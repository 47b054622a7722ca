import { faithfulPages } from './faithful-pages.ts'
import { type LabelOptions, planLabels, type Room } from './label-plan.ts'
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
 * The labels of a PDF for a printer that takes PDF: one a page of its media's size, in the middle, native size, cut out
 * and turned as `rasterise` does it, and by the same rule never made smaller than the printer's dots can carry. What
 * was drawn stays drawn (faithful-pages.ts). The document that comes out has no scripts, actions, forms or passwords.
 * Throws CataloguedError as `rasterise` does.
 */
export async function placeOnMedia(
  pdf: Uint8Array,
  { widthMm, heightMm }: Media,
  { dpi = coarsestDpi, ...options }: PlaceOptions = {},
): Promise<Uint8Array> {
  const toDots = (mm: number): number => Math.round((mm * dpi) / 25.4)
  const room: Room = { dpi, widthDots: toDots(widthMm), heightDots: toDots(heightMm) }
  return withDocument(pdf, async (document) => {
    const labels = await planLabels(document, room, options)
    const sheets = labels.map((label) => ({
      label,
      xDots: Math.floor((room.widthDots - label.bitmap.widthDots) / 2),
      yDots: Math.floor((room.heightDots - label.bitmap.heightDots) / 2),
      widthPt: widthMm * ptPerMm,
      heightPt: heightMm * ptPerMm,
    }))
    return faithfulPages(pdf, document, sheets, dpi)
  })
}
