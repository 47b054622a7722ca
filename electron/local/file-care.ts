import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { openSqlite } from '#kit/open-sqlite.ts'
import { sha256Of } from './journal/desk-seal.ts'
import { readPosition } from './journal/journal.ts'
import { schemaVersion } from './migrate.ts'

/** A job on a SQLite file that takes long for a large file. */
export interface CareJob {
  readonly do: keyof CareResults
  readonly file: string
}

interface CareResults {
  readonly examine: Examined
  readonly rewrite: null
  /** The number of rows in each table; null: the file is too large. */
  readonly count: Record<string, number> | null
}

/** The result of an examined copy of desk.db; `problem` null: the copy is whole. */
interface Examined {
  readonly problem: string | null
  readonly sha256: string
  readonly seq: number
  readonly sum: string
  readonly schema: number
}

const jobs: { readonly [J in keyof CareResults]: (file: string) => CareResults[J] } = {
  examine,
  rewrite,
  count: countRows,
}

/** Throws SQLite's own errors. */
export function takeCare<J extends keyof CareResults>(job: CareJob & { readonly do: J }): CareResults[J] {
  return jobs[job.do](job.file)
}

function examine(file: string): Examined {
  // the copy's header demands a log, as in desk.db; a file without a writer needs no log
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

/**
 * Deleted rows leave traces in places from which SQLite moved them earlier, also with secure_delete. Only a new file
 * has no traces.
 */
function rewrite(file: string): null {
  const database = openSqlite(file, 'precious')
  try {
    database.pragma('secure_delete = ON')
    database.exec('VACUUM')
    database.pragma('wal_checkpoint(TRUNCATE)')
    return null
  } finally {
    database.close()
  }
}

/** Counting reads every page of a table. */
const largestFile = 200 * 1024 * 1024

/**
 * The number of rows in each table of a database, for support; null if the file is larger than 200 MiB. Reads beside the
 * open desk. Throws the system's and SQLite's own errors.
 */
export function countRows(file: string): Record<string, number> | null {
  if (statSync(file).size > largestFile) return null
  const database = openSqlite(file, 'cache', { readonly: true })
  try {
    const tables = database
      .prepare<[], { name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
      )
      .all()
    const rowsOf = (table: string): number =>
      database.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM "${table}"`).get()?.rows ?? 0
    return Object.fromEntries(tables.map(({ name }) => [name, rowsOf(name)]))
  } finally {
    database.close()
  }
}

/** The job on a file up to this size takes less time than the start of a thread, in bytes. */
const smallBytes = 2_000_000

/** Runs the job without blocking the desk: a large file gets a separate thread. Rejects with SQLite's errors. */
export async function careFor<J extends keyof CareResults>(
  job: CareJob & { readonly do: J },
): Promise<CareResults[J] | null> {
  if (statSync(job.file).size <= smallBytes) return takeCare(job)
  const worker = new Worker(workerFile(), { workerData: job, name: 'storage' })
  return new Promise((resolve, reject) => {
    let answer: CareResults[J] | null = null
    worker.once('message', (message: CareResults[J]) => (answer = message))
    worker.once('error', reject)
    worker.once('exit', (code) =>
      code === 0 ? resolve(answer) : reject(new Error(`the thread ended with ${code}`)),
    )
  })
}

/**
 * In the sources the worker is beside this file. In a bundle it is beside main.js, because this file may be among the
 * chunks.
 */
function workerFile(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) return new URL('./storage-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../storage-worker.js' : './storage-worker.js', here)
}
