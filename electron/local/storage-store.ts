import { rmSync, statSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { AgeState, AgeStore, Recovery, StorageStore } from '#desk/ports/store.ts'
import { missingSpace, type SpaceLimits } from '#kit/disk-space.ts'
import { emptyLog } from '#kit/open-sqlite.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { limitsOf } from '#shared/domain/keep-limits.ts'
import { folderKey, type ScopeKey } from '#shared/domain/scope.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { removeUnused } from './catalogue/catalogue-disk.ts'
import type { DeskFile } from './desk-database.ts'
import { type DeskPaths, listAside } from './desk-paths.ts'
import { careFor, isSmall } from './file-care.ts'
import { listBackups, makeBackup, pruneBackups } from './journal/backups.ts'
import { dropSegments, listSegments, releaseSegments } from './journal/journal-files.ts'
import { forgetRecovery, readRecovery } from './journal/recovery.ts'
import type { RecentDatabase } from './recent/recent-database.ts'
import { createRecentPurge } from './recent/recent-room.ts'
import { documentsInUse, purgeDesk } from './retention.ts'
import { removeScope } from './scope-removal.ts'
import { createScopeValues } from './scope-values.ts'
import { asCatalogued, guard, systemFailure } from './sqlite-failure.ts'

const dayMs = 24 * 3600_000

/** The key of a stored value that exists from the removal of rows of desk.db until desk.db is rewritten. */
const rewriteKey = 'rewrite'

/** Creates the store that makes backups of desk.db, removes journal files, and deletes old data of the data folder. */
export function createStorageStore(
  desk: DeskFile,
  recent: RecentDatabase,
  scope: ScopeKey,
  space: SpaceLimits,
): StorageStore {
  const { paths, file, journal, damage } = desk
  const vault = join(paths.folder, 'vault')
  const purgeRecent = createRecentPurge(recent)
  const stored = createScopeValues(desk.database, folderKey)
  let isRecentDue = recent.hasLeftovers
  let days = limitsOf(7).backups
  const newestSeq = (): number | null =>
    listBackups(paths.backups).find((one) => one.examined)?.examined?.seq ?? null
  const isLow = (): boolean => missingSpace(space, paths.folder, 0) > 0
  const journalBytes = (): number => listSegments(paths.journal).reduce((sum, { bytes }) => sum + bytes, 0)
  /**
   * If the disk has little free space, or the journal takes more than `space.mostBytes`, removes the oldest journal
   * files that the newest undamaged backup does not need. Older backups may need these files.
   */
  const releaseJournal = (): void => {
    const seq = newestSeq()
    const bytes = Math.max(missingSpace(space, paths.folder, 0), journalBytes() - space.mostBytes)
    if (seq !== null) releaseSegments(paths.journal, journal.position().segment, { seq, bytes })
  }
  const copyDesk = async (at: Instant): Promise<void> => {
    // a copy of a damaged file is useless; the next start restores desk.db
    if (damage.isFound()) throw new CataloguedError('store.damaged')
    try {
      journal.turn()
      await makeBackup(file, paths.backups, at, space, journalBytes())
    } catch (error) {
      throw await failureOfCopy(desk, systemFailure(asCatalogued(error)))
    }
  }
  const backUp = async (at: Instant): Promise<void> => {
    releaseJournal()
    await copyDesk(at)
    dropOld(desk, at, days)
    releaseJournal()
  }
  const backUpIfChanged = async (at: Instant): Promise<void> => {
    if (damage.isFound() || newestSeq() !== journal.position().seq) await backUp(at)
  }
  const rewriteIfDue = async (): Promise<void> => {
    if (damage.isFound() || stored.read(rewriteKey) === null) return
    await rewriteDesk(desk)
    stored.remove(rewriteKey)
  }
  /**
   * Removes the files of an interrupted rewrite of recent.db and rewrites it. If the disk has too little space or the
   * rewrite was not possible, the next purge repeats it. Rejects with the system's error if a file cannot be removed.
   */
  const rewriteRecent = async (): Promise<void> => {
    recent.removeLeftovers()
    const { size } = statSync(join(paths.folder, 'recent.db'))
    if (missingSpace(space, paths.folder, size) === 0) isRecentDue = !(await recent.rewrite())
  }
  return {
    async facts() {
      const [documents, segments] = await Promise.all([measureFolder(vault), measureFolder(paths.journal)])
      return {
        backups: listBackups(paths.backups).map(({ name, at, bytes }) => ({ name, at, bytes })),
        journalBytes: segments.bytes,
        documents: documents.files,
        documentBytes: documents.bytes,
        recovery: recoveryOf(paths),
      }
    },
    backUp: catalogued(backUp),
    backUpIfChanged: catalogued(backUpIfChanged),
    purge: catalogued(async (at, keepDays) => {
      const limits = limitsOf(keepDays)
      days = limits.backups
      const before = at - limits.desk * dayMs
      if (isRecentDue) tryToRemoveLeftovers(recent)
      // If the disk has little free space, a backup is made before the purge, because the purge also writes to the
      // journal. The backup makes it possible to remove journal files.
      if (isLow()) await backUpIfChanged(at).catch(ignoreLowDisk)
      const { rows: inDesk, kept } = await purgeDesk(desk.database, paths.folder, {
        before,
        latest: at + dayMs,
      })
      const inRecent = await purgeRecent(at, before)
      // old files are removed before the rewrites and the backup at the end of the purge, because these need the space
      const used = documentsInUse(file)
      // a PDF that was written in the last 24 hours stays, because the label that will refer to it may not be stored
      // yet
      await removeOldFiles(vault, at - dayMs, (name) => used.has(name.replace(/\.pdf$/, '')))
      await removeOldFiles(paths.folder, before, (name) => !name.startsWith('recent.damaged'))
      removeUnused(paths.folder, scope, before)
      for (const aside of listAside(paths)) if (aside.at < at - keepDays * dayMs) rmSync(aside.file)
      dropOld(desk, at, days)
      if (inDesk > 0) stored.write(rewriteKey, 'due')
      // SQLite refuses writes during a rewrite, so a large desk.db is rewritten only when the desk closes
      if (isSmall(paths.database)) await rewriteIfDue()
      await careFor({ do: 'flush', file: paths.database })
      emptyLog(file)
      await backUpIfChanged(at)
      dropOld(desk, at, days)
      isRecentDue ||= inRecent > 0
      if (isRecentDue) await rewriteRecent()
      return kept
    }),
    rewriteIfDue: catalogued(rewriteIfDue),
    removeScope: catalogued(async (other, keptValue?: string) => {
      recent.removeDamaged()
      return removeScope(desk.database, { dataDir: paths.folder, vault }, other, keptValue)
    }),
    recoveryRead: catalogued(() => forgetRecovery(paths)),
    onDamage: damage.onFound,
    age: createAgeStore(desk.database),
  }
}

/**
 * Creates the store for the state of the clock that measures the age of records. All scopes of the data folder share
 * this state.
 */
function createAgeStore(database: Database): AgeStore {
  const stored = createScopeValues(database, folderKey)
  const number = (key: string): number | null => {
    const value = stored.read(key)
    return value === null ? null : Number(value)
  }
  const write = database.transaction(({ reached, doubt }: AgeState) => {
    const wanted = { 'age.reached': reached, 'age.doubt_at': doubt?.at, 'age.doubt_ms': doubt?.passedMs }
    for (const [key, value] of Object.entries(wanted)) {
      const text = typeof value === 'number' ? String(value) : null
      // a value that has not changed is not written again, because each write takes space in the journal
      if (text === stored.read(key)) continue
      if (text === null) stored.remove(key)
      else stored.write(key, text)
    }
  })
  return {
    read() {
      const at = number('age.doubt_at')
      const doubt = at === null ? null : { at, passedMs: number('age.doubt_ms') ?? 0 }
      return { reached: number('age.reached'), doubt }
    },
    write: guard((state) => write.immediate(state)),
  }
}

function recoveryOf(paths: DeskPaths): Recovery | null {
  const note = readRecovery(paths)
  if (!note) return null
  const { at, backupAt, replayed, putAside, wholeSince } = note
  return { at, backupAt, replayed, putAside, wholeSince }
}

/**
 * Ignores `backup.low_disk`, so that the purge can free space. If the disk is still full at the end of the purge, the
 * backup there fails with the same error.
 */
function ignoreLowDisk(error: unknown): void {
  if (!(error instanceof CataloguedError && error.failure.code === 'backup.low_disk')) throw error
}

/**
 * Removes the files of an interrupted rewrite of recent.db before the purge, whose backups may need their space.
 * Ignores errors, so that the purge removes old rows; `rewriteRecent` repeats the removal and reports its error.
 */
function tryToRemoveLeftovers(recent: RecentDatabase): void {
  try {
    recent.removeLeftovers()
  } catch {
    // `rewriteRecent` reports it
  }
}

/**
 * Returns the error as which a failed copy of desk.db is reported. Checks desk.db, because a damaged copy may be a copy
 * of a damaged file, and marks desk.db if it is damaged. `cause`: the error of the copy.
 */
async function failureOfCopy({ paths, damage }: DeskFile, cause: unknown): Promise<unknown> {
  const code = cause instanceof CataloguedError ? cause.failure.code : null
  if (code === 'backup.low_disk' || code === 'session.signed_out') return cause
  if (code === 'store.full') return new CataloguedError('backup.low_disk', {}, { cause })
  const problem = await careFor({ do: 'check', file: paths.database })
  if (problem === null) return cause
  damage.found()
  return new CataloguedError('store.damaged', { cause: problem }, { cause })
}

/** Rewrites desk.db, which reads the whole file, so it may be the first to find a damage. */
async function rewriteDesk(desk: DeskFile): Promise<void> {
  try {
    await careFor({ do: 'rewrite', file: desk.paths.database })
  } catch (error) {
    throw await failureOfCopy(desk, asCatalogued(error))
  }
}

/** Removes old backups, and the journal files that no remaining backup needs. */
function dropOld({ paths, journal }: DeskFile, at: Instant, days: number): void {
  pruneBackups(paths.backups, at, days)
  const whole = listBackups(paths.backups).filter((one) => one.examined)
  const newest = whole[0]?.examined?.seq
  const oldest = whole.at(-1)?.examined?.seq
  if (newest === undefined || oldest === undefined) return
  // with only one backup, all journal files of the last `days` days stay, because desk.db can also be restored from the
  // complete journal alone
  const seq = whole.length > 1 ? oldest : 0
  dropSegments(paths.journal, journal.position().segment, { seq, oldSeq: newest, before: at - days * dayMs })
}

function catalogued<A extends unknown[], R>(action: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await action(...args)
    } catch (error) {
      throw systemFailure(asCatalogued(error))
    }
  }
}

/**
 * Removes files of a folder that were last written before `before`. Files for whose names `isWanted` returns true stay.
 */
async function removeOldFiles(
  folder: string,
  before: Instant,
  isWanted: (name: string) => boolean,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (isWanted(name)) continue
    const file = join(folder, name)
    const found = await stat(file).catch(() => null)
    if (found?.isFile() && found.mtimeMs < before) await rm(file, { force: true })
  }
}

/** Returns the number of files in a folder and their size in bytes. */
async function measureFolder(folder: string): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0]
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (!found?.isFile()) continue
    files++
    bytes += found.size
  }
  return { files, bytes }
}
