import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes, type ReadInputBarcodeFormat } from 'zxing-wasm/reader'
import { linearQuietModules, matrixQuietModules } from '../draw/symbols.ts'
import { type Bitmap, bytesPerRow, type DotBox, isBlack, overlap } from '../pixels/bitmap.ts'
import { findLinearSymbols } from './find-symbols.ts'

/** The bitmap of a label exactly as it will be printed, and the barcodes on it. */
export interface LabelReading {
  readonly bitmap: Bitmap
  readonly symbols: readonly ReadSymbol[]
  /**
   * Whether the bitmap seems to have a linear barcode, because bars were found, but no linear barcode could be read.
   * Such a barcode is cropped, damaged or too fine.
   */
  readonly hasUnreadBars: boolean
}

/** Reads the barcodes of a bitmap made for a printer of this resolution. */
export async function readLabel(bitmap: Bitmap, dpi: number): Promise<LabelReading> {
  const symbols = await readSymbols(bitmap, dpi)
  const isFree = (box: DotBox): boolean => !symbols.some((symbol) => overlap(symbol.box, box))
  const hasUnreadBars =
    !symbols.some((symbol) => symbol.isLinear) &&
    findLinearSymbols(bitmap, dpi).some(({ box }) => isFree(box))
  return { bitmap, symbols, hasUnreadBars }
}

/** A barcode that was read in a bitmap. */
export interface ReadSymbol {
  /**
   * The content of the barcode. GS1 application identifiers are not in brackets; the character GS (0x1d) replaces FNC1
   * between fields.
   */
  readonly text: string
  /** The family of the barcode: `Code128`, `EANUPC`, `QRCode`, … */
  readonly symbology: string
  readonly isLinear: boolean
  /** The box of the bars or modules without quiet zones, in the coordinates of the bitmap. */
  readonly box: DotBox
  /**
   * The box with the quiet zone that a scanner needs: around a matrix code four modules on all sides, beside a linear
   * barcode ten modules at each end.
   */
  readonly quietBox: DotBox
}

/**
 * The symbologies that carriers print. Micro QR and Aztec runes are excluded: they encode only a few digits, and black
 * letters look like them. The content of Code 39 is read as it is, not as extended or pharmaceutical Code 39.
 */
const linearFormats: ReadInputBarcodeFormat[] = [
  'Code128',
  'Code39Std',
  'Code93',
  'ITF',
  'EAN13',
  'EAN8',
  'UPCA',
  'UPCE',
  'Codabar',
]
const matrixFormats: ReadInputBarcodeFormat[] = ['QRCodeModel2', 'DataMatrix', 'AztecCode', 'PDF417']

/**
 * Minimum number of digits of an ITF. If the end of an ITF is missing, its other bars often form a valid shorter ITF;
 * carriers print at least 12 digits.
 */
const fewestItfDigits = 12

/**
 * Minimum height, in millimetres, over which bars must be readable. A scanner that is not held straight misses bars of
 * less height.
 */
const leastBarMm = 2
/** Maximum number of lines of a picture that the reader examines. */
const linesLookedAt = 512

/** Number of modules per side of the smallest Data Matrix, used if the reader does not report the number. */
const fewestMatrixModules = 10

let isPrepared = false

/** Loads the WASM once per thread, from the file of the package, because the library would otherwise download it. */
function prepare(): void {
  if (isPrepared) return
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(file)).buffer } })
  isPrepared = true
}

/**
 * Reads the barcodes of a bitmap that are black on white, and upright or turned by 90, 180 or 270 degrees. Reads Code
 * 128, 39 and 93, ITF, EAN, UPC, Codabar, QR, Data Matrix, Aztec, and PDF417 that is at least 4 mm high.
 * Requires valid checksums, quiet zones, and bars that are complete along at least 2 mm of their height, so that it
 * reads only barcodes that a scanner would read.
 */
