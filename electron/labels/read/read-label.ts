import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes, type ReadInputBarcodeFormat } from 'zxing-wasm/reader'
import { linearQuietModules, matrixQuietModules } from '../draw/symbols.ts'
import { type Bitmap, bytesPerRow, type DotBox, isBlack, overlap } from '../pixels/bitmap.ts'
import { findLinearSymbols } from './find-symbols.ts'

/** A label as it will be printed, dot for dot, and the barcodes on it. */
export interface LabelReading {
  readonly bitmap: Bitmap
  readonly symbols: readonly ReadSymbol[]
  /** There are bars like those of a linear barcode, and no linear barcode could be read: cropped, damaged, too fine. */
  readonly hasUnreadBars: boolean
}

/** Reads a bitmap made for a printer of this resolution. */
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
  /** Its content: GS1 application identifiers without brackets, FNC1 between fields as GS (0x1d). */
  readonly text: string
  /** The family: `Code128`, `EANUPC`, `QRCode`, … */
  readonly symbology: string
  readonly isLinear: boolean
  /** Bars or modules without quiet zones, as the symbol lies in the bitmap. */
  readonly box: DotBox
  /** The same with the white that a scanner needs: four modules all round, ten at the ends of a linear symbol. */
  readonly quietBox: DotBox
}

/**
 * The symbologies that carriers print. Not read: micro QR and Aztec runes, which hold a few digits and which black
 * letters pass for. Code 39 is read as it stands, never as what `extended` or pharmacies make of it.
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

/** Bars of an ITF that lost its end often make a shorter one. The shortest that carriers print has 12 digits. */
const fewestItfDigits = 12

/** Bars that can be read over less of their height are missed by a scanner held askew. */
const leastBarMm = 2
/** The reader looks at this many lines of a picture, or at every one where there are fewer. */
const linesLookedAt = 512

/** The smallest Data Matrix; where the reader does not say how many a symbol has. */
const fewestMatrixModules = 10

let isPrepared = false

/** From the package's own file: the library would otherwise fetch it from the network. Once a thread. */
function prepare(): void {
  if (isPrepared) return
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(file)).buffer } })
  isPrepared = true
}

/**
 * Every barcode of a bitmap, upright or turned by quarters, black on white: Code 128 and 39 and 93, ITF, EAN and UPC
 * (as the 13 digits they stand for), Codabar, QR, Data Matrix, Aztec, PDF417 of 4 mm and more. Checksums hold, quiet
 * zones are there, and bars are whole over 2 mm of their height: what a scanner would not read is not read here.
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

/** The narrowest bar or space on the middle line stands for the module; a dot more, since printing rounds. */
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

/** As PGM, one byte a dot: the library takes a picture of no fewer than four otherwise. */
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
