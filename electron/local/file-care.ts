import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { openSqlite } from '#kit/open-sqlite.ts'
import { sha256Of } from './journal/desk-seal.ts'
import { readPosition } from './journal/journal.ts'
import { schemaVersion } from './migrate.ts'

/** Work on a SQLite file that takes long for a big one. */
export type CareJob =
  { readonly do: 'examine'; readonly file: string } | { readonly do: 'rewrite'; readonly file: string }

/** A copy of desk.db as it was found; `problem` null: it is whole. */
interface Examined {
  readonly problem: string | null
  readonly sha256: string
  readonly seq: number
  readonly sum: string
  readonly schema: number
}

/** Throws SQLite's own errors. */
export function takeCare(job: CareJob): Examined | null {
  if (job.do === 'examine') return examine(job.file)
  rewrite(job.file)
  return null
}

function examine(file: string): Examined {
  // the copy says that it has a log, like desk.db; one that nobody writes to needs none
  const database = openSqlite(file, 'precious')
  try {
    database.pragma('journal_mode = DELETE')
    const found = database.pragma('quick_check(1)', { simple: true })
    const { seq, sum } = readPosition(database)
    const schema = schemaVersion(database)
    database.close()
    return { problem: found === 'ok' ? null : String(found), sha256: sha256Of(file), seq, sum, schema }
  } finally {
    database.close()
  }
}

/** Rows that were deleted leave traces where SQLite moved them before (also with secure_delete): only a new file has none. */
function rewrite(file: string): void {
  const database = openSqlite(file, 'precious')
  try {
    database.pragma('secure_delete = ON')
    database.exec('VACUUM')
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}

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