export async function readSymbols(bitmap: Bitmap, dpi: number): Promise<ReadSymbol[]> {
  prepare()
  const longest = Math.max(bitmap.widthDots, bitmap.heightDots)
  const lines = (leastBarMm * dpi) / 25.4 / Math.max(1, Math.floor(longest / linesLookedAt))
  const found = await readBarcodes(greymap(bitmap), {
    formats: [...linearFormats, ...matrixFormats],
    textMode: 'Plain',
    binarizer: 'BoolCast',
    tryInvert: false,
    tryDownscale: false,
    minLineCount: Math.max(2, Math.min(255, Math.floor(lines))),
  })
  const whole = found.filter((one) => one.symbology !== 'ITF' || one.text.length >= fewestItfDigits)
  return whole.map(({ text, symbology, position, lineCount, rotation, symbol }) => {
    const box = boxOf(Object.values(position))
    const isLinear = lineCount > 0
    const quietBox = isLinear
      ? withQuietEnds(bitmap, box, Math.abs(Math.round(rotation / 90)) % 2 === 1)
      : grown(box, matrixQuietModules * Math.ceil(box.width / Math.max(fewestMatrixModules, symbol.width)))
    return { text, symbology, isLinear, box, quietBox }
  })
}

/**
 * Returns the box of a barcode with its quiet zones. The width of the quiet zones is a number of modules. The width of
 * the narrowest bar or space on the middle line counts as the width of a module; one dot is added for rounding in
 * print.
 */
function withQuietEnds(bitmap: Bitmap, box: DotBox, isLying: boolean): DotBox {
  const middle = { x: box.x + (box.width >> 1), y: box.y + (box.height >> 1) }
  const length = isLying ? box.height : box.width
  let [narrowest, run] = [length, 0]
  for (let at = 1; at < length; at++) {
    run++
    const here = isLying ? { x: middle.x, y: box.y + at } : { x: box.x + at, y: middle.y }
    const before = isLying ? { x: here.x, y: here.y - 1 } : { x: here.x - 1, y: here.y }
    if (isBlack(bitmap, here.x, here.y) === isBlack(bitmap, before.x, before.y)) continue
    narrowest = Math.min(narrowest, run)
    run = 0
  }
  const quiet = linearQuietModules * (narrowest + 1)
  return isLying ? grown(box, 0, quiet) : grown(box, quiet, 0)
}

function grown({ x, y, width, height }: DotBox, sides: number, ends = sides): DotBox {
  return { x: x - sides, y: y - ends, width: width + 2 * sides, height: height + 2 * ends }
}

function boxOf(corners: readonly { readonly x: number; readonly y: number }[]): DotBox {
  const x = Math.min(...corners.map((corner) => corner.x))
  const y = Math.min(...corners.map((corner) => corner.y))
  return {
    x,
    y,
    width: Math.max(...corners.map((corner) => corner.x)) - x + 1,
    height: Math.max(...corners.map((corner) => corner.y)) - y + 1,
  }
}

/**
 * Converts a bitmap to PGM with one byte per dot, because other formats of the library need at least four bytes per
 * dot.
 */
function greymap({ widthDots, heightDots, bytes }: Bitmap): Uint8Array {
  const header = Buffer.from(`P5\n${String(widthDots)} ${String(heightDots)}\n255\n`)
  const picture = new Uint8Array(header.length + widthDots * heightDots).fill(255)
  picture.set(header)
  const rowBytes = bytesPerRow(widthDots)
  for (let y = 0; y < heightDots; y++) {
    const row = header.length + y * widthDots
    for (let at = 0; at < rowBytes; at++) {
      const byte = bytes[y * rowBytes + at] ?? 0
      if (byte === 0) continue
      const most = Math.min(8, widthDots - at * 8)
      for (let bit = 0; bit < most; bit++) if ((byte & (0x80 >> bit)) !== 0) picture[row + at * 8 + bit] = 0
    }
  }
  return picture
}
