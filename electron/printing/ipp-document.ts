import { setImmediate } from 'node:timers/promises'
import type { PrintRequest } from '#desk/ports/printers.ts'
import { type Bitmap, bytesPerRow, crop, inkBox } from '#labels/pixels/bitmap.ts'
import { rasteriseInThread } from '#labels/raster-in-thread.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { ChosenMedia } from './ipp-media.ts'
import { type IppAttributes, textsOf } from './ipp-message.ts'

/** The bytes to send, and the number of pages that the printer must print. */
export interface IppDocument {
  readonly format: 'application/pdf' | 'image/pwg-raster'
  readonly bytes: Uint8Array
  readonly pages: number
}

const mmPerInch = 25.4
const rasterTypes: readonly PwgRasterType[] = ['black_1', 'sgray_8']

/**
 * Converts a document to a format that the printer supports: the PDF itself, otherwise PWG raster in the size of the
 * paper; null if the printer supports neither. The raster has the same dots as the pages whose barcodes were checked,
 * unless the printer supports only rasters at other resolutions. Throws CataloguedError like `rasterise`, and also if a
 * page does not fit the paper's length.
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
  const pages: Bitmap[] = []
  for (const label of labels) {
    pages.push(onPage(label, dots(media.heightMm), dpi))
    // only one page is drawn per turn of the event loop, because scans must not wait for all pages
    await setImmediate()
  }
  const { widthMm, heightMm, name: mediaName } = media
  const bytes = await pwgRaster(pages, { type, dpi, widthMm, heightMm, mediaName })
  return { format: 'image/pwg-raster', bytes, pages: pages.length }
}

/**
 * Returns the resolution of the settings, or another one if the printer does not support rasters at that resolution.
 */
function rasterDpi({ attributes, dpi }: { attributes: IppAttributes; dpi: number }): number {
  const taken = (attributes.get('pwg-raster-document-resolution-supported') ?? []).flatMap((value) =>
    value.type === 'resolution' && value.unit === 'dpi' && value.x === value.y ? [value.x] : [],
  )
  return taken.includes(dpi) ? dpi : (taken[0] ?? dpi)
}

/**
 * Places a label on a page that is as long as the paper: at the top, or moved so that all its ink is on the page.
 * Throws CataloguedError `printer.paper_too_narrow` {neededMm, printableMm} if the ink is longer than the page.
 */
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

type PwgRasterType = 'black_1' | 'sgray_8'

interface PwgRasterTerms {
  readonly type: PwgRasterType
  readonly dpi: number
  readonly widthMm: number
  readonly heightMm: number
  /** The name of the paper; empty if the paper has no name. */
  readonly mediaName: string
}

const headerBytes = 1796
/** Maximum number of equal rows, and of equal pixels, that one byte can encode. */
const mostRows = 256
const mostPixels = 128

/**
 * Maximum number of rows that one turn of the event loop compresses. A row of random dots takes 30 µs on paper 210 mm
 * wide at 300 dpi.
 */
const rowsPerTurn = 100

/**
 * Encodes pages of one size as a PWG raster document (PWG 5102.4). Each turn of the event loop compresses or joins at
 * most a hundred rows, because scans must not wait for a whole page with noise.
 */
export async function pwgRaster(pages: readonly Bitmap[], terms: PwgRasterTerms): Promise<Buffer> {
  const encoded: Uint8Array[] = [Buffer.from('RaS2')]
  for (const page of pages) {
    encoded.push(header(page, pages.length, terms))
    for (const rows of compressed(page, terms.type)) {
      encoded.push(rows)
      await setImmediate()
    }
  }
  const document = Buffer.allocUnsafe(encoded.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const piece of encoded) {
    document.set(piece, end)
    end += piece.length
    await setImmediate()
  }
  return document
}

/**
 * Writes the header of a page (PWG 5102.4, table 1). Fields that are not written stay zero: front side, no jogging, no
 * colours.
 */
