import { parentPort } from 'node:worker_threads'
import type { PaperSize } from '#shared/bridge/printer-views.ts'
import type { PrintLaid } from '#shared/domain/print-job.ts'
import type { ErrorCode, ErrorParams } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { type CopyMark, markLabel, markPdf } from './mark/copy-mark.ts'
import { picturesOf } from './pixels/png.ts'
import type { LabelOptions } from './place/placement-plan.ts'
import {
  layOnMedia,
  layOnPaper,
  type Media,
  type PlaceOptions,
  rasterise,
  type RasterPaper,
} from './place/lay-labels.ts'
import { layPages, mergeDocuments, type PageLay, paperSizeOf } from './place/whole-pages.ts'
import { type LabelReading, readLabel } from './read/read-label.ts'
import { drawBarcodeSheet, type SheetSpec } from './sheets/barcode-sheet.ts'
import { drawTestPage, type TestPageSpec } from './sheets/test-page.ts'

/**
 * The tasks of the thread. The result of `bitmaps` contains no barcodes, because the bitmaps are not read. `readings`
 * returns bitmaps with barcodes, `pictures` returns PNG, `size` returns the kind of paper; all other tasks return PDF.
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
  /** The placement of each label (task `readings`) or of each page (task `place`). */
  readonly laid: readonly PrintLaid[]
}

export type LabelAnswer = LabelResult | { readonly code: ErrorCode; readonly params: ErrorParams }

/** Entry of the thread that draws and reads documents (raster-in-thread.ts); it receives one task at a time. */
parentPort?.on('message', (task: LabelTask) => {
  perform(task)
    .catch((error: unknown) => whyNot(error))
    .then((answer) => parentPort?.postMessage(answer, buffersOf(answer)))
    .catch((error: unknown) => {
      // an uncaught error ends the thread; raster-in-thread.ts then fails the document
      throw error
    })
})

const nothing: LabelResult = { labels: [], files: [], laid: [] }

async function perform(task: LabelTask): Promise<LabelResult> {
  switch (task.kind) {
    case 'bitmaps': {
      const bitmaps = await rasterise(task.pdf, task.paper, task.options)
      const labels = bitmaps.map((bitmap) => ({ bitmap, symbols: [], hasUnreadBars: false }))
      return { ...nothing, labels }
    }
    case 'readings':
      return readings(task)
    case 'copy':
      return { ...nothing, files: [await markPdf(task.pdf, task.copyMark)] }
    case 'size':
      return { ...nothing, size: await paperSizeOf(task.pdf) }
    case 'lay':
      return { ...nothing, files: [await layPages(task.pdf, task.lay)] }
    case 'pictures':
      return { ...nothing, files: await picturesOf(task.pdf, task.dpi) }
    case 'place': {
      const { pdf, laid } = await layOnMedia(task.pdf, task.media, task.options)
      return { ...nothing, files: [pdf], laid }
    }
    case 'merge':
      return { ...nothing, files: [await mergeDocuments(task.pdfs)] }
    case 'sheet':
      return { ...nothing, files: [await drawBarcodeSheet(task.spec)] }
    case 'test_page':
      return { ...nothing, files: [await drawTestPage(task.spec)] }
  }
}

async function readings(task: Extract<LabelTask, { kind: 'readings' }>): Promise<LabelResult> {
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
