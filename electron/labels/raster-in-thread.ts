import { type ChildLink, entryBeside, forkChild, type StartChild } from '#kit/child-process.ts'
import type { PaperSize } from '#shared/bridge/printer-views.ts'
import type { PrintLaid } from '#shared/domain/print-job.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type {
  DocumentLimits,
  DocumentOrder,
  LabelAnswer,
  LabelResult,
  LabelTask,
} from './document-process.ts'
import type { CopyMark } from './mark/copy-mark.ts'
import type { Bitmap } from './pixels/bitmap.ts'
import type { LabelOptions } from './place/placement-plan.ts'
import type { Media, PlaceOptions, RasterPaper } from './place/lay-labels.ts'
import type { PageLay } from './place/whole-pages.ts'
import type { LabelReading } from './read/read-label.ts'
import type { SheetSpec } from './sheets/barcode-sheet.ts'
import type { TestPageSpec } from './sheets/test-page.ts'

interface LaidReading extends LabelReading {
  readonly laid: PrintLaid
}

const asItIs: PrintLaid = { turn: 0, part: 'page' }

interface Job {
  readonly order: DocumentOrder
  readonly done: (answer: LabelAnswer) => void
}

type DocumentProcess = ChildLink<DocumentOrder, LabelAnswer>

const standardLimits: DocumentLimits = { timeoutMs: 30_000, growthBytes: 1_200 << 20 }
/**
 * After the time limit of a document, its process must respond within this number of milliseconds; otherwise the
 * process is killed.
 */
const hangingMs = 10_000

let start: StartChild = forkChild
let child: DocumentProcess | null = null
let current: Job | null = null
let stopWaiting: () => void = () => undefined
const waiting: Job[] = []

/** Determines how the process of documents is started. In Electron, main sets a function before the first document. */
export function startDocumentsWith(starter: StartChild): void {
  start = starter
}

/**
 * Runs `rasterise` of place/lay-labels.ts in the thread of documents. Errors: those of `rasterise` and of `inThread`.
 */
export async function rasteriseInThread(
  pdf: Uint8Array,
  paper: RasterPaper,
  options: LabelOptions = {},
  limits: Partial<DocumentLimits> = {},
): Promise<Bitmap[]> {
  const { labels } = await inThread({ kind: 'bitmaps', pdf, paper, options }, limits)
  return labels.map(({ bitmap }) => bitmap)
}

/**
 * Returns the bitmaps of `rasteriseInThread`, marked as copies if `copyMark` is set. Each has the barcodes that were
 * read in it, so that the content of a print can be checked. Errors: those of `rasteriseInThread`, and
 * `document.unreadable` {cause: copy_mark} if there is no place for the mark, or if a barcode is no longer readable
 * with it.
 */
export async function readLabelsInThread(
  pdf: Uint8Array,
  paper: RasterPaper,
  { copyMark = null, ...options }: LabelOptions & { readonly copyMark?: CopyMark | null } = {},
  limits: Partial<DocumentLimits> = {},
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

/** Runs `pngOf` of png.ts in the thread. Errors: those of `inThread`. */
export function pictureInThread({ widthDots, heightDots, bytes }: Bitmap): Promise<Uint8Array> {
  return fileOf({ kind: 'picture', bitmap: { widthDots, heightDots, bytes } }, {})
}

/**
 * Runs `layOnMedia` of place/lay-labels.ts in the thread of documents. Errors: those of `layOnMedia` and of `inThread`.
 */
export async function placedInThread(
  pdf: Uint8Array,
  media: Media,
  options: PlaceOptions = {},
  limits: Partial<DocumentLimits> = {},
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
export function mergeInThread(
  pdfs: readonly Uint8Array[],
  limits: Partial<DocumentLimits> = {},
): Promise<Uint8Array> {
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

async function fileOf(task: LabelTask, limits: Partial<DocumentLimits>): Promise<Uint8Array> {
  return onlyFile((await inThread(task, limits)).files)
}

function onlyFile([file]: readonly Uint8Array[]): Uint8Array {
  if (!file) throw new CataloguedError('document.unreadable', { cause: 'crash' })
  return file
}

/**
 * Processes documents one at a time in a thread of a separate process (document-process.ts), so that no document blocks
 * or ends the desk. If the thread exceeds its time or memory, or ends, its document fails with `document.unreadable`
 * and the cause timeout, memory or crash. If the process ends, the cause is crash. The next document gets a new thread
 * or process.
 */
function inThread(task: LabelTask, limits: Partial<DocumentLimits>): Promise<LabelResult> {
  return new Promise((resolve, reject) => {
    const done = (answer: LabelAnswer): void => {
      if ('code' in answer) reject(new CataloguedError(answer.code, answer.params))
      else resolve(answer)
    }
    waiting.push({ order: { task, limits: { ...standardLimits, ...limits } }, done })
    next()
  })
}

function next(): void {
  if (current) return
  current = waiting.shift() ?? null
  if (!current) {
    // while there is no document to read, the process does not keep the program running
    child?.keepProgramRunning(false)
    return
  }
  const running = (child ??= startProcess())
  running.keepProgramRunning(true)
  // the document process stops a document that takes too long; this timer ends the process if it hangs
  stopWaiting = startTimer(current.order.limits.timeoutMs + hangingMs, running.kill)
  running.tell(current.order)
}

function startTimer(delayMs: number, action: () => void): () => void {
  const timer = setTimeout(action, delayMs)
  return () => {
    clearTimeout(timer)
  }
}

function startProcess(): DocumentProcess {
  const started: DocumentProcess = start(entryBeside(import.meta.url, 'document-process'))
  started.onWord((answer) => {
    if (child === started) finish(answer)
  })
  started.onEnd(() => {
    if (child !== started) return
    child = null
    finish({ code: 'document.unreadable', params: { cause: 'crash' } })
  })
  return started
}

function finish(answer: LabelAnswer): void {
  stopWaiting()
  const job = current
  current = null
  job?.done(answer)
  next()
}