function header({ widthDots, heightDots }: Bitmap, pages: number, terms: PwgRasterTerms): Buffer {
  const bytes = Buffer.alloc(headerBytes)
  const isBilevel = terms.type === 'black_1'
  const points = (lengthMm: number): number => Math.round((lengthMm / 25.4) * 72)
  bytes.write('PwgRaster')
  bytes.write(terms.mediaName.slice(0, 63), 1732)
  const fields: readonly (readonly [at: number, value: number])[] = [
    [276, terms.dpi], // HWResolution
    [280, terms.dpi],
    [340, 1], // NumCopies
    [352, points(terms.widthMm)], // PageSize
    [356, points(terms.heightMm)],
    [372, widthDots],
    [376, heightDots],
    [384, isBilevel ? 1 : 8], // BitsPerColor
    [388, isBilevel ? 1 : 8], // BitsPerPixel
    [392, isBilevel ? bytesPerRow(widthDots) : widthDots], // BytesPerLine
    [400, isBilevel ? 3 : 18], // ColorSpace: black, sGray
    [420, 1], // NumColors
    [452, pages], // TotalPageCount
    [456, 1], // CrossFeedTransform
    [460, 1], // FeedTransform
    [472, widthDots], // ImageBox: right, bottom
    [476, heightDots],
  ]
  for (const [at, value] of fields) bytes.writeUInt32BE(value, at)
  return bytes
}

/**
 * Compresses the rows of a page, and yields the bytes of at most `rowsPerTurn` compressed rows at a time. Equal
 * consecutive rows become one compressed row with their count. A compressed row consists of runs of equal bytes and
 * sequences of unequal bytes.
 */
function* compressed({ widthDots, heightDots, bytes }: Bitmap, type: PwgRasterType): Generator<Uint8Array> {
  const rowBytes = bytesPerRow(widthDots)
  const rowAt = (y: number): Uint8Array => bytes.subarray(y * rowBytes, (y + 1) * rowBytes)
  const unpackedBytes = type === 'black_1' ? rowBytes : widthDots
  const packed = Buffer.alloc(rowsPerTurn * (1 + mostPackedPerByte * unpackedBytes))
  for (let y = 0; y < heightDots;) {
    let end = 0
    for (let packedRows = 0; packedRows < rowsPerTurn && y < heightDots; packedRows++) {
      const row = rowAt(y)
      let rows = 1
      while (rows < mostRows && y + rows < heightDots && Buffer.compare(row, rowAt(y + rows)) === 0) rows++
      packed[end] = rows - 1
      end = packBits(type === 'black_1' ? row : greys(row, widthDots), packed, end + 1)
      y += rows
    }
    yield Uint8Array.from(packed.subarray(0, end))
  }
}

/** Converts a row to one byte per dot; 0 is black. */
function greys(row: Uint8Array, widthDots: number): Uint8Array {
  const pixels = new Uint8Array(widthDots)
  for (let x = 0; x < widthDots; x++) pixels[x] = ((row[x >> 3] ?? 0) & (0x80 >> (x & 7))) === 0 ? 255 : 0
  return pixels
}

/**
 * Maximum number of bytes that one byte takes when it is compressed. A byte that belongs neither to a run nor to a
 * sequence takes two bytes, for example a different byte between two runs.
 */
const mostPackedPerByte = 2

/**
 * Compresses a row into `packed`, beginning at `start`. Returns the index after the last written byte. A number n from
 * 0 to 127 means that the next byte is repeated n + 1 times. A number n from 129 to 255 means that 257 - n different
 * bytes follow.
 */
function packBits(row: Uint8Array, packed: Uint8Array, start: number): number {
  let to = start
  const runAt = (from: number): number => {
    let length = 1
    while (length < mostPixels && from + length < row.length && row[from + length] === row[from]) length++
    return length
  }
  for (let at = 0; at < row.length;) {
    const run = runAt(at)
    let end = at + run
    if (run > 1 || end === row.length) {
      packed[to++] = run - 1
      packed[to++] = row[at] ?? 0
    } else {
      while (end < row.length && end - at < mostPixels && runAt(end) === 1) end++
      // a sequence of one byte cannot be encoded, so it becomes a run of one byte
      packed[to++] = end - at === 1 ? 0 : 257 - (end - at)
      for (let one = at; one < end; one++) packed[to++] = row[one] ?? 0
    }
    at = end
  }
  return to
}
