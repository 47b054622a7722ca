import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium'
import { largestDocumentBytes, looksLikePdf } from '#shared/domain/pdf-magic.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { type Bitmap, blankBitmap, bytesPerRow } from './bitmap.ts'
import { userUnits } from './pdf-objects.ts'

/**
 * Pixels per dot in each direction. pdfium widens filled boxes to whole pixels: with one pixel per dot, bars become up
 * to 1.7 dots wider, with three pixels per dot at most 0.3 dots.
 */
const printPixelsPerDot = 3
/** A dot is black if it is darker than this grey. The page is not dithered, because dithering would break bars. */
const threshold = 128
/**
 * Maximum number of pixels of a page. An A4 sheet at 300 dpi has 78 million pixels; a page with far more is not a
 * label.
 */
const mostPixels = 160_000_000
/**
 * Maximum number of pages. A file with a batch of labels has a few dozen pages; a document with far more pages is not a
 * label.
 */
const mostPages = 100

/** A document that is open in pdfium. */
export interface OpenDocument {
  readonly pageCount: number
  /** Returns the size of a page as a viewer shows it, in points of 1/72 inch. */
  sizePt(page: number): { widthPt: number; heightPt: number }
  /**
   * Renders a page as a viewer shows it, with form fields, at this number of dots per inch. The page is not stretched
   * to whole dots, so it may cover only a part of the last row and column. The default of `pixelsPerDot` is three.
   * Fewer pixels per dot are sufficient for measuring, but not for printing. Throws CataloguedError
   * `document.unreadable`.
   */
  render(page: number, dpi: number, pixelsPerDot?: number): Promise<Bitmap>
}

type Page = ReturnType<PDFiumDocument['getPage']>

/**
 * Opens a PDF, calls `use` with it, and closes it when `use` has ended. Throws CataloguedError `document.not_a_pdf` if
 * the bytes have no PDF header, and `document.too_large` if the document exceeds a limit of size. Throws
 * `document.unreadable` if pdfium cannot open or draw the document: it is damaged, is protected by a password, has no
 * page or more than `mostPages`, has a page that is too large, or needs more memory than a label may use.
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
    // after an error that is not a CataloguedError, this instance of pdfium cannot be used for the next document
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
    // this instance of pdfium has already ended because of an error in another document
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
  // pdfium returns the size 0 by 0 for a page that it cannot load
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

/** Computes each dot of a page from the mean grey of its pixels. Pixels outside the page count as white. */
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
 * Returns the sum of the nine pixels of a dot. Has no loop, because a loop would take three times as long and nearly
 * every dot is computed here. Pixels below the last row count as white.
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

/**
 * Returns the sum of the pixels of a dot, for any number of pixels per side. `across`: the number of pixel columns of
 * the dot that are on the page; the other columns count as white.
 */
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
 * Maximum memory of one pdfium instance, in bytes. An A4 sheet at 300 dpi takes 80 MB, and each layer of transparency
 * 320 MB. Without the limit, a page that unpacks to gigabytes could use up the computer's memory.
 */
const mostMemoryBytes = 768 << 20
/**
 * An instance with more memory than this, in bytes, is replaced after its document is closed, because WebAssembly
 * memory never shrinks.
 */
const keptMemoryBytes = 192 << 20
const wasmPageBytes = 65_536

interface WasmMemory {
  readonly buffer: { readonly byteLength: number }
  grow: (pages: number) => number
}

/**
 * Node provides WebAssembly, but the package of Node's types does not contain it. The types here contain only the parts
 * that this file uses.
 */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  Instance: new (module: object, imports: object) => { readonly exports: Record<string, never> }
  Memory: new (size: object) => WasmMemory
}

/** One pdfium instance with its own memory. */
interface PdfiumInstance {
  readonly library: Awaited<ReturnType<typeof PDFiumLibrary.init>>
  /** Whether a document needed more memory than the limit of this pdfium instance. */
  readonly isExhausted: () => boolean
  readonly memoryBytes: () => number
}

let compiled: Promise<object> | null = null
let current: Promise<PdfiumInstance> | null = null

/** Compiles pdfium once per thread, because the compilation of its 4 MB takes longer than rendering a label. */
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

/**
 * Removes the current instance. After an abort pdfium returns errors for every later document, so the next document
 * gets a new instance.
 */
function leavePdfium(): void {
  current = null
}

/** Whether pdfium itself failed. False: pdfium still works and has only rejected the document. */
function isFatal(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError')
}

/** Called when a document is closed. Removes the current pdfium instance if its memory exceeds `keptMemoryBytes`. */
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
      // the types of @hyzyla/pdfium declare this argument as a WebAssembly.Module, but the package uses the argument as
      // a WebAssembly.Instance
      started(instance)
      return instance.exports
    },
  })
  const memoryBytes = (): number => memory?.buffer.byteLength ?? 0
  return { library, isExhausted: () => isExhausted, memoryBytes }
}

/**
 * Returns the WebAssembly memory of an instance of pdfium, after a change to its method `grow`: if the memory would
 * exceed `mostMemoryBytes`, `grow` calls `onRefused` and throws a RangeError.
 */
function capped(exports: Readonly<Record<string, never>>, onRefused: () => void): WasmMemory {
  const memory = Object.values<unknown>(exports).find((value) => value instanceof WebAssembly.Memory)
  if (!memory) throw new TypeError('pdfium is out of memory')
  const grow = memory.grow.bind(memory)
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * wasmPageBytes > mostMemoryBytes) {
      onRefused()
      // `grow` also throws a RangeError if the computer has no free memory, and the allocator of pdfium handles this
      // error
      throw new RangeError('the document needs more memory than a label may')
    }
    return grow(pages)
  }
  return memory
}
