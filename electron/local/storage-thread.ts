import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type CareJob, type Examined, takeCare } from './file-care.ts'

/** A file up to this size is done with in less time than a thread takes to start, in bytes. */
const smallBytes = 2_000_000

/** Takes care of a file without holding up the desk: a big one in a thread of its own. Rejects with SQLite's errors. */
export async function careFor(job: CareJob): Promise<Examined | null> {
  if (statSync(job.file).size <= smallBytes) return takeCare(job)
  const worker = new Worker(workerFile(), { workerData: job, name: 'storage' })
  return new Promise((resolve, reject) => {
    let answer: Examined | null = null
    worker.once('message', (message: Examined | null) => (answer = message))
    worker.once('error', reject)
    worker.once('exit', (code) =>
      code === 0 ? resolve(answer) : reject(new Error(`the thread ended with ${code}`)),
    )
  })
}

/** Beside this file in the sources; in a bundle, where this file may lie among the chunks, beside main.js. */
function workerFile(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) return new URL('./storage-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../storage-worker.js' : './storage-worker.js', here)
}
