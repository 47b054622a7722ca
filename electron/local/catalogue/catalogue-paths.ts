import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FilePaths } from '#desk/ports/catalogue-thread.ts'

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
