import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Database, SqliteError } from 'better-sqlite3'
import { z } from 'zod'
import type { Recovery } from '#desk/ports/store.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { syncFolder, writeNow } from '#kit/durable-files.ts'
import { type Backup, listBackups } from './backups.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { creationsOf, subjectKinds } from '#shared/writes/write-kinds.ts'
import { asideName, type DeskPaths } from '../desk-paths.ts'
import { failureToColumn } from '../failure-column.ts'
import { isCorrupt, isUnreadable } from '../sqlite-failure.ts'
import { sumOfReadable } from './desk-seal.ts'
import { type JournalHistory, listSegments, readJournal } from './journal-files.ts'
import { replay, ReplayMismatch } from './journal-replay.ts'
import { preparePosition } from './journal.ts'

/**
 * Thrown if the content of desk.db is not the content that Scandesk wrote. `isSound`: whether SQLite can still work
 * with the file.
 */
export class DamagedDatabase extends Error {
  readonly isSound: boolean
  constructor(message: string, isSound: boolean) {
    super(message)
    this.isSound = isSound
  }
}

/** Whether a backup or a journal exists from which desk.db can be restored. */
export function hasHistory(paths: DeskPaths): boolean {
  return listBackups(paths.backups).length > 0 || listSegments(paths.journal).some(({ bytes }) => bytes > 0)
}

interface Rebuilt {
  readonly backupAt: Instant | null
  readonly replayed: number
  readonly seq: number
  /** Null if the result contains all transactions; otherwise the time after which transactions are missing. */
  readonly wholeUntil: Instant | null
}

/**
 * Puts a damaged desk.db aside and rebuilds it from a base and the journal. The base is the newest backup to which the
 * journal can add all later transactions, or an empty database. If the journal is incomplete for every base, the base
 * that results in the most transactions is used. In this case, if SQLite can still work with the damaged desk.db, that
 * file is better than the result and stays unchanged.
 */
export function recover(paths: DeskPaths, damage: DamagedDatabase, at: Instant): void {
  const making = join(paths.folder, 'desk.restoring.db')
  const best = rebuildBest(paths, making)
  if (damage.isSound && best.wholeUntil !== null) {
    removeFiles(making)
    return
  }
  const putAside = existsSync(paths.database) ? freeName(paths, at) : ''
  const { backupAt, replayed, wholeUntil } = best
  const isSettled = wholeUntil === null
  writeRecovery(paths, { at, backupAt, replayed, putAside, wholeSince: wholeUntil, isSettled })
  if (putAside !== '') moveFiles(paths.database, join(paths.folder, putAside))
  renameSync(making, paths.database)
  rmSync(paths.seal, { force: true })
  rmSync(paths.suspect, { force: true })
  syncFolder(paths.folder)
}

function freeName(paths: DeskPaths, at: Instant): string {
  for (let moment = at; ; moment++)
    if (!existsSync(join(paths.folder, asideName(moment)))) return asideName(moment)
}

/** Rebuilds desk.db in the file `making`, so that it contains as many of the stored transactions as possible. */
function rebuildBest(paths: DeskPaths, making: string): Rebuilt {
  const history = readJournal(paths.journal)
  const hasJournal = existsSync(paths.journal)
  const backups = listBackups(paths.backups)
  // the order of the attempts: first the backups that were checked and have not changed since then, then an empty
  // database, then the other backups
  const bases: (Backup | null)[] = [...backups.filter(isAsExamined), null]
  bases.push(...backups.filter((backup) => !bases.includes(backup)))
  let best: { readonly base: Backup | null; readonly rebuilt: Rebuilt } | null = null
  let made: Backup | null = null
  for (const base of bases) {
    const rebuilt = rebuild(making, base, history, hasJournal)
    made = base
    if (!rebuilt) continue
    if (!best || rebuilt.seq > best.rebuilt.seq) best = { base, rebuilt }
    if (rebuilt.wholeUntil === null) break
  }
  if (!best) throw new Error('an empty desk.db cannot be created either')
  if (made !== best.base) rebuild(making, best.base, history, hasJournal)
  return best.rebuilt
}

function isAsExamined(backup: Backup): boolean {
  return backup.examined !== null && sumOfReadable(backup.file) === backup.examined.sha256
}

/**
 * Rebuilds desk.db in the file `making` from the backup `base` (null: from an empty database) and the later
 * transactions of the journal. Returns null if the backup is damaged or the journal does not fit it.
 */
function rebuild(
  making: string,
  base: Backup | null,
  history: JournalHistory,
  hasJournal: boolean,
): Rebuilt | null {
  removeFiles(making)
  let database: Database | null = null
  try {
    if (base) copyFileSync(base.file, making)
    database = openSqlite(making, 'precious')
    if (database.pragma('integrity_check(1)', { simple: true }) !== 'ok') return null
    const rebuilt = lead(database, base, history, hasJournal)
    // without its log the database is one file, so that a rename moves all of it
    database.pragma('journal_mode = DELETE')
    return rebuilt
  } catch (error) {
    if (isOfTheFile(error)) return null
    throw error
  } finally {
    database?.close()
  }
}

