import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { encode } from 'fast-png'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { type Bitmap, isBlack } from '#labels/pixels/bitmap.ts'
import { type DecodedCode, readBitmap, readPng } from './label-raster.ts'

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
let isPrepared = false

/** What zxing reads from a PNG; it also knows matrix codes that zbar does not. */
async function zxingCodes(png: Uint8Array): Promise<string[]> {
  // its own way to the file is a download
  if (!isPrepared)
    prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(wasm)).buffer } })
  isPrepared = true
  const found = await readBarcodes(png, { tryHarder: true })
  return found.filter(({ isValid }) => isValid).map(({ text }) => text)
}

function pngOf(bitmap: Bitmap): Uint8Array {
  const { widthDots: width, heightDots: height } = bitmap
  const data = new Uint8Array(width * height).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (isBlack(bitmap, x, y)) data[y * width + x] = 0
  return encode({ width, height, data, channels: 1, depth: 8 })
}

/** What zbar found, and zxing's where that is not all that was expected; each code once, sorted. */
async function withSecondOpinion(
  seen: readonly DecodedCode[],
  expected: readonly string[],
  png: () => Uint8Array,
): Promise<string[]> {
  const found = new Set(seen.map(({ text }) => text))
  const isMissing = expected.some((text) => !found.has(text))
  if (isMissing || expected.length === 0) for (const text of await zxingCodes(png())) found.add(text)
  return [...found].sort()
}

/** Every code on a bitmap, each once, sorted. */
export async function codesOn(bitmap: Bitmap, expected: readonly string[]): Promise<string[]> {
  return withSecondOpinion(await readBitmap(bitmap), expected, () => pngOf(bitmap))
}

/** Every code on a page of a PDF as poppler draws it, from a PNG of `pagesOf`. */
export async function codesOnPage(png: Uint8Array, expected: readonly string[]): Promise<string[]> {
  return withSecondOpinion(await readPng(png), expected, () => png)
}
