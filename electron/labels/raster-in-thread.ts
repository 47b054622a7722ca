import { Worker } from 'node:worker_threads'
import { CataloguedError } from '#shared/errors/result.ts'
import type { Bitmap } from './bitmap.ts'
import type { RasterAnswer, RasterJob } from './raster-messages.ts'
import type { RasterPaper } from './raster.ts'

/** A sheet takes about a second on a slow machine; a document that needs this long keeps pdfium for good. */
const standardTimeoutMs = 30_000

interface Waiting {
  readonly done: (labels: Bitmap[]) => void
  readonly failed: (error: CataloguedError) => void
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting>
}

let thread: Thread | null = null
let lastId = 0

/**
 * `rasterise` of raster.ts in a thread of its own, so that no document holds up the desk or brings it down: a thread
 * that takes longer than `timeoutMs` or dies fails its documents as `document.unreadable`, and the next document gets
 * a new thread. Otherwise the same errors.
 */
export function rasteriseInThread(
  pdf: Uint8Array,
  paper: RasterPaper,
  timeoutMs: number = standardTimeoutMs,
): Promise<Bitmap[]> {
  const current = (thread ??= startThread())
  const id = ++lastId
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => abandon(current, 'timeout'), timeoutMs)
    const settle = (): void => {
      clearTimeout(timer)
      current.waiting.delete(id)
      // an idle thread never keeps the program alive
      if (current.waiting.size === 0) current.worker.unref()
    }
    current.waiting.set(id, {
      done: (labels) => {
        settle()
        resolve(labels)
      },
      failed: (error) => {
        settle()
        reject(error)
      },
    })
    current.worker.ref()
    const job: RasterJob = { id, pdf, paper }
    current.worker.postMessage(job)
  })
}

function startThread(): Thread {
  const worker = new Worker(workerFile())
  const started: Thread = { worker, waiting: new Map() }
  worker.on('message', (answer: RasterAnswer) => {
    const waiting = started.waiting.get(answer.id)
    if ('labels' in answer) waiting?.done(answer.labels)
    else waiting?.failed(new CataloguedError(answer.code, answer.params))
  })
  worker.on('error', () => {
    abandon(started, 'crash')
  })
  worker.on('exit', () => {
    abandon(started, 'crash')
  })
  return started
}

function abandon(lost: Thread, cause: string): void {
  if (thread === lost) thread = null
  for (const waiting of lost.waiting.values())
    waiting.failed(new CataloguedError('document.unreadable', { cause }))
  void lost.worker.terminate()
}

/** Beside this file in the sources; in a bundle, where this file may lie among the chunks, beside main.js. */
function workerFile(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) return new URL('./raster-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../raster-worker.js' : './raster-worker.js', here)
}
