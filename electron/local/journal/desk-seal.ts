import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { z } from 'zod'
import { filePieces } from './file-pieces.ts'
import { syncFolder, writeNow } from '#kit/durable-files.ts'
import type { DeskPaths } from '../desk-paths.ts'

/**
 * SQLite has no checksums: a page that another program changed may still look like a valid page. So the checksum of a
 * closed desk.db is written beside it and compared at the next start. This is many times faster than SQLite's own
 * check, and it finds every change.
 */
const seal = z.object({
  /** The position of the transaction written last (journal.ts). */
  position: z.string(),
  sha256: z.string(),
})

export type SealVerdict =
  /** The file was closed properly, and no byte has changed after that. */
  | { readonly kind: 'intact' }
  /** Another program wrote to it after it was closed, if the file is still at this position. */
  | { readonly kind: 'changed'; readonly position: string }
  /** It was not closed, so it has to be checked. */
  | { readonly kind: 'open' }

/** To be called before desk.db is opened. */
export function readSeal(paths: DeskPaths): SealVerdict {
  const before = read(paths)
  if (!before || hasLog(paths)) return { kind: 'open' }
  if (sha256Of(paths.database) === before.sha256) return { kind: 'intact' }
  // another process may have opened it meanwhile; that process breaks the seal first
  const isStill = read(paths)?.sha256 === before.sha256 && !hasLog(paths)
  return isStill ? { kind: 'changed', position: before.position } : { kind: 'open' }
}

/** To be called before any write to desk.db. */
export function breakSeal({ seal: file, folder }: DeskPaths): void {
  if (!existsSync(file)) return
  rmSync(file, { force: true })
  syncFolder(folder)
}

/** To be called after desk.db is closed. Does nothing if another process still has it open. */
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
    // no seal, or a torn one: then SQLite checks the file
    return null
  }
}

/** SQLite removes its log when the last connection closes. */
function hasLog({ database }: DeskPaths): boolean {
  return (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
