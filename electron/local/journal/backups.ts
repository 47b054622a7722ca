import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import { missingSpace, type SpaceLimits, standardSpace } from '#kit/disk-space.ts'
import { makePrivateDatabase } from '#kit/private-files.ts'
import { writeDurably, makeFolder } from '#kit/durable-files.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { timeFromName, timeInName } from '../desk-paths.ts'
import { careFor } from '../file-care.ts'

/** A whole copy of desk.db, and the result of its examination. */
export interface Backup {
  readonly file: string
  readonly name: string
  /** Time of the copy, in milliseconds since 1970. */
  readonly at: Instant
  readonly bytes: number
  /** Null: no examination has shown yet that the copy is whole. */
  readonly examined: { readonly sha256: string; readonly seq: number } | null
}

const facts = z.object({ sha256: z.string(), seq: z.number().int() })

/** Number of the newest copies that are kept at any age, within the days for which copies are kept. */
const keptNewest = 24

const dayMs = 24 * 3600_000

/**
 * All copies, newest first. The order follows their content, because a clock that was wrong for an hour may have dated
 * one far ahead.
 */
export function listBackups(folder: string): Backup[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.startsWith('desk-') && name.endsWith('.db'))
  return names
    .flatMap((name) => {
      const file = join(folder, name)
      const bytes = statSync(file, { throwIfNoEntry: false })?.size
      return bytes === undefined
        ? []
        : { file, name, at: timeFromName(name) ?? 0, bytes, examined: readFacts(file) }
    })
    .sort((a, b) => (b.examined?.seq ?? 0) - (a.examined?.seq ?? 0) || b.at - a.at)
}

/** Space for the files that SQLite keeps beside a copy, and for rows that are written during the copy. */
const besideBytes = 1024 ** 2

/**
 * Copies the current desk.db, a few pages at a time, and checks whether the copy is whole. A copy that is not whole is
 * removed. If the copy would take too much of the disk, the oldest copies are removed first, but never the newest whole
 * one. `released`: bytes of other files that the caller can remove after the copy; for as many bytes, the copy may use
 * space that large files otherwise leave free. Rejects with SQLite's or the system's error, `store.unavailable`, or
 * `backup.low_disk`.
 */
export async function makeBackup(
  database: Database,
  folder: string,
  at: Instant,
  space: SpaceLimits = standardSpace,
  released = 0,
): Promise<Backup> {
  makeFolder(folder)
  makeRoom(folder, sizeOf(database) + besideBytes, space, released)
  const name = `desk-${timeInName(at)}.db`
  const file = join(folder, name)
  try {
    makePrivateDatabase(file)
    await database.backup(file)
    const found = await careFor({ do: 'examine', file })
    if (!found || found.problem !== null)
      throw new CataloguedError('store.unavailable', { cause: `backup: ${found?.problem ?? 'not examined'}` })
    const examined = { sha256: found.sha256, seq: found.seq }
    await writeDurably(factsFile(file), Buffer.from(JSON.stringify(examined)))
    return { file, name, at, bytes: statSync(file).size, examined }
  } catch (error) {
    removeBackup(file)
    throw error
  }
}

function sizeOf(database: Database): number {
  const pragma = (name: string): number => Number(database.pragma(name, { simple: true }))
  return pragma('page_count') * pragma('page_size')
}

/** Throws CataloguedError `backup.low_disk`; then nothing was removed, because it would not have been enough. */
function makeRoom(folder: string, bytes: number, space: SpaceLimits, released: number): void {
  const backups = listBackups(folder)
  const newest = backups.find((one) => one.examined)
  const removable = backups.filter((one) => one !== newest).toReversed()
  const most = sumOf(removable)
  const onDisk = Math.max(
    missingSpace(space, folder, bytes) - released,
    missingSpace({ ...space, leastFree: 0 }, folder, bytes),
  )
  if (onDisk > most) throw new CataloguedError('backup.low_disk')
  // a large desk.db has two copies at least, even if these take more than the space for all copies
  const inShare = Math.min(most, sumOf(backups) + bytes - space.mostBytes)
  let wanted = Math.max(onDisk, inShare)
  for (const backup of removable) {
    if (wanted <= 0) return
    removeBackup(backup.file)
    wanted -= backup.bytes
  }
}

function sumOf(backups: readonly Backup[]): number {
  return backups.reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Drops the copies that are no longer needed. It keeps the newest copies and one of each day before, but none older
 * than `days` and none dated ahead. It always keeps the newest whole copy.
 */
export function pruneBackups(folder: string, at: Instant, days: number): void {
  const backups = listBackups(folder)
  const newest = backups.find((one) => one.examined)
  const perDay = new Set<number>()
  backups.forEach((backup, index) => {
    const day = Math.floor(backup.at / dayMs)
    const isWanted = index < keptNewest || !perDay.has(day)
    perDay.add(day)
    const isOld = backup.at < at - days * dayMs || backup.at > at + dayMs
    if (backup !== newest && (isOld || !isWanted)) removeBackup(backup.file)
  })
}

function removeBackup(file: string): void {
  for (const ending of ['-wal', '-shm', '-journal', '']) rmSync(file + ending, { force: true })
  rmSync(factsFile(file), { force: true })
}

function factsFile(file: string): string {
  return file.replace(/\.db$/, '.json')
}

function readFacts(file: string): Backup['examined'] {
  try {
    return facts.parse(JSON.parse(readFileSync(factsFile(file), 'utf8')))
  } catch {
    return null
  }
}
