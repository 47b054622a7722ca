import type { PrintRequest } from '#desk/ports/printers.ts'
import { type Bitmap, crop, inkBox } from '#labels/pixels/bitmap.ts'
import { rasteriseInThread } from '#labels/raster-in-thread.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { ChosenMedia } from './ipp-media.ts'
import { type IppAttributes, textsOf } from './ipp-message.ts'
import { pwgRaster, type PwgRasterType } from './pwg-raster.ts'

/** What is sent, and how many pages of it must come out. */
export interface IppDocument {
  readonly format: 'application/pdf' | 'image/pwg-raster'
  readonly bytes: Uint8Array
  readonly pages: number
}

const mmPerInch = 25.4
const rasterTypes: readonly PwgRasterType[] = ['black_1', 'sgray_8']

/**
 * The document in a language that the printer speaks: PDF as it is, else PWG raster at the size of the paper; null where
 * it speaks neither. The dots are those that were looked at, unless the printer takes rasters at other resolutions only.
 * Throws CataloguedError as `rasterise` does, and where a page does not fit the paper's length.
 */
export async function documentFor(
  { document }: Pick<PrintRequest, 'document'>,
  media: ChosenMedia,
  printer: { readonly attributes: IppAttributes; readonly dpi: number; readonly looked: readonly Bitmap[] },
): Promise<IppDocument | null> {
  const formats = textsOf(printer.attributes, 'document-format-supported')
  const takesPdf = formats.includes('application/pdf')
  const types = textsOf(printer.attributes, 'pwg-raster-document-type-supported')
  const type = rasterTypes.find((one) => types.includes(one))
  if (!takesPdf && (!formats.includes('image/pwg-raster') || !type)) return null
  const dpi = takesPdf ? printer.dpi : rasterDpi(printer)
  const dots = (lengthMm: number): number => Math.round((lengthMm / mmPerInch) * dpi)
  const labels =
    dpi === printer.dpi
      ? printer.looked
      : await rasteriseInThread(document, { dpi, widthDots: dots(media.widthMm) })
  if (takesPdf || !type) return { format: 'application/pdf', bytes: document, pages: labels.length }
  const pages = labels.map((label) => onPage(label, dots(media.heightMm), dpi))
  const { widthMm, heightMm, name: mediaName } = media
  const bytes = pwgRaster(pages, { type, dpi, widthMm, heightMm, mediaName })
  return { format: 'image/pwg-raster', bytes, pages: pages.length }
}

/** The resolution that was set, unless the printer takes rasters at others only. */
function rasterDpi({ attributes, dpi }: { attributes: IppAttributes; dpi: number }): number {
  const taken = (attributes.get('pwg-raster-document-resolution-supported') ?? []).flatMap((value) =>
    value.type === 'resolution' && value.unit === 'dpi' && value.x === value.y ? [value.x] : [],
  )
  return taken.includes(dpi) ? dpi : (taken[0] ?? dpi)
}

/** A label on a page as long as the paper: from its top, or so that all its ink is on it. */
function onPage(label: Bitmap, heightDots: number, dpi: number): Bitmap {
  const page = { x: 0, y: 0, width: label.widthDots, height: heightDots }
  if (label.heightDots <= heightDots) return crop(label, page)
  const ink = inkBox(label)
  const spare = heightDots - (ink?.height ?? 0)
  if (!ink || spare < 0) {
    const toMm = (length: number): number => Math.ceil((length / dpi) * mmPerInch)
    const facts = { neededMm: toMm(ink?.height ?? label.heightDots), printableMm: toMm(heightDots) }
    throw new CataloguedError('printer.paper_too_narrow', facts)
  }
  return crop(label, {
    ...page,
    y: Math.min(Math.max(0, ink.y - (spare >> 1)), label.heightDots - heightDots),
  })
}
