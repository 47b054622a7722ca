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

/** A copy of desk.db, and the result of its check. */
export interface Backup {
  readonly file: string
  readonly name: string
  /** Time of the copy, in milliseconds since 1970. */
  readonly at: Instant
  readonly bytes: number
  /**
   * The checksum of the copy and the number of its last transaction. Set after a check has shown that the copy is
   * undamaged; null before.
   */
  readonly examined: { readonly sha256: string; readonly seq: number } | null
}

const facts = z.object({ sha256: z.string(), seq: z.number().int() })

/** Number of newest copies that `pruneBackups` keeps, except copies that are too old or dated in the future. */
const keptNewest = 24

const dayMs = 24 * 3600_000

/**
 * Returns all copies, newest first. The copy with the most transactions counts as the newest, because the date of a
 * copy may be wrong if the clock was wrong.
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

/** Bytes for the files that SQLite keeps beside a copy, and for rows that are written during the copy. */
const besideBytes = 1024 ** 2

/**
 * Copies the current desk.db, a few pages at a time, and checks the copy. Removes the copy if it is damaged. If all
 * copies together would take too much of the disk, first removes the oldest copies, but never the newest undamaged
 * copy. `released`: bytes of other files that the caller can remove after the copy; the copy may use this many bytes of
 * the space that large files must otherwise leave free. Rejects with SQLite's or the system's error,
 * `store.unavailable`, or `backup.low_disk`.
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

/**
 * Removes old copies until the new copy has enough space. If the removal of all old copies would not be enough, removes
 * nothing and throws CataloguedError `backup.low_disk`.
 */
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
  // the newest undamaged copy is never removed before the new one is made, so a large desk.db has two copies, even if
  // both together exceed the size limit for all copies
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
 * Removes the copies that are no longer needed. Keeps the newest copies and one copy of each earlier day, but no copy
 * that is older than `days` or dated more than a day in the future. Always keeps the newest undamaged copy.
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
