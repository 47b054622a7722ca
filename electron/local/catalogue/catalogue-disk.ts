import { createHash } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { FilePaths } from '#desk/ports/catalogue-sync.ts'
import { CataloguedError } from '#shared/errors/result.ts'

/** The files of one scope's catalogue: variants and small lists, and all lots. */
export interface CataloguePaths {
  readonly goods: FilePaths
  readonly lots: FilePaths
}

export function cataloguePaths(dataDir: string, scope: string): CataloguePaths {
  const name = createHash('sha256').update(scope).digest('hex').slice(0, 16)
  const files = (what: string): FilePaths => {
    const file = (ending: string): string => join(dataDir, 'catalogue', `${name}${what}${ending}`)
    return {
      current: file('.db'),
      next: file('.next.db'),
      ready: file('.ready.db'),
      damaged: file('.damaged.db'),
    }
  }
  return { goods: files(''), lots: files('.lots') }
}

const companions = ['-wal', '-shm', '-journal']

/** Removes a database that nobody has open, with what SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const ending of [...companions, '']) rmSync(file + ending, { force: true })
}

/** Keeps the file in use, which is of no use, for whoever wants to know why; an earlier one goes. */
export function putAside({ current, damaged }: FilePaths): void {
  removeDatabase(damaged)
  if (existsSync(current)) renameSync(current, damaged)
  removeDatabase(current)
}

/**
 * Takes a finished file into use; whoever has the old one open must have closed it. The old one's log goes first: left
 * beside the new file, SQLite would take it for the new one's. Cut short in between, the finished file is still there.
 */
export function takeReadyFile({ current, ready, damaged }: FilePaths): boolean {
  if (!existsSync(ready)) return false
  removeDatabase(current)
  renameSync(ready, current)
  removeDatabase(damaged)
  return true
}

/** How much of the disk the files of a kind may take, in bytes. */
export interface SpaceLimits {
  /** Of one file of the catalogue; of all files of the vault. */
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
