import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The files of one scope's catalogue. */
export interface CataloguePaths {
  /** The one in use. */
  readonly current: string
  /** A read of everything that is under way. */
  readonly next: string
  /** A finished one that waits to be taken into use; nobody has it open. */
  readonly ready: string
}

export function cataloguePaths(dataDir: string, scope: string): CataloguePaths {
  const name = createHash('sha256').update(scope).digest('hex').slice(0, 16)
  const file = (ending: string): string => join(dataDir, 'catalogue', `${name}${ending}`)
  return { current: file('.db'), next: file('.next.db'), ready: file('.ready.db') }
}

/** Removes a database that nobody has open, with what SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const ending of ['-wal', '-shm', '-journal', '']) rmSync(file + ending, { force: true })
}

/**
 * Takes a finished file into use; whoever has the old one open must have closed it. The old one's log goes first: left
 * beside the new file, SQLite would take it for the new one's. Cut short in between, the finished file is still there.
 */
export function takeReadyFile({ current, ready }: CataloguePaths): boolean {
  if (!existsSync(ready)) return false
  removeDatabase(current)
  renameSync(ready, current)
  return true
}
