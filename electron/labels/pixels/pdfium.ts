import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium'
import { largestDocumentBytes, looksLikePdf } from '#shared/domain/pdf-magic.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { type Bitmap, blankBitmap, bytesPerRow } from './bitmap.ts'
import { userUnits } from './pdf-objects.ts'

/**
 * Pixels a dot in each direction. pdfium widens filled boxes to whole pixels: at one pixel a dot bars grow by up to 1.7
 * dots, at three by at most 0.3.
 */
const printPixelsPerDot = 3
/** Black if darker than half. No dithering, which would break bars. */
const threshold = 128
/** An A4 sheet at 300 dpi has 78 million pixels at three a dot; a page of far more is not a label. */
const mostPixels = 160_000_000
/** A batch of labels in one file is a few dozen; a document with more pages is not a label. */
const mostPages = 100

/** A document that pdfium has open. */
export interface OpenDocument {
  readonly pageCount: number
  /** Returns the size of a page as a viewer shows it, in points of 1/72 inch. */
  sizePt(page: number): { widthPt: number; heightPt: number }
  /**
   * Renders a page as a viewer shows it, form fields included, at this number of dots an inch. The page is never
   * stretched; the last row and column may be partly page. Use fewer pixels a dot than the usual three for measuring,
   * not for printing. Throws CataloguedError `document.unreadable`.
   */
  render(page: number, dpi: number, pixelsPerDot?: number): Promise<Bitmap>
}

type Page = ReturnType<PDFiumDocument['getPage']>

/**
 * Opens a PDF while `use` runs. Throws CataloguedError: `document.not_a_pdf` if the bytes have no PDF header,
 * `document.too_large`, `document.unreadable` if pdfium cannot open or draw it (damaged, protected by a password, a
 * page too large, the document needs more memory than a label may).
 */
export async function withDocument<T>(
  bytes: Uint8Array,
  use: (document: OpenDocument) => Promise<T>,
): Promise<T> {
  if (!looksLikePdf(bytes)) throw new CataloguedError('document.not_a_pdf')
  if (bytes.length > largestDocumentBytes) throw new CataloguedError('document.too_large')
  const pdfium = await openPdfium()
  let document: PDFiumDocument | null = null
  try {
    document = await load(pdfium, bytes)
    const pageCount = document.getPageCount()
    if (pageCount < 1 || pageCount > mostPages)
      throw new CataloguedError('document.unreadable', { cause: 'page_count' })
    const units = await userUnits(bytes)
    const open = document
    return await use({
      pageCount,
      sizePt: (page) => {
        const { originalWidth, originalHeight } = open.getPage(page).getOriginalSize()
        const unit = units[page] ?? 1
        return { widthPt: originalWidth * unit, heightPt: originalHeight * unit }
      },
      render: (page, dpi, pixelsPerDot = printPixelsPerDot) =>
        render(open.getPage(page), dpi * (units[page] ?? 1), pixelsPerDot),
    })
  } catch (error) {
    if (error instanceof CataloguedError) throw error
    // any other error of pdfium leaves it unfit for the next document
    document = null
    leavePdfium()
    const cause = pdfium.isExhausted() ? 'memory' : 'crash'
    throw new CataloguedError('document.unreadable', { cause }, { cause: error })
  } finally {
    close(document)
    await tidyPdfium()
  }
}

function close(document: PDFiumDocument | null): void {
  try {
    document?.destroy()
  } catch {
    // another document that was open at the same time ended pdfium
    leavePdfium()
  }
}

async function load({ library, isExhausted }: PdfiumInstance, bytes: Uint8Array): Promise<PDFiumDocument> {
  try {
    return await library.loadDocument(bytes)
  } catch (error) {
    if (isExhausted() || isFatal(error)) throw error
    const cause = error instanceof Error && /password/i.test(error.message) ? 'password' : 'damaged'
    throw new CataloguedError('document.unreadable', { cause }, { cause: error })
  }
}

async function render(page: Page, dpi: number, pixelsPerDot: number): Promise<Bitmap> {
  const { originalWidth, originalHeight } = page.getOriginalSize()
  const toPixels = (lengthPt: number): number => Math.round((lengthPt * dpi * pixelsPerDot) / 72)
  const [width, height] = [toPixels(originalWidth), toPixels(originalHeight)]
  // pdfium returns 0 by 0 for a page that it cannot load
  if (width < 1 || height < 1 || width * height > mostPixels)
    throw new CataloguedError('document.unreadable', { cause: 'page_size' })
  const { data } = await page.render({
    width,
    height,
    scale: 1,
    colorSpace: 'Gray',
    render: 'bitmap',
    renderFormFields: true,
  })
  return averaged(data, width, height, pixelsPerDot)
}

