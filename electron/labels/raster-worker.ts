import { parentPort } from 'node:worker_threads'
import { CataloguedError } from '#shared/errors/result.ts'
import { rasterise } from './raster.ts'
import type { RasterAnswer, RasterJob } from './raster-messages.ts'

/** Entry of the thread in which pdfium runs (raster-in-thread.ts). */
parentPort?.on('message', ({ id, pdf, paper }: RasterJob) => {
  rasterise(pdf, paper)
    .then<RasterAnswer, RasterAnswer>(
      (labels) => ({ id, labels }),
      (error: unknown) => ({ id, ...whyNot(error) }),
    )
    .then((answer) => parentPort?.postMessage(answer, 'labels' in answer ? buffersOf(answer) : []))
    .catch((error: unknown) => {
      // nobody waits here: the thread ends and its keeper sees it
      throw error
    })
})

function whyNot(error: unknown): Pick<Extract<RasterAnswer, { code: unknown }>, 'code' | 'params'> {
  if (error instanceof CataloguedError) return error.failure
  return {
    code: 'document.unreadable',
    params: { cause: error instanceof Error ? error.message : String(error) },
  }
}

function buffersOf({ labels }: Extract<RasterAnswer, { labels: unknown }>): ArrayBuffer[] {
  return labels.flatMap(({ bytes }) => (bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []))
}
