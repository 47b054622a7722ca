import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { z } from 'zod'
import { filePieces } from './file-pieces.ts'
import { syncFolder, writeNow } from '#kit/durable-files.ts'
import type { DeskPaths } from '../desk-paths.ts'

/**
 * SQLite has no checksums of its own: a page that was changed from outside may still look like one. So a desk.db that
 * is closed gets its checksum written beside it, and at the next start it is compared: many times faster than
 * SQLite's own check, and it misses nothing.
 */
const seal = z.object({
  /** Of the transaction written down last (journal.ts). */
  position: z.string(),
  sha256: z.string(),
})

export type SealVerdict =
  /** Closed properly, and not a byte has changed since. */
  | { readonly kind: 'intact' }
  /** Something else was written since it was closed, if it is still at this position. */
  | { readonly kind: 'changed'; readonly position: string }
  /** It was not closed: whether it is whole has to be looked at. */
  | { readonly kind: 'open' }

/** Before desk.db is opened. */
export function readSeal(paths: DeskPaths): SealVerdict {
  const before = read(paths)
  if (!before || hasLog(paths)) return { kind: 'open' }
  if (sha256Of(paths.database) === before.sha256) return { kind: 'intact' }
  // another process may have opened it meanwhile: that breaks the seal first
  const isStill = read(paths)?.sha256 === before.sha256 && !hasLog(paths)
  return isStill ? { kind: 'changed', position: before.position } : { kind: 'open' }
}

/** Before anything is written to desk.db. */
export function breakSeal({ seal: file, folder }: DeskPaths): void {
  if (!existsSync(file)) return
  rmSync(file, { force: true })
  syncFolder(folder)
}

/** Once desk.db is closed; nothing where another process still has it open. */
export function sealDatabase(paths: DeskPaths, position: string): void {
  if (hasLog(paths)) return
  writeNow(paths.seal, JSON.stringify({ position, sha256: sha256Of(paths.database) }))
}

/** Reads the file in pieces: a desk.db may be larger than Node reads at once. Throws the system's error. */
export function sha256Of(file: string): string {
  const hash = createHash('sha256')
  for (const piece of filePieces(file)) hash.update(piece)
  return hash.digest('hex')
}

function read({ seal: file }: DeskPaths): z.infer<typeof seal> | null {
  try {
    return seal.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // none, or torn: then SQLite looks itself
    return null
  }
}

/** SQLite removes its log when the last one closes. */
function hasLog({ database }: DeskPaths): boolean {
  return (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