/** Computes each dot from the mean of its pixels. Pixels beyond the page's edge count as white. */
function averaged(pixels: Uint8Array, width: number, height: number, pixelsPerDot: number): Bitmap {
  const bitmap = blankBitmap(Math.ceil(width / pixelsPerDot), Math.ceil(height / pixelsPerDot))
  const { widthDots, heightDots, bytes } = bitmap
  const rowBytes = bytesPerRow(widthDots)
  const white = threshold * pixelsPerDot * pixelsPerDot
  for (let y = 0; y < heightDots; y++) {
    let at = y * pixelsPerDot * width
    for (let x = 0; x < widthDots; x++, at += pixelsPerDot) {
      const across = Math.min(pixelsPerDot, width - x * pixelsPerDot)
      const light =
        pixelsPerDot === printPixelsPerDot && across === pixelsPerDot
          ? lightOfNine(pixels, at, width)
          : lightOf(pixels, at, width, { across, side: pixelsPerDot })
      if (light >= white) continue
      const byte = y * rowBytes + (x >> 3)
      bytes[byte] = (bytes[byte] ?? 0) | (0x80 >> (x & 7))
    }
  }
  return bitmap
}

/**
 * Sums three rows of three pixels: nearly every dot, in a third of the time of loops. Pixels below the last row count
 * as 0.
 */
function lightOfNine(pixels: Uint8Array, at: number, width: number): number {
  const [second, third] = [at + width, at + 2 * width]
  return (
    (pixels[at] ?? 255) +
    (pixels[at + 1] ?? 255) +
    (pixels[at + 2] ?? 255) +
    (pixels[second] ?? 255) +
    (pixels[second + 1] ?? 255) +
    (pixels[second + 2] ?? 255) +
    (pixels[third] ?? 255) +
    (pixels[third + 1] ?? 255) +
    (pixels[third + 2] ?? 255)
  )
}

/** Sums a square of any side, of which only some columns are on the page. */
function lightOf(
  pixels: Uint8Array,
  at: number,
  width: number,
  { across, side }: { readonly across: number; readonly side: number },
): number {
  let light = 255 * side * (side - across)
  for (let row = 0; row < side; row++)
    for (let x = 0; x < across; x++) light += pixels[at + row * width + x] ?? 255
  return light
}

/**
 * Maximum memory of one pdfium. An A4 sheet at 300 dpi takes 80 MB, and four times that for each layer of
 * transparency. A page that unpacks to gigabytes is stopped here, before it uses up the computer's memory.
 */
const mostMemoryBytes = 768 << 20
/** WebAssembly memory never shrinks, so an instance that has grown beyond this is dropped with its document. */
const keptMemoryBytes = 192 << 20
const wasmPageBytes = 65_536

interface WasmMemory {
  readonly buffer: { readonly byteLength: number }
  grow: (pages: number) => number
}

/** Node provides WebAssembly, but its types lack it. Only the memory among an instance's exports is used here. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  Instance: new (module: object, imports: object) => { readonly exports: Record<string, never> }
  Memory: new (size: object) => WasmMemory
}

/** One pdfium instance with its own memory. */
interface PdfiumInstance {
  readonly library: Awaited<ReturnType<typeof PDFiumLibrary.init>>
  /** Whether a document needed more memory than the limit. */
  readonly isExhausted: () => boolean
  readonly memoryBytes: () => number
}

let compiled: Promise<object> | null = null
let current: Promise<PdfiumInstance> | null = null

/** Compiles pdfium once a thread, because its 4 MB take longer to compile than a label takes to render. */
function compilePdfium(): Promise<object> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')).then((bytes) =>
    WebAssembly.compile(bytes),
  )
  return compiled
}

/** Returns the current pdfium instance, and starts one if there is none. */
function openPdfium(): Promise<PdfiumInstance> {
  current ??= startPdfium()
  return current
}

/** Drops the current instance: after an abort pdfium returns errors for every later document. */
function leavePdfium(): void {
  current = null
}

/** Whether an error means that pdfium itself failed, not that it rejected a document. */
function isFatal(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError')
}

/** Drops a pdfium whose memory has grown large, once its document is closed. */
async function tidyPdfium(): Promise<void> {
  if (current && (await current).memoryBytes() > keptMemoryBytes) leavePdfium()
}

async function startPdfium(): Promise<PdfiumInstance> {
  const module = await compilePdfium()
  let memory: WasmMemory | null = null
  let isExhausted = false
  const library = await PDFiumLibrary.init({
    instantiateWasm: (imports: object, started: (instance: object) => void) => {
      const instance = new WebAssembly.Instance(module, imports)
      memory = capped(instance.exports, () => {
        isExhausted = true
      })
      // the package's types require a Module here, but it uses the value as the instance
      started(instance)
      return instance.exports
    },
  })
  const memoryBytes = (): number => memory?.buffer.byteLength ?? 0
  return { library, isExhausted: () => isExhausted, memoryBytes }
}

/** Returns the memory among an instance's exports, limited so that it does not grow beyond the maximum. */
function capped(exports: Readonly<Record<string, never>>, onRefused: () => void): WasmMemory {
  const memory = Object.values<unknown>(exports).find((value) => value instanceof WebAssembly.Memory)
  if (!memory) throw new TypeError('pdfium is out of memory')
  const grow = memory.grow.bind(memory)
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * wasmPageBytes > mostMemoryBytes) {
      onRefused()
      // its allocator receives the same error as from a computer without memory
      throw new RangeError('the document needs more memory than a label may')
    }
    return grow(pages)
  }
  return memory
}
