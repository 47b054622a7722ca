import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { CatalogueFacts, CatalogueFiles, NextFile } from '#desk/ports/catalogue-file.ts'
import { UnusableCache } from '../cache.ts'
import { openToWrite } from './catalogue-database.ts'
import { type Fill, openFill } from './catalogue-fill.ts'
import { type CataloguePaths, putAside, removeDatabase } from './catalogue-paths.ts'
import {
  type CheckSpace,
  createSpaceCheck,
  removeStale,
  type SpaceLimits,
  standardSpace,
} from './catalogue-space.ts'
import { goodsFile } from './catalogue-schema.ts'
import { prepareCatalogue } from './catalogue-statements.ts'
import { openLotsFile } from './lots-files.ts'
import { isCorrupt } from '../sqlite-failure.ts'

export interface OpenCatalogueFiles extends CatalogueFiles {
  /** What was added so far stays for the next run. */
  close(): void
  /** Removes what was added so far, of all files that are not finished. */
  dropUnfinished(): void
}

/**
 * Where the sync thread writes. A file in use that is damaged or of another version makes this throw: the reader must
 * close it first, and `rebuild` then puts it aside.
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
        // half a file has no value: the fill begins anew
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
      // the file in use must have no log that only this connection knows
      current.pragma('wal_checkpoint(PASSIVE)')
      removeDatabase(paths.ready)
      renameSync(paths.next, paths.ready)
    },
    close,
  }
}
