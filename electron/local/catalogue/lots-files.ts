import { existsSync, renameSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { FilePaths, LotRows, LotsFile } from '#desk/ports/catalogue-sync.ts'
import type { StoredLot } from '#desk/ports/recent-store.ts'
import { UnusableCache } from '../cache.ts'
import { isCorrupt } from '../sqlite-failure.ts'
import { openToRead, openToWrite } from './catalogue-database.ts'
import { type CheckSpace, removeDatabase } from './catalogue-disk.ts'
import { lotsFile } from './catalogue-schema.ts'
import {
  type FactStatements,
  prepareFacts,
  prepareSkipped,
  readState,
  writeState,
} from './catalogue-statements.ts'

/** During a read of all lots, a transaction is committed as soon as it has written at least this number of rows. */
const bulkRows = 10_000

/**
 * Opens the files to which the sync thread writes all lots, which it reads from the service in one pass. From the file
 * that the desk uses at present, this module reads only the values of `facts` (such as the number of lots); main reads
 * the lots.
 */
export function openLotsFile(paths: FilePaths, check: CheckSpace): LotsFile & { close(): void } {
  let pass: Pass | null = null
  const opened = (): Pass => (pass ??= openPass(paths.next, check))
  const close = (): void => {
    pass?.close()
    pass = null
  }
  let pageRows: number | null = null
  return {
    facts() {
      const facts = factsOf(paths)
      return { ...facts, pageRows: pageRows ?? facts.pageRows }
    },
    resume() {
      try {
        const begun = existsSync(paths.next) ? opened() : null
        pageRows ??= begun?.facts.fact('page_rows') ?? null
        return begun?.state() ?? null
      } catch (error) {
        if (!isCorrupt(error) && !(error instanceof UnusableCache)) throw error
        return null
      }
    },
    keepPageRows(rows) {
      pageRows = rows
      opened().facts.setFact('page_rows', rows)
    },
    begin() {
      close()
      removeDatabase(paths.next)
      const known = pageRows ?? factsOf(paths).pageRows
      if (known !== null) opened().facts.setFact('page_rows', known)
    },
    drop() {
      pass?.discard()
      pass = null
      removeDatabase(paths.next)
    },
    add: (page, state) => opened().add(page, state),
    publish(asOf) {
      opened().finish(asOf)
      pass = null
      removeDatabase(paths.ready)
      renameSync(paths.next, paths.ready)
    },
    close,
  }
}

/**
 * Returns the facts of the newest complete pass. They are in the finished file if main has not taken it yet, otherwise
 * in the current file.
 */
function factsOf({ ready, current }: FilePaths): ReturnType<LotsFile['facts']> {
  const nothing = { asOf: null, pageRows: null, count: null }
  try {
    const database = openToRead(lotsFile, existsSync(ready) ? ready : current)
    if (!database) return nothing
    try {
      const { fact } = prepareFacts(database)
      return { asOf: fact('full_read_at'), pageRows: fact('page_rows'), count: fact('variants') }
    } finally {
      database.close()
    }
  } catch (error) {
    // main finds the same damage at its next read and puts the file aside
    if (!isCorrupt(error) && !(error instanceof UnusableCache)) throw error
    return nothing
  }
}

interface Pass {
  readonly facts: FactStatements
  state(): ReturnType<LotsFile['resume']>
  add: LotsFile['add']
  finish(asOf: number): void
  close(): void
  /** Closes the file and drops the rows that are not committed yet. */
  discard(): void
}

/** Opens an unfinished file to continue it, or creates one. Throws UnusableCache or SQLite's error. */
function openPass(file: string, check: CheckSpace): Pass {
  const { database } = openToWrite(lotsFile, file)
  const facts = prepareFacts(database)
  const addRows = prepareRows(database)
  const count = database.prepare<[], number>('SELECT count(*) FROM lots').pluck()
  let waiting = 0
  const flush = (): void => {
    if (database.inTransaction) database.exec('COMMIT')
    waiting = 0
  }
  return {
    facts,
    state() {
      const state = readState(facts)
      return state && { ...state, rows: count.get() ?? 0 }
    },
    add(page, state) {
      check(database)
      if (!database.inTransaction) database.exec('BEGIN IMMEDIATE')
      const added = addRows(page)
      writeState(facts, state)
      waiting += page.rows.length + page.skipped.length
      if (waiting >= bulkRows) flush()
      return added
    },
    finish(asOf) {
      flush()
      const put = database.transaction(() => {
        database.exec(lotsFile.indexes)
        facts.setFact('variants', count.get() ?? 0)
        facts.setFact('full_read_at', asOf)
      })
      put.immediate()
      database.pragma('journal_mode = DELETE')
      database.close()
    },
    close() {
      flush()
      database.close()
    },
    discard() {
      if (database.inTransaction) database.exec('ROLLBACK')
      database.close()
    },
  }
}

/** Returns a function that writes a page of lots and returns the number of new rows. */
function prepareRows(database: Database): (page: LotRows) => number {
  const known = database.prepare<[string], number>('SELECT number FROM lots WHERE id = ?').pluck()
  const upsert = database.prepare<StoredLot & { variantId: string; asOf: number }>(
    `INSERT INTO lots (id, variant_id, quantity, expiration_date, inbound_reference, received_at, as_of)
     VALUES (@id, @variantId, @quantity, @expirationDate, @inboundReference, @receivedAt, @asOf)
     ON CONFLICT DO UPDATE SET variant_id = excluded.variant_id, quantity = excluded.quantity,
       expiration_date = excluded.expiration_date, inbound_reference = excluded.inbound_reference,
       received_at = excluded.received_at, as_of = excluded.as_of`,
  )
  const skipped = prepareSkipped(database)
  return ({ rows, skipped: odd, asOf }) => {
    let added = 0
    for (const { variantId, lot } of rows) {
      if (known.get(lot.id) === undefined) added++
      upsert.run({ ...lot, variantId, asOf })
      skipped.forget('batches', lot.id)
    }
    skipped.put('batches', odd, asOf)
    return added
  }
}