/**
 * Whether the content of the file, or a part of it that cannot be read, causes the error. A failed write or a full disk
 * also causes errors, but they do not show that the file is damaged.
 */
function isOfTheFile(error: unknown): boolean {
  if (error instanceof ReplayMismatch || isCorrupt(error) || isUnreadable(error)) return true
  return error instanceof SqliteError && /^SQLITE_(ERROR|CONSTRAINT|MISMATCH)/.test(error.code)
}

function lead(
  database: Database,
  base: Backup | null,
  history: JournalHistory,
  hasJournal: boolean,
): Rebuilt {
  const place = preparePosition(database)
  const chain = history.after(place.position().sum)
  const run = database.transaction(() => {
    replay(database, chain, history)
    const reached = place.position()
    // the next transactions go to a new file, so that no line is added to a file that may be damaged
    if (reached.seq > 0) place.set({ ...reached, segment: reached.seq + 1 })
  })
  run.immediate()
  const { seq, sum } = place.position()
  // If the journal has no lines, the result is complete if it was rebuilt from a backup and the journal's folder
  // exists: after a backup the journal's files may all have been removed.
  const isWhole = history.last ? history.last.sum === sum : base !== null && hasJournal
  return {
    backupAt: base?.at ?? null,
    replayed: chain.length,
    seq,
    wholeUntil: isWhole ? null : (chain.at(-1)?.group.at ?? base?.at ?? 0),
  }
}

function moveFiles(from: string, to: string): void {
  // moves the log first: after an interruption, a database without its log must not be at the new place
  if (existsSync(`${from}-wal`)) renameSync(`${from}-wal`, `${to}-wal`)
  rmSync(`${from}-shm`, { force: true })
  renameSync(from, to)
}

function removeFiles(file: string): void {
  for (const ending of ['-wal', '-shm', '-journal', '']) rmSync(file + ending, { force: true })
}

const note = z.object({
  at: z.number(),
  backupAt: z.number().nullable(),
  replayed: z.number().int(),
  putAside: z.string(),
  wholeSince: z.number().nullable(),
  /** Whether `doubtRestored` has run, or is not needed because no transaction is missing. */
  isSettled: z.boolean(),
})
type RecoveryNote = z.infer<typeof note>

/**
 * Returns the report of a recovery that the operator has not read yet; null if there is none, or if it cannot be read.
 * The report is stored beside desk.db, because desk.db may have to be restored again.
 */
export function readRecovery({ recovery }: DeskPaths): RecoveryNote | null {
  try {
    return note.parse(JSON.parse(readFileSync(recovery, 'utf8')))
  } catch {
    return null
  }
}

export function writeRecovery(
  { recovery }: DeskPaths,
  what: Recovery & Pick<RecoveryNote, 'isSettled'>,
): void {
  writeNow(recovery, JSON.stringify(what))
}

export async function forgetRecovery({ recovery, folder }: DeskPaths): Promise<void> {
  await rm(recovery, { force: true })
  syncFolder(folder)
}

/**
 * Maximum time in milliseconds by which this machine's clock may be ahead of the service's clock. For a command without
 * a stored time of its first attempt, the search for its result includes records that are up to this much older than
 * the command.
 */
const dayMs = 24 * 3600_000

/**
 * Marks commands and prints whose state may have changed after the restored state of desk.db: waiting commands may have
 * been sent, and waiting prints may have been printed. Each waiting command that creates something at the service
 * becomes `unknown`, so that the desk searches for its result before it sends the command again. Prints that are
 * queued, sending or refused also become `unknown` and wait for the operator. Waiting changes, requests and
 * cancellations keep their state, because they have the same result when they are sent twice.
 */
export function doubtRestored(database: Database, at: Instant): void {
  const run = database.transaction(() => {
    for (const kind of subjectKinds) {
      const why = failureToColumn(failure(`${kind}.outcome_unknown`, { cause: 'restored' }))
      const which = `state = 'queued' AND subject_kind = @kind
        AND type IN (SELECT value FROM json_each(@creations))`
      const creations = JSON.stringify(creationsOf(kind))
      database
        .prepare(
          `INSERT INTO history (subject_id, at, from_state, to_state, failure)
             SELECT id, @at, state, 'unknown', @why FROM commands WHERE ${which} ORDER BY seq`,
        )
        .run({ at, why, kind, creations })
      database
        .prepare(
          `UPDATE commands SET state = 'unknown', state_at = @at, ended_at = @at, failure = @why,
             first_sent_at = COALESCE(first_sent_at, created_at - ${dayMs}) WHERE ${which}`,
        )
        .run({ at, why, kind, creations })
    }
    const why = failureToColumn(failure('printer.outcome_unknown', { cause: 'restored' }))
    database
      .prepare(
        `UPDATE print_jobs SET state = 'unknown', state_at = @at, failure = @why WHERE state IN ('queued', 'sending', 'refused')`,
      )
      .run({ at, why })
  })
  run.immediate()
}
