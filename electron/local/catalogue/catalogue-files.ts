import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { SkippedEntry } from '#desk/ports/catalogue-store.ts'
import type { CatalogueFacts, CatalogueFiles, FillState, NextFile } from '#desk/ports/catalogue-sync.ts'
import { type SpaceLimits, standardSpace } from '#kit/disk-space.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { readBody, UnusableCache } from '../cache.ts'
import { isCorrupt } from '../sqlite-failure.ts'
import { openToWrite } from './catalogue-database.ts'
import {
  type CataloguePaths,
  type CheckSpace,
  createSpaceCheck,
  putAside,
  removeDatabase,
  removeStale,
} from './catalogue-disk.ts'
import { beginBulkWords, endBulkWords } from './catalogue-index.ts'
import { goodsFile } from './catalogue-schema.ts'
import {
  type CatalogueStatements,
  prepareCatalogue,
  prepareSkipped,
  readState,
  type VariantRecord,
  writeState,
} from './catalogue-statements.ts'
import { openLotsFile } from './lots-files.ts'

export interface OpenCatalogueFiles extends CatalogueFiles {
  /** Closes the files. Unfinished files keep the rows added so far, and the next run continues them. */
  close(): void
  /** Removes all unfinished files with the rows added to them. */
  dropUnfinished(): void
}

/**
 * Opens the files to which the sync thread writes. Throws if the current file is damaged or of another version. In this
 * case the reader must close that file; after that, a second call with `rebuild` puts the file aside.
 */
export function openCatalogueFiles(
  { goods, lots }: CataloguePaths,
  rebuild: boolean,
  space: SpaceLimits = standardSpace,
): OpenCatalogueFiles {
  if (rebuild) {
    putAside(goods)
    removeDatabase(goods.ready)
  }
  const { database: current } = openToWrite(goodsFile, goods.current)
  const check = createSpaceCheck(space)
  try {
    removeStale(dirname(goods.current), Date.now())
    current.exec(goodsFile.indexes)
    const next = openNext(goods, current, check)
    const allLots = openLotsFile(lots, check)
    return {
      ...writeCurrent(current, check),
      next,
      lots: allLots,
      close() {
        next.close()
        allLots.close()
        current.close()
      },
      dropUnfinished() {
        next.drop()
        allLots.drop()
      },
    }
  } catch (error) {
    current.close()
    throw error
  }
}

function writeCurrent(current: Database, check: CheckSpace): Omit<CatalogueFiles, 'next' | 'lots'> {
  const statements = prepareCatalogue(current)
  const atOnce = (action: () => void): void => current.transaction(action).immediate()
  return {
    facts: (): CatalogueFacts => ({
      complete: statements.fact('full_read_at') !== null,
      watermark: statements.fact('watermark'),
      fullReadAt: statements.fact('full_read_at'),
      pageRows: statements.fact('page_rows'),
      variants: statements.fact('variants'),
    }),
    putMethods: (list) =>
      atOnce(() => {
        statements.replaceList('shipping_methods', list)
        statements.setFact('methods_as_of', list.asOf)
      }),
    putLocationTypes: (list) =>
      atOnce(() => {
        statements.replaceList('location_types', list)
        statements.setFact('types_as_of', list.asOf)
      }),
    change(page) {
      check(current)
      atOnce(() => {
        const added = statements.replaceRows(page)
        if (added > 0) statements.setFact('variants', (statements.fact('variants') ?? 0) + added)
      })
    },
    settle: (watermark) => atOnce(() => statements.setFact('watermark', watermark)),
    keepPageRows: (rows) => atOnce(() => statements.setFact('page_rows', rows)),
  }
}

function openNext(
  paths: CataloguePaths['goods'],
  current: Database,
  check: CheckSpace,
): NextFile & { close(): void } {
  let fill: Fill | null = null
  const opened = (): Fill => (fill ??= openFill(paths.next, check))
  const close = (): void => {
    fill?.close()
    fill = null
  }
  return {
    resume() {
      try {
        return existsSync(paths.next) ? opened().state() : null
      } catch (error) {
        // an unfinished file that is damaged has no value, so the complete read begins again
        if (!isCorrupt(error) && !(error instanceof UnusableCache)) throw error
        return null
      }
    },
    begin() {
      close()
      removeDatabase(paths.next)
    },
    drop() {
      fill?.discard()
      fill = null
      removeDatabase(paths.next)
    },
    add: (page, state) => opened().add(page, state),
    index: () => opened().index(),
    change: (page) => opened().change(page),
    publish(watermark, fullReadAt) {
      opened().finish(current, watermark, fullReadAt)
      fill = null
      // moves the content of the write-ahead log into the current file, so that no data of the file is only in the log
      current.pragma('wal_checkpoint(PASSIVE)')
      removeDatabase(paths.ready)
      renameSync(paths.next, paths.ready)
    },
    close,
  }
}

/** The unfinished file of a complete read of the variants. */
interface Fill {
  state(): FillState | null
  add: NextFile['add']
  index(): void
  change: NextFile['change']
  /**
   * Copies the small lists and the earlier states of unreadable variants from the current file, completes the
   * unfinished file and closes it.
   */
  finish(current: Database, watermark: number, fullReadAt: Instant): void
  close(): void
  /** Closes the file and drops the rows that are not committed yet. */
  discard(): void
}

