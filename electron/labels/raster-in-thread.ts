import { Worker } from 'node:worker_threads'
import type { PaperSize } from '#shared/bridge/printer-views.ts'
import type { PrintLaid } from '#shared/domain/print-job.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { CopyMark } from './mark/copy-mark.ts'
import type { Bitmap } from './pixels/bitmap.ts'
import type { LabelOptions } from './place/placement-plan.ts'
import type { Media, PlaceOptions, RasterPaper } from './place/lay-labels.ts'
import type { PageLay } from './place/whole-pages.ts'
import type { LabelAnswer, LabelResult, LabelTask } from './raster-worker.ts'
import type { LabelReading } from './read/read-label.ts'
import type { SheetSpec } from './sheets/barcode-sheet.ts'
import type { TestPageSpec } from './sheets/test-page.ts'

/** Limits on the time and the memory of one document. */
interface ThreadLimits {
  /**
   * Maximum time for one document, in milliseconds. A sheet takes about a second on a slow machine; after this time
   * pdfium would probably never finish.
   */
  readonly timeoutMs?: number
  /**
   * Maximum growth of the process while a document is read, in bytes. pdfium has its own limit (pixels/pdfium.ts); this
   * limit is for all other code that unpacks a document.
   */
  readonly growthBytes?: number
}

const standardTimeoutMs = 30_000
const standardGrowthBytes = 1_200 << 20
/** Maximum heap of the thread, in MB. Unpacked buffers are outside the heap and do not count. */
const heapMb = 384
const watchEveryMs = 100
/** After a failure with one of these causes, the thread is not used again. */
const outOfOrder = ['memory', 'crash']

interface LaidReading extends LabelReading {
  readonly laid: PrintLaid
}

const asItIs: PrintLaid = { turn: 0, part: 'page' }

interface Job {
  readonly task: LabelTask
  readonly limits: ThreadLimits
  readonly done: (answer: LabelAnswer) => void
}

let thread: Worker | null = null
let current: Job | null = null
let stopWatching: () => void = () => undefined
const waiting: Job[] = []

/**
 * Runs `rasterise` of place/lay-labels.ts in the thread of documents. Errors: those of `rasterise` and of `inThread`.
 */
export async function rasteriseInThread(
  pdf: Uint8Array,
  paper: RasterPaper,
  options: LabelOptions = {},
  limits: ThreadLimits = {},
): Promise<Bitmap[]> {
  const { labels } = await inThread({ kind: 'bitmaps', pdf, paper, options }, limits)
  return labels.map(({ bitmap }) => bitmap)
}

/**
 * Returns the bitmaps of `rasteriseInThread`, marked as copies if `copyMark` is set. Each has the barcodes that were
 * read in it, so that the content of a print can be checked. Errors: those of `rasteriseInThread`, and
 * `document.unreadable` {cause: copy_mark} if there is no place for the mark.
 */
export async function readLabelsInThread(
  pdf: Uint8Array,
  paper: RasterPaper,
  { copyMark = null, ...options }: LabelOptions & { readonly copyMark?: CopyMark | null } = {},
  limits: ThreadLimits = {},
): Promise<readonly LaidReading[]> {
  const { labels, laid } = await inThread({ kind: 'readings', pdf, paper, options, copyMark }, limits)
  return labels.map((label, at) => ({ ...label, laid: laid[at] ?? asItIs }))
}

/**
 * Runs `markPdf` of copy-mark.ts in the thread, for printers that accept PDF. Errors: those of `markPdf` and of
 * `inThread`.
 */
export function markPdfInThread(pdf: Uint8Array, copyMark: CopyMark): Promise<Uint8Array> {
  return fileOf({ kind: 'copy', pdf, copyMark }, {})
}

/** Runs `picturesOf` of png.ts in the thread. Errors: those of `picturesOf` and of `inThread`. */
export async function picturesInThread(pdf: Uint8Array, dpi: number): Promise<readonly Uint8Array[]> {
  return (await inThread({ kind: 'pictures', pdf, dpi }, {})).files
}

/**
 * Runs `layOnMedia` of place/lay-labels.ts in the thread of documents. Errors: those of `layOnMedia` and of `inThread`.
 */
export async function placedInThread(
  pdf: Uint8Array,
  media: Media,
  options: PlaceOptions = {},
  limits: ThreadLimits = {},
): Promise<{ readonly pdf: Uint8Array; readonly laid: readonly PrintLaid[] }> {
  const { files, laid } = await inThread({ kind: 'place', pdf, media, options }, limits)
  return { pdf: onlyFile(files), laid }
}

/**
 * Runs `placeOnMedia` of place/lay-labels.ts in the thread of documents. Errors: those of `placeOnMedia` and of
 * `inThread`.
 */
export async function placeInThread(...terms: Parameters<typeof placedInThread>): Promise<Uint8Array> {
  return (await placedInThread(...terms)).pdf
}

