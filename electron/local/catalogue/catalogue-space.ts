import { readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { CataloguedError } from '#shared/errors/result.ts'
import { removeDatabase } from './catalogue-paths.ts'

/** How much of the disk a catalogue may take, in bytes. */
export interface SpaceLimits {
  /** Of one cache file. */
  readonly mostBytes: number
  /** What the disk keeps free: scans and labels are written to the same one. */
  readonly leastFree: number
  readonly freeBytes: (folder: string) => number
}

export const standardSpace: SpaceLimits = {
  mostBytes: 8 * 1024 ** 3,
  leastFree: 1024 ** 3,
  freeBytes(folder) {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  },
}

/** Throws CataloguedError `catalogue.too_large` or `catalogue.low_disk`. Cheap enough to be asked at each page. */
export type CheckSpace = (database: Database) => void

export function createSpaceCheck({ mostBytes, leastFree, freeBytes }: SpaceLimits): CheckSpace {
  return (database) => {
    const pragma = (name: string): number => Number(database.pragma(name, { simple: true }))
    if (pragma('page_count') * pragma('page_size') > mostBytes)
      throw new CataloguedError('catalogue.too_large')
    if (freeBytes(dirname(database.name)) < leastFree) throw new CataloguedError('catalogue.low_disk')
  }
}

/** Unfinished files of a read that nobody takes up again after so long, in milliseconds. */
const staleMs = 24 * 3600_000

/** Removes the unfinished files of all scopes that are too old to be taken up again. */
export function removeStale(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.next.db')) continue
    const file = join(folder, name)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats && now - stats.mtimeMs > staleMs) removeDatabase(file)
  }
}
