import { createHash } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { FilePaths } from '#desk/ports/catalogue-sync.ts'
import { missingSpace, type SpaceLimits } from '#kit/disk-space.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { CataloguedError } from '#shared/errors/result.ts'

/** The paths of one scope's catalogue: the file of variants and small lists, and the file of all lots. */
export interface CataloguePaths {
  readonly goods: FilePaths
  readonly lots: FilePaths
}

export function cataloguePaths(dataDir: string, scope: ScopeKey): CataloguePaths {
  const name = nameOf(scope)
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

function nameOf(scope: ScopeKey): string {
  return createHash('sha256').update(scope).digest('hex').slice(0, nameLength)
}

const nameLength = 16

const companions = ['-wal', '-shm', '-journal']

/** Removes a database that has no open connection, and the files that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const ending of [...companions, '']) rmSync(file + ending, { force: true })
}

/** Renames the unusable file, so that its fault can be examined. Removes an unusable file that was renamed earlier. */
export function putAside({ current, damaged }: FilePaths): void {
  removeDatabase(damaged)
  if (existsSync(current)) renameSync(current, damaged)
  removeDatabase(current)
}

/**
 * Replaces the current file with the finished one, and removes the file that was put aside. Returns false if there is
 * no finished file. The caller must have closed the current file. The log of the current file is removed first, because
 * SQLite would otherwise use it as the log of the new file. After an interruption between the removal and the
 * replacement, the finished file still exists.
 */
export function takeReadyFile({ current, ready, damaged }: FilePaths): boolean {
  if (!existsSync(ready)) return false
  removeDatabase(current)
  renameSync(ready, current)
  removeDatabase(damaged)
  return true
}

/**
 * Throws CataloguedError `catalogue.too_large` or `catalogue.low_disk` if a file must not grow further. The check is
 * fast, so it runs for every page.
 */
export type CheckSpace = (database: Database) => void

export function createSpaceCheck(space: SpaceLimits): CheckSpace {
  return (database) => {
    const pragma = (name: string): number => Number(database.pragma(name, { simple: true }))
    if (pragma('page_count') * pragma('page_size') > space.mostBytes)
      throw new CataloguedError('catalogue.too_large')
    if (missingSpace(space, dirname(database.name), 0) > 0) throw new CataloguedError('catalogue.low_disk')
  }
}

/** An unfinished file is removed if its last write is longer ago than this time, in milliseconds. */
const staleMs = 24 * 3600_000

/** Removes unfinished files, of all scopes, that are too old to be continued. */
export function removeStale(folder: string, now: Instant): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.next.db')) continue
    const file = join(folder, name)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats && now - stats.mtimeMs > staleMs) removeDatabase(file)
  }
}

/** Removes all files of a scope. No desk of this scope may be open. */
export function removeFilesOf(dataDir: string, scope: ScopeKey): void {
  const { goods, lots } = cataloguePaths(dataDir, scope)
  for (const file of [goods, lots].flatMap((paths) => Object.values<string>({ ...paths })))
    removeDatabase(file)
}

/**
 * Removes the files of each other scope if no file of that other scope was written since `before`. If a desk of that
 * scope opens later, it reads its articles again.
 */
export function removeUnused(dataDir: string, scope: ScopeKey, before: Instant): void {
  const folder = join(dataDir, 'catalogue')
  if (!existsSync(folder)) return
  const usedAt = new Map<string, number>()
  const names = readdirSync(folder).filter((name) => !name.startsWith(nameOf(scope)))
  for (const name of names) {
    const at = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
    const of = name.slice(0, nameLength)
    usedAt.set(of, Math.max(at, usedAt.get(of) ?? 0))
  }
  for (const name of names)
    if ((usedAt.get(name.slice(0, nameLength)) ?? 0) < before) rmSync(join(folder, name), { force: true })
}
