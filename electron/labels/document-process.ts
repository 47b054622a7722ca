import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { parentLink } from '#kit/child-process.ts'
import type { PaperSize } from '#shared/bridge/printer-views.ts'
import type { PrintLaid } from '#shared/domain/print-job.ts'
import type { ErrorCode, ErrorParams } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { CopyMark } from './mark/copy-mark.ts'
import type { Bitmap } from './pixels/bitmap.ts'
import type { Media, PlaceOptions, RasterPaper } from './place/lay-labels.ts'
import type { LabelOptions } from './place/placement-plan.ts'
import type { PageLay } from './place/whole-pages.ts'
import type { LabelReading } from './read/read-label.ts'
import type { SheetSpec } from './sheets/barcode-sheet.ts'
import type { TestPageSpec } from './sheets/test-page.ts'

/**
 * Entry of the process that draws and reads documents (raster-in-thread.ts), and of the thread in this process. The
 * process gets one document at a time and gives it to the thread, with limits on time and memory. If V8 cannot allocate
 * memory for an object, V8 ends the whole process, not only the thread. Therefore documents are processed in a separate
 * process and not in the process of the desk. Only the thread loads the code for documents, when a task first needs it.
 */

/**
 * The tasks of the thread. The result of `bitmaps` contains no barcodes, because the bitmaps are not read. `readings`
 * returns bitmaps with barcodes, `pictures` and `picture` return PNG, `size` returns the kind of paper; all other tasks
 * return PDF.
 */
export type LabelTask =
  | {
      readonly kind: 'bitmaps'
      readonly pdf: Uint8Array
      readonly paper: RasterPaper
      readonly options: LabelOptions
    }
  | {
      readonly kind: 'readings'
      readonly pdf: Uint8Array
      readonly paper: RasterPaper
      readonly options: LabelOptions
      readonly copyMark: CopyMark | null
    }
  | { readonly kind: 'copy'; readonly pdf: Uint8Array; readonly copyMark: CopyMark }
  | { readonly kind: 'size'; readonly pdf: Uint8Array }
  | { readonly kind: 'lay'; readonly pdf: Uint8Array; readonly lay: PageLay }
  | { readonly kind: 'pictures'; readonly pdf: Uint8Array; readonly dpi: number }
  | { readonly kind: 'picture'; readonly bitmap: Bitmap }
  | {
      readonly kind: 'place'
      readonly pdf: Uint8Array
      readonly media: Media
      readonly options: PlaceOptions
    }
  | { readonly kind: 'merge'; readonly pdfs: readonly Uint8Array[] }
  | { readonly kind: 'sheet'; readonly spec: SheetSpec }
  | { readonly kind: 'test_page'; readonly spec: TestPageSpec }

export interface LabelResult {
  readonly labels: readonly LabelReading[]
  readonly files: readonly Uint8Array[]
  readonly size?: PaperSize
  /**
   * How the document was placed on the paper: one entry for each label (task `readings`) or for each page of the result
   * (task `place`). Empty for the other tasks.
   */
  readonly laid: readonly PrintLaid[]
}

export type LabelAnswer = LabelResult | { readonly code: ErrorCode; readonly params: ErrorParams }

/** Limits on the time and the memory of one document. */
export interface DocumentLimits {
  /**
   * Maximum time for one document, in milliseconds. A sheet takes about a second on a slow machine; after this time
   * pdfium would probably never finish.
   */
  readonly timeoutMs: number
  /**
   * Maximum growth of the process while a document is read, in bytes. pdfium has its own limit (pixels/pdfium.ts); this
   * limit is for all other code that unpacks a document.
   */
  readonly growthBytes: number
}

export interface DocumentOrder {
  readonly task: LabelTask
  readonly limits: DocumentLimits
}

/** Maximum heap of the thread, in MB. Unpacked buffers are outside the heap and do not count. */
const heapMb = 384
const watchEveryMs = 100
/** The causes of failures after which the thread is not used again. */
const outOfOrder = ['memory', 'crash']

if (isMainThread) supervise()
else
  parentPort?.on('message', (task: LabelTask) => {
    perform(task)
      .catch((error: unknown) => whyNot(error))
      .then((answer) => parentPort?.postMessage(answer, buffersOf(answer)))
      .catch((error: unknown) => {
        // this error ends the thread, and then the supervisor reports that the document failed
        throw error
      })
  })

