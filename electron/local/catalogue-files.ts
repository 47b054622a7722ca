import { existsSync, renameSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { CatalogueFacts, CatalogueFiles, FillState, NextFile } from '#desk/ports/catalogue-file.ts'
import { codeKey } from '#shared/domain/gtin.ts'
import { indexCodes, openCatalogueToWrite, UnusableCatalogue } from './catalogue-database.ts'
import { type CataloguePaths, removeDatabase } from './catalogue-paths.ts'
import { prepareCatalogue } from './catalogue-statements.ts'
import { isCorrupt } from './sqlite-failure.ts'
import { codeKinds } from './variant-codes.ts'

export interface OpenCatalogueFiles extends CatalogueFiles {
  /** What was added so far stays for the next run. */
  close(): void
}

/** Rows that a fill writes in one transaction. */
const bulkRows = 10_000

/**
 * Where the sync thread writes. A file in use that is damaged or of another version makes this throw: the reader must
 * let go of it first, and `rebuild` then removes it.
 */
export function openCatalogueFiles(paths: CataloguePaths, rebuild: boolean): OpenCatalogueFiles {
  if (rebuild) for (const file of [paths.current, paths.ready]) removeDatabase(file)
  const current = openCatalogueToWrite(paths.current, true)
  if (!current) throw new UnusableCatalogue('another version')
  const statements = prepareCatalogue(current)
  const next = openNext(paths, current)
  const atOnce = (action: () => void): void => current.transaction(action).immediate()
  return {
    facts: (): CatalogueFacts => ({
      complete: statements.fact('full_read_at') !== null,
      watermark: statements.fact('watermark'),
      fullReadAt: statements.fact('full_read_at'),
    }),
    putMethods: (rows, asOf) =>
      atOnce(() => {
        statements.replaceList('shipping_methods', rows)
        statements.setFact('methods_as_of', asOf)
      }),
    putLocationTypes: (rows, asOf) =>
      atOnce(() => {
        statements.replaceList('location_types', rows)
        statements.setFact('types_as_of', asOf)
      }),
    change: (page) =>
      atOnce(() => {
        statements.replaceRows(page)
        statements.setFact('variants', statements.countVariants())
      }),
    settle: (watermark) => atOnce(() => statements.setFact('watermark', watermark)),
    next,
    close() {
      next.close()
      current.close()
    },
  }
}

function openNext(paths: CataloguePaths, current: Database): NextFile & { close(): void } {
  let fill: Fill | null = null
  const open = (): Fill | null => (fill ??= openFill(paths.next))
  const opened = (): Fill => {
    const now = open()
    if (!now) throw new Error('no read of everything was begun')
    return now
  }
  const close = (): void => {
    fill?.close()
    fill = null
  }
  return {
    resume() {
      try {
        return existsSync(paths.next) ? (open()?.state() ?? null) : null
      } catch (error) {
        // half a file is worth nothing: the fill begins anew
        if (!isCorrupt(error)) throw error
        return null
      }
    },
    begin() {
      close()
      removeDatabase(paths.next)
    },
    add: (page, state) => opened().add(page, state),
    index: () => opened().index(),
    change: (page) => opened().change(page),
    publish(watermark, fullReadAt) {
      opened().finish(current, watermark, fullReadAt)
      fill = null
      // the file in use must have no log that only this connection knows
      current.pragma('wal_checkpoint(PASSIVE)')
      removeDatabase(paths.ready)
      renameSync(paths.next, paths.ready)
    },
    close,
  }
}

interface Fill {
  state(): FillState | null
  add: NextFile['add']
  index(): void
  change: NextFile['change']
  /** Leaves one whole file behind, closed. */
  finish(current: Database, watermark: number, fullReadAt: number): void
  close(): void
}

/** Null for a file of another version. */
function openFill(file: string): Fill | null {
  const database = openCatalogueToWrite(file, false)
  if (!database) return null
  const statements = prepareCatalogue(database)
  let waiting = 0
  const flush = (): void => {
    if (database.inTransaction) database.exec('COMMIT')
    waiting = 0
  }
  return {
    state() {
      const startedAt = statements.fact('fill_started_at')
      const limit = statements.fact('fill_limit')
      const page = statements.fact('fill_page')
      const pageLength = statements.fact('fill_page_length')
      if (startedAt === null || limit === null || page === null || pageLength === null) return null
      return { startedAt, limit, page, pageLength }
    },
    add(page, state) {
      if (!database.inTransaction) database.exec('BEGIN IMMEDIATE')
      statements.addRows(page)
      statements.setFact('fill_started_at', state.startedAt)
      statements.setFact('fill_limit', state.limit)
      statements.setFact('fill_page', state.page)
      statements.setFact('fill_page_length', state.pageLength)
      waiting += page.rows.length
      if (waiting >= bulkRows) flush()
    },
    index() {
      flush()
      database.transaction(() => buildCodes(database)).immediate()
    },
    change: (page) => database.transaction(() => statements.replaceRows(page)).immediate(),
    finish(current, watermark, fullReadAt) {
      const put = database.transaction(() => {
        copyLists(current, database)
        statements.setFact('variants', statements.countVariants())
        statements.setFact('watermark', watermark)
        statements.setFact('full_read_at', fullReadAt)
      })
      put.immediate()
      // one file, without a log beside it, so that a rename moves all of it
      database.pragma('journal_mode = DELETE')
      database.close()
    },
    close() {
      flush()
      database.close()
    },
  }
}

/** All codes at once and their indexes last: faster by far than one by one, each into a tree. */
function buildCodes(database: Database): void {
  database.function('code_key', { deterministic: true }, (text) => codeKey(String(text)))
  database.exec('DELETE FROM codes')
  for (const [field, kind] of Object.entries(codeKinds))
    database.exec(
      `INSERT INTO codes (key, kind, variant)
       SELECT code_key(body ->> '$.${field}') AS key, ${kind}, number FROM variants
       WHERE body ->> '$.${field}' IS NOT NULL AND key <> ''`,
    )
  indexCodes(database)
}

function copyLists(from: Database, to: Database): void {
  const add = to.prepare('INSERT INTO small_lists (list, position, body) VALUES (@list, @position, @body)')
  to.exec('DELETE FROM small_lists')
  for (const row of from.prepare('SELECT list, position, body FROM small_lists').all()) add.run(row)
  const source = prepareCatalogue(from)
  const target = prepareCatalogue(to)
  for (const key of ['methods_as_of', 'types_as_of'] as const) {
    const value = source.fact(key)
    if (value !== null) target.setFact(key, value)
  }
}
