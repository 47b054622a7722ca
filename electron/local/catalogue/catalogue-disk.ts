import { createHash } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { FilePaths } from '#desk/ports/catalogue-sync.ts'
import { missingSpace, type SpaceLimits } from '#kit/disk-space.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { CataloguedError } from '#shared/errors/result.ts'

/** The files of one scope's catalogue: variants and small lists, and all lots. */
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

/** Removes a database without an open connection, with the files that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const ending of [...companions, '']) rmSync(file + ending, { force: true })
}

/** Keeps the unusable file, so that its fault can be examined. Removes an earlier one. */
export function putAside({ current, damaged }: FilePaths): void {
  removeDatabase(damaged)
  if (existsSync(current)) renameSync(current, damaged)
  removeDatabase(current)
}

/**
 * Takes a finished file into use; the caller must have closed the old one. The old file's log is removed first, because
 * SQLite would take it for the new file's log. After an interruption in between, the finished file is still there.
 */
export function takeReadyFile({ current, ready, damaged }: FilePaths): boolean {
  if (!existsSync(ready)) return false
  removeDatabase(current)
  renameSync(ready, current)
  removeDatabase(damaged)
  return true
}

/** Throws CataloguedError `catalogue.too_large` or `catalogue.low_disk`. Cheap enough for a call at each page. */
export type CheckSpace = (database: Database) => void

export function createSpaceCheck(space: SpaceLimits): CheckSpace {
  return (database) => {
    const pragma = (name: string): number => Number(database.pragma(name, { simple: true }))
    if (pragma('page_count') * pragma('page_size') > space.mostBytes)
      throw new CataloguedError('catalogue.too_large')
    if (missingSpace(space, dirname(database.name), 0) > 0) throw new CataloguedError('catalogue.low_disk')
  }
}

/** After this time, no sync continues the unfinished files of a read, in milliseconds. */
const staleMs = 24 * 3600_000

/** Removes the unfinished files of all scopes that are too old to be continued. */
export function removeStale(folder: string, now: Instant): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.next.db')) continue
    const file = join(folder, name)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats && now - stats.mtimeMs > staleMs) removeDatabase(file)
  }
}

/** Removes all files of a scope, for which no desk may be open. */
export function removeFilesOf(dataDir: string, scope: ScopeKey): void {
  const { goods, lots } = cataloguePaths(dataDir, scope)
  for (const file of [goods, lots].flatMap((paths) => Object.values<string>({ ...paths })))
    removeDatabase(file)
}

/**
 * Removes the files of other scopes than this one that no desk has used since `before`. A station that is opened later
 * reads its articles again.
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