/** During a complete read, a transaction is committed as soon as it has written at least this number of rows. */
const bulkRows = 10_000

/** Opens an unfinished file to continue it, or creates one. Throws UnusableCache or SQLite's error. */
function openFill(file: string, check: CheckSpace): Fill {
  const { database, isNew } = openToWrite(goodsFile, file)
  if (isNew) database.transaction(() => beginBulkWords(database)).immediate()
  const statements = prepareCatalogue(database)
  const again = prepareAgain(database)
  let waiting = 0
  const flush = (): void => {
    if (database.inTransaction) database.exec('COMMIT')
    waiting = 0
  }
  return {
    state: () => readState(statements),
    add(page, state) {
      check(database)
      if (!database.inTransaction) database.exec('BEGIN IMMEDIATE')
      again.keep(statements.addRows(page), page.asOf)
      writeState(statements, state)
      waiting += page.rows.length + page.skipped.length
      if (waiting >= bulkRows) flush()
    },
    index() {
      flush()
      check(database)
      database
        .transaction(() => {
          database.exec(goodsFile.indexes)
          endBulkWords(database)
        })
        .immediate()
      database
        .transaction(() => {
          again.each((row, asOf) => statements.replaceRows({ rows: [row], skipped: [], asOf }))
          again.drop()
        })
        .immediate()
    },
    change(page) {
      check(database)
      database.transaction(() => statements.replaceRows(page)).immediate()
    },
    finish(current, watermark, fullReadAt) {
      const put = database.transaction(() => {
        copyLists(current, database)
        carryUnreadable(current, database, statements)
        statements.setFact('variants', statements.countVariants())
        statements.setFact('watermark', watermark)
        statements.setFact('full_read_at', fullReadAt)
      })
      put.immediate()
      // without a write-ahead log the database is only one file, so that a rename moves all of it
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

/**
 * Stores the second copies of rows that the service returned twice during one complete read of the catalogue. This
 * happens if the service removes another row during the read. A second copy replaces the first one only at the end of
 * the read, when the indexes exist. Without indexes, SQLite would read the whole table to find the codes of the first
 * copy.
 */
function prepareAgain(database: Database) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS again (id TEXT NOT NULL PRIMARY KEY, as_of INTEGER NOT NULL, body TEXT NOT NULL) STRICT',
  )
  const keep = database.prepare<[string, number, string]>('INSERT OR REPLACE INTO again VALUES (?, ?, ?)')
  const all = database.prepare<[], { as_of: number; body: string }>('SELECT as_of, body FROM again')
  return {
    keep(rows: readonly Variant[], asOf: number): void {
      for (const row of rows) keep.run(row.id, asOf, JSON.stringify(row))
    },
    each(replace: (row: Variant, asOf: number) => void): void {
      for (const { as_of: asOf, body } of all.all()) {
        const row = readBody(variant, body)
        if (row) replace(row, asOf)
      }
    },
    drop(): void {
      database.exec('DROP TABLE again')
    },
  }
}

function copyLists(from: Database, to: Database): void {
  const add = to.prepare('INSERT INTO small_lists (list, position, body) VALUES (@list, @position, @body)')
  to.exec('DELETE FROM small_lists')
  for (const row of from.prepare('SELECT list, position, body FROM small_lists').all()) add.run(row)
  const skipped = from.prepare<[], SkippedEntry>(
    "SELECT list, id, problem, seen_at AS seenAt FROM skipped WHERE list <> 'variants'",
  )
  const toSkipped = prepareSkipped(to)
  for (const { list, seenAt, ...row } of skipped.all()) toSkipped.put(list, [row], seenAt)
  const source = prepareCatalogue(from)
  const target = prepareCatalogue(to)
  for (const key of ['methods_as_of', 'types_as_of', 'page_rows'] as const) {
    const value = source.fact(key)
    if (value !== null) target.setFact(key, value)
  }
}

/**
 * Copies the earlier state of each row whose current state cannot be read. For an operator, an earlier state that is
 * shown with its age is better than a missing row.
 */
function carryUnreadable(from: Database, to: Database, { carryRow }: CatalogueStatements): void {
  const unreadable = to
    .prepare<[], string>(
      `SELECT id FROM skipped WHERE list = 'variants' AND id IS NOT NULL
         AND id NOT IN (SELECT id FROM variants)`,
    )
    .pluck()
    .all()
  const known = from.prepare<[string], VariantRecord>(
    `SELECT v.id, v.modified_at, v.body,
       CASE WHEN EXISTS (SELECT 1 FROM skipped s WHERE s.list = 'variants' AND s.key = v.id) THEN v.as_of
            ELSE max(v.as_of, coalesce((SELECT value FROM facts WHERE key = 'watermark'), 0)) END AS as_of
     FROM variants v WHERE v.id = ?`,
  )
  for (const id of unreadable) {
    const row = known.get(id)
    if (row !== undefined) carryRow(row)
  }
}