/**
 * Runs `layPages` of place/whole-pages.ts in the thread of documents. Errors: those of `layPages` and of `inThread`.
 */
export function layInThread(pdf: Uint8Array, lay: PageLay): Promise<Uint8Array> {
  return fileOf({ kind: 'lay', pdf, lay }, {})
}

/**
 * Runs `paperSizeOf` of place/whole-pages.ts in the thread of documents. Errors: those of `paperSizeOf` and of
 * `inThread`.
 */
export async function paperSizeInThread(pdf: Uint8Array): Promise<PaperSize> {
  const { size } = await inThread({ kind: 'size', pdf }, {})
  if (!size) throw new CataloguedError('document.unreadable', { cause: 'crash' })
  return size
}

/**
 * Runs `mergeDocuments` of place/whole-pages.ts in the thread of documents. Errors: those of `mergeDocuments` and of
 * `inThread`.
 */
export function mergeInThread(pdfs: readonly Uint8Array[], limits: ThreadLimits = {}): Promise<Uint8Array> {
  return fileOf({ kind: 'merge', pdfs }, limits)
}

/**
 * Runs `drawBarcodeSheet` of sheets/barcode-sheet.ts in the thread of documents. Errors: those of `drawBarcodeSheet`
 * and of `inThread`.
 */
export function sheetInThread(spec: SheetSpec): Promise<Uint8Array> {
  return fileOf({ kind: 'sheet', spec }, {})
}

/** Runs `drawTestPage` of sheets/test-page.ts in the thread of documents. Errors: those of `inThread`. */
export function testPageInThread(spec: TestPageSpec): Promise<Uint8Array> {
  return fileOf({ kind: 'test_page', spec }, {})
}

async function fileOf(task: LabelTask, limits: ThreadLimits): Promise<Uint8Array> {
  return onlyFile((await inThread(task, limits)).files)
}

function onlyFile([file]: readonly Uint8Array[]): Uint8Array {
  if (!file) throw new CataloguedError('document.unreadable', { cause: 'crash' })
  return file
}

/**
 * Processes documents one at a time in a separate thread, so that no document blocks or crashes the desk. If the thread
 * exceeds its time or memory, or ends, the document fails with `document.unreadable` and the cause timeout, memory or
 * crash. The next document then gets a new thread.
 */
function inThread(task: LabelTask, limits: ThreadLimits): Promise<LabelResult> {
  return new Promise((resolve, reject) => {
    const done = (answer: LabelAnswer): void => {
      if ('code' in answer) reject(new CataloguedError(answer.code, answer.params))
      else resolve(answer)
    }
    waiting.push({ task, limits, done })
    next()
  })
}

function next(): void {
  if (current) return
  current = waiting.shift() ?? null
  if (!current) {
    // a thread without a document must not keep the program running
    thread?.unref()
    return
  }
  const worker = (thread ??= startThread())
  worker.ref()
  stopWatching = watch(worker, current.limits)
  worker.postMessage(current.task)
}

function finishTask(answer: LabelAnswer): void {
  stopWatching()
  const job = current
  current = null
  job?.done(answer)
  next()
}

function startThread(): Worker {
  // a crashing pdfium writes messages, which must not appear in the desk's output
  const worker = new Worker(workerFile(), {
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  worker.on('message', (answer: LabelAnswer) => {
    // the response is too late: its document has already failed, and another thread processes the next document
    if (thread !== worker) return
    if ('code' in answer && outOfOrder.includes(String(answer.params['cause']))) leave(worker)
    finishTask(answer)
  })
  worker.on('error', (error: unknown) => {
    const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    abandon(worker, isMemory ? 'memory' : 'crash')
  })
  worker.on('exit', () => {
    abandon(worker, 'crash')
  })
  return worker
}

function watch(worker: Worker, { timeoutMs, growthBytes }: ThreadLimits): () => void {
  const timer = setTimeout(() => {
    abandon(worker, 'timeout')
  }, timeoutMs ?? standardTimeoutMs)
  const most = process.memoryUsage.rss() + (growthBytes ?? standardGrowthBytes)
  const memory = setInterval(() => {
    if (process.memoryUsage.rss() > most) abandon(worker, 'memory')
  }, watchEveryMs)
  return () => {
    clearTimeout(timer)
    clearInterval(memory)
  }
}

/** Ends a thread, so that its memory is freed at once. */
function leave(worker: Worker): void {
  if (thread === worker) thread = null
  void worker.terminate()
}

/** Fails the current document of the thread. The waiting documents continue. */
function abandon(lost: Worker, cause: string): void {
  if (thread !== lost) return
  leave(lost)
  finishTask({ code: 'document.unreadable', params: { cause } })
}

/**
 * Returns the path of the worker. In the sources the worker is beside this file. In a bundle the worker is beside
 * main.js, but this code may be in the folder `chunks`.
 */
function workerFile(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) return new URL('./raster-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../raster-worker.js' : './raster-worker.js', here)
}
