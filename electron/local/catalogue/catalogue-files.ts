import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { CatalogueFacts, CatalogueFiles, NextFile } from '#desk/ports/catalogue-file.ts'
import { goodsFile, openToWrite, UnusableCatalogue } from './catalogue-database.ts'
import { type Fill, openFill } from './catalogue-fill.ts'
import { type CataloguePaths, putAside, removeDatabase } from './catalogue-paths.ts'
import {
  type CheckSpace,
  createSpaceCheck,
  removeStale,
  type SpaceLimits,
  standardSpace,
} from './catalogue-space.ts'
import { prepareCatalogue } from './catalogue-statements.ts'
import { makeFindable } from './findable.ts'
import { openLotsFile } from './lots-files.ts'
import { isCorrupt } from '../sqlite-failure.ts'

export interface OpenCatalogueFiles extends CatalogueFiles {
  /** The file in use was of an older version: who has it open must open it again. */
  readonly wasOlder: boolean
  /** What was added so far stays for the next run. */
  close(): void
  /** Removes what was added so far, of all files that are not finished. */
  dropUnfinished(): void
}

/**
 * Where the sync thread writes. A file in use that is damaged or of a newer version makes this throw: the reader must
 * let go of it first, and `rebuild` then puts it aside. One of an older version is brought up to date in its place.
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
  const opened = openToWrite(goodsFile, goods.current, false)
  if (!opened) throw new UnusableCatalogue('a newer version')
  const { database: current, from } = opened
  const check = createSpaceCheck(space)
  try {
    removeStale(dirname(goods.current), Date.now())
    makeFindable(current)
    const next = openNext(goods, current, check)
    const allLots = openLotsFile(lots, check)
    return {
      ...writeCurrent(current, check),
      wasOlder: from === 1,
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
  const open = (): Fill | null => (fill ??= openFill(paths.next, check))
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
      // the file in use must have no log that only this connection knows
      current.pragma('wal_checkpoint(PASSIVE)')
      removeDatabase(paths.ready)
      renameSync(paths.next, paths.ready)
    },
    close,
  }
}
