import { parentPort } from 'node:worker_threads'
import { CataloguedError } from '#shared/errors/result.ts'
import { markLabel, markPdf } from './mark/copy-mark.ts'
import { layPages } from './place/lay-pages.ts'
import { mergeDocuments } from './place/merge-documents.ts'
import { layOnMedia } from './place/place-label.ts'
import { picturesOf } from './pixels/png.ts'
import { layOnPaper, rasterise } from './place/raster.ts'
import type { LabelAnswer, LabelResult, LabelTask } from './raster-messages.ts'
import { paperSizeOf } from './read/paper-size.ts'
import { type LabelReading, readLabel } from './read/read-label.ts'
import { drawBarcodeSheet } from './sheets/barcode-sheet.ts'
import { drawTestPage } from './sheets/test-page.ts'

/** Entry of the thread in which documents are drawn and read (raster-in-thread.ts); it gets one task at a time. */
parentPort?.on('message', (task: LabelTask) => {
  perform(task)
    .catch((error: unknown) => whyNot(error))
    .then((answer) => parentPort?.postMessage(answer, buffersOf(answer)))
    .catch((error: unknown) => {
      // nobody waits here: the thread ends and its keeper sees it
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