/** Gives each document to the thread, and sends the result to the desk. */
function supervise(): void {
  const { say, listen } = parentLink<DocumentOrder, LabelAnswer>()
  let thread: Worker | null = null
  let stopWatching: () => void = () => undefined

  listen(({ task, limits }) => {
    const worker = (thread ??= startThread())
    stopWatching = watch(limits, (cause) => {
      abandon(worker, cause)
    })
    worker.postMessage(task)
  })

  const finish = (answer: LabelAnswer): void => {
    stopWatching()
    say(answer)
  }

  /** Ends a thread, so that its memory is freed at once. */
  const leave = (worker: Worker): void => {
    if (thread === worker) thread = null
    void worker.terminate()
  }

  /** Ends the current document of the thread with a failure. */
  const abandon = (lost: Worker, cause: string): void => {
    if (thread !== lost) return
    leave(lost)
    finish({ code: 'document.unreadable', params: { cause } })
  }

  const startThread = (): Worker => {
    // a crashing pdfium writes messages, which must not appear in the output of the process
    const worker = new Worker(new URL(import.meta.url), {
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    worker.on('message', (answer: LabelAnswer) => {
      // the response is too late: its document has already failed, and another thread processes the next document
      if (thread !== worker) return
      if ('code' in answer && outOfOrder.includes(String(answer.params['cause']))) leave(worker)
      finish(answer)
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
}

/**
 * Calls `stop` with the cause when the document exceeds a limit. May call `stop` several times. Returns the function
 * that ends the watch.
 */
function watch({ timeoutMs, growthBytes }: DocumentLimits, stop: (cause: string) => void): () => void {
  const timer = setTimeout(() => {
    stop('timeout')
  }, timeoutMs)
  const most = process.memoryUsage.rss() + growthBytes
  const memory = setInterval(() => {
    if (process.memoryUsage.rss() > most) stop('memory')
  }, watchEveryMs)
  return () => {
    clearTimeout(timer)
    clearInterval(memory)
  }
}

const nothing: LabelResult = { labels: [], files: [], laid: [] }

async function perform(task: LabelTask): Promise<LabelResult> {
  switch (task.kind) {
    case 'bitmaps': {
      const { rasterise } = await import('./place/lay-labels.ts')
      const bitmaps = await rasterise(task.pdf, task.paper, task.options)
      const labels = bitmaps.map((bitmap) => ({ bitmap, symbols: [], hasUnreadBars: false }))
      return { ...nothing, labels }
    }
    case 'readings':
      return readings(task)
    case 'copy': {
      const { markPdf } = await import('./mark/copy-mark.ts')
      return { ...nothing, files: [await markPdf(task.pdf, task.copyMark)] }
    }
    case 'size': {
      const { paperSizeOf } = await import('./place/whole-pages.ts')
      return { ...nothing, size: await paperSizeOf(task.pdf) }
    }
    case 'lay': {
      const { layPages } = await import('./place/whole-pages.ts')
      return { ...nothing, files: [await layPages(task.pdf, task.lay)] }
    }
    case 'pictures': {
      const { picturesOf } = await import('./pixels/png.ts')
      return { ...nothing, files: await picturesOf(task.pdf, task.dpi) }
    }
    case 'picture': {
      const { pngOf } = await import('./pixels/png.ts')
      return { ...nothing, files: [pngOf(task.bitmap)] }
    }
    case 'place': {
      const { layOnMedia } = await import('./place/lay-labels.ts')
      const { pdf, laid } = await layOnMedia(task.pdf, task.media, task.options)
      return { ...nothing, files: [pdf], laid }
    }
    case 'merge': {
      const { mergeDocuments } = await import('./place/whole-pages.ts')
      return { ...nothing, files: [await mergeDocuments(task.pdfs)] }
    }
    case 'sheet': {
      const { drawBarcodeSheet } = await import('./sheets/barcode-sheet.ts')
      return { ...nothing, files: [await drawBarcodeSheet(task.spec)] }
    }
    case 'test_page': {
      const { drawTestPage } = await import('./sheets/test-page.ts')
      return { ...nothing, files: [await drawTestPage(task.spec)] }
    }
  }
}

async function readings(task: Extract<LabelTask, { kind: 'readings' }>): Promise<LabelResult> {
  const { layOnPaper } = await import('./place/lay-labels.ts')
  const { readLabel } = await import('./read/read-label.ts')
  const { markLabel } = await import('./mark/copy-mark.ts')
  const { dpi } = task.paper
  const labels: LabelReading[] = []
  const sheets = await layOnPaper(task.pdf, task.paper, task.options)
  for (const { bitmap } of sheets) {
    const label = await readLabel(bitmap, dpi)
    labels.push(task.copyMark ? await markLabel(label, dpi, task.copyMark) : label)
  }
  return { ...nothing, labels, laid: sheets.map(({ laid }) => laid) }
}

function whyNot(error: unknown): LabelAnswer {
  if (error instanceof CataloguedError) return error.failure
  return {
    code: 'document.unreadable',
    params: { cause: error instanceof Error ? error.message : String(error) },
  }
}

function buffersOf(answer: LabelAnswer): ArrayBuffer[] {
  if (!('labels' in answer)) return []
  const all = [...answer.labels.map(({ bitmap }) => bitmap.bytes), ...answer.files]
  return all.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []))
}
