import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { entryBeside } from '#kit/child-process.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { makePrivateDatabase } from '#kit/private-files.ts'
import { sha256Of } from './journal/desk-seal.ts'
import { readPosition } from './journal/journal.ts'
import { schemaVersion } from './migrate.ts'
import { isCorrupt } from './sqlite-failure.ts'

/** A job on a SQLite file. Its duration depends on the size of the file. */
export interface CareJob {
  readonly do: keyof CareResults
  readonly file: string
}

interface CareResults {
  readonly examine: Examined
  /** What SQLite finds damaged in a database that may be open; null: nothing. */
  readonly check: string | null
  readonly rewrite: null
  readonly copy: null
  readonly flush: null
  /** The number of rows in each table; null if the file is too large. */
  readonly count: Record<string, number> | null
}

/** The result of the check of a copy of desk.db. `problem`: null if the copy is undamaged. */
interface Examined {
  readonly problem: string | null
  readonly sha256: string
  readonly seq: number
  readonly sum: string
  readonly schema: number
}

const jobs: { readonly [J in keyof CareResults]: (file: string) => CareResults[J] } = {
  examine,
  check,
  rewrite,
  copy: copyRows,
  flush,
  count: countRows,
}

/** Runs the job in this thread. Throws SQLite's errors. */
export function takeCare<J extends keyof CareResults>(job: CareJob & { readonly do: J }): CareResults[J] {
  return jobs[job.do](job.file)
}

function examine(file: string): Examined {
  // In the header of the copy, as in that of desk.db, the journal mode is WAL. No program writes to the copy, so it
  // needs no log, and the mode is changed.
  const database = openSqlite(file, 'precious')
  try {
    database.pragma('journal_mode = DELETE')
    const problem = quickCheck(database)
    const { seq, sum } = readPosition(database)
    const schema = schemaVersion(database)
    database.close()
    return { problem, sha256: sha256Of(file), seq, sum, schema }
  } finally {
    database.close()
  }
}

/**
 * Checks a database that another connection has open. The new connection reads all pages from the file, not from the
 * memory of the other connection.
 */
function check(file: string): string | null {
  let database: Database | null = null
  try {
    database = openSqlite(file, 'cache', { readonly: true })
    return quickCheck(database)
  } catch (error) {
    if (isCorrupt(error)) return String(error)
    throw error
  } finally {
    database?.close()
  }
}

function quickCheck(database: Database): string | null {
  const found = database.pragma('quick_check(1)', { simple: true })
  return found === 'ok' ? null : String(found)
}

/**
 * Rewrites the whole database. Even with secure_delete, traces of deleted rows can stay at places from which SQLite
 * moved the rows earlier. Only a rewritten file has no such traces. SQLite refuses all other writes to the file during
 * the rewrite, which takes about 15 ms for each megabyte.
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

/** Returns the name of the file that the job `copy` writes for a database. */
export function cleanCopyOf(file: string): string {
  return file.replace(/\.db$/, '.rewritten.db')
}

/**
 * Writes the current rows to a new file (`cleanCopyOf`), which has no traces of deleted rows, and then the log of the
 * database to its own file (`flush`). The database can be read and written meanwhile. The caller removes the new file,
 * also after an error.
 */
function copyRows(file: string): null {
  const copy = cleanCopyOf(file)
  removeDatabase(copy)
  makePrivateDatabase(copy)
  const database = openSqlite(file, 'cache', { readonly: true })
  try {
    database.prepare<[string]>('VACUUM INTO ?').run(copy)
  } finally {
    database.close()
  }
  // switches the copy to WAL and writes all of it to the disk now, because main would wait for the disk later
  openSqlite(copy, 'cache').close()
  const descriptor = openSync(copy, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return flush(file)
}

/** Writes the log (WAL) to the database, as far as no connection is using it. No other connection waits for this. */
function flush(file: string): null {
  const database = openSqlite(file, 'cache')
  try {
    database.pragma('wal_checkpoint(PASSIVE)')
    return null
  } finally {
    database.close()
  }
}

/** Removes a database that is not open, and the files that SQLite keeps beside it. Throws the system's errors. */
export function removeDatabase(file: string): void {
  for (const ending of ['-wal', '-shm', '-journal', '']) rmSync(file + ending, { force: true })
}

/**
 * Maximum size in bytes of a file whose rows are counted, because SQLite reads every page of a table to count its rows.
 */
const largestFile = 200 * 1024 * 1024

/**
 * Returns the number of rows in each table of a database, for support; null if the file is larger than 200 MiB. Also
 * works while the desk has the file open. Throws the system's and SQLite's errors.
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

/**
 * Minimum size in bytes of a file for which a separate thread is started. A job on a smaller file takes less time than
 * the start of a thread.
 */
const smallBytes = 2_000_000

/** Whether a job on the file runs in the calling thread and takes only some milliseconds. */
export function isSmall(file: string): boolean {
  return statSync(file).size <= smallBytes
}

/** Runs the job without blocking the desk: in a separate thread if the file is large. Rejects with SQLite's errors. */
export async function careFor<J extends keyof CareResults>(
  job: CareJob & { readonly do: J },
): Promise<CareResults[J] | null> {
  if (isSmall(job.file)) return takeCare(job)
  const worker = new Worker(entryBeside(import.meta.url, 'storage-worker'), {
    workerData: job,
    name: 'storage',
  })
  return new Promise((resolve, reject) => {
    let answer: CareResults[J] | null = null
    worker.once('message', (message: CareResults[J]) => (answer = message))
    worker.once('error', reject)
    worker.once('exit', (code) =>
      code === 0 ? resolve(answer) : reject(new Error(`the thread ended with ${code}`)),
    )
  })
}
