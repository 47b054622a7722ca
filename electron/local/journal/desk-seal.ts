import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { z } from 'zod'
import { filePieces } from './file-pieces.ts'
import { syncFolder, writeNow } from '#kit/durable-files.ts'
import { isUnreadable } from '../sqlite-failure.ts'
import type { DeskPaths } from '../desk-paths.ts'

/**
 * The seal: the checksum of a closed desk.db. It is written beside desk.db and compared at the next start. SQLite has
 * no checksums, so a page that another program changed may look valid to SQLite. The comparison finds every change and
 * is many times faster than SQLite's check.
 */
const seal = z.object({
  /** The position of desk.db in its journal (journal.ts) when it was closed. */
  position: z.string(),
  sha256: z.string(),
})

export type SealVerdict =
  /** The file was closed properly, and no byte has changed since then. */
  | { readonly kind: 'intact' }
  /**
   * desk.db was closed properly, but its content has changed since then. If desk.db is still at `position` in its
   * journal, a program other than Scandesk has changed it.
   */
  | { readonly kind: 'changed'; readonly position: string }
  /** The file was not closed properly, or a part of it cannot be read, so SQLite must check it. */
  | { readonly kind: 'open' }

/** Compares desk.db with its seal. Call it before desk.db is opened. */
export function readSeal(paths: DeskPaths): SealVerdict {
  const before = read(paths)
  if (!before || hasLog(paths)) return { kind: 'open' }
  const sum = sumOfReadable(paths.database)
  if (sum === null) return { kind: 'open' }
  if (sum === before.sha256) return { kind: 'intact' }
  // if the seal is gone, another process has opened the file meanwhile: a process removes the seal before its first
  // write, so the change may be by that process
  const isStill = read(paths)?.sha256 === before.sha256 && !hasLog(paths)
  return isStill ? { kind: 'changed', position: before.position } : { kind: 'open' }
}

/** Removes the seal: the file with the checksum of desk.db. Call it before any write to desk.db. */
export function breakSeal({ seal: file, folder }: DeskPaths): void {
  if (!existsSync(file)) return
  rmSync(file, { force: true })
  syncFolder(folder)
}

/**
 * Writes the seal: the file with the checksum of desk.db. Call it after desk.db is closed. Does nothing if desk.db has
 * a write-ahead log, because another process may then be using desk.db, or if a part of desk.db cannot be read, so that
 * the next start checks it.
 */
export function sealDatabase(paths: DeskPaths, position: string): void {
  if (hasLog(paths)) return
  const sha256 = sumOfReadable(paths.database)
  if (sha256 !== null) writeNow(paths.seal, JSON.stringify({ position, sha256 }))
}

/** Returns the checksum of a file, or null if a part of the file cannot be read. Throws other errors of the system. */
export function sumOfReadable(file: string): string | null {
  try {
    return sha256Of(file)
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  }
}

/**
 * Returns the checksum of a file. Reads the file in pieces, because desk.db may be larger than one call of Node can
 * read. Throws the system's error.
 */
export function sha256Of(file: string): string {
  const hash = createHash('sha256')
  for (const piece of filePieces(file)) hash.update(piece)
  return hash.digest('hex')
}

function read({ seal: file }: DeskPaths): z.infer<typeof seal> | null {
  try {
    return seal.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // if the file with the checksum of desk.db is missing or incomplete, SQLite checks desk.db
    return null
  }
}

/** Whether desk.db has a write-ahead log. SQLite removes the log when the last connection closes. */
function hasLog({ database }: DeskPaths): boolean {
  return (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
