import { existsSync, writeFileSync } from 'node:fs'
import { type Database, SqliteError } from 'better-sqlite3'
import { standardSpace } from '#kit/disk-space.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { privateFile } from '#kit/private-files.ts'
import { makeFolder } from '#kit/durable-files.ts'
import { listBackups, makeBackup } from './journal/backups.ts'
import { deskMigrations } from './desk-schema.ts'
import { type DeskPaths, deskPaths } from './desk-paths.ts'
import { breakSeal, readSeal, sealDatabase, type SealVerdict } from './journal/desk-seal.ts'
import { type Journal, openJournal, readPosition } from './journal/journal.ts'
import { ReplayMismatch, replay } from './journal/journal-replay.ts'
import { journaledDatabase } from './journal/journaled-database.ts'
import { migrate, refuseUnknown, schemaVersion } from './migrate.ts'
import {
  DamagedDatabase,
  hasHistory,
  recover,
  readRecovery,
  writeRecovery,
  doubtRestored,
} from './journal/recovery.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { subjectKinds } from '#shared/writes/write-kinds.ts'
import { asCatalogued, isCorrupt, systemFailure } from './sqlite-failure.ts'

/** An open desk.db that is undamaged or was restored. */
export interface DeskFile {
  readonly paths: DeskPaths
  /** The database for the stores: every write to it also goes to the journal. */
  readonly database: Database
  /** The same file without the journal, for backups and for writes that must not be in the journal. */
  readonly file: Database
  readonly journal: Journal
  readonly damage: Damage
}

/** Whether desk.db was found damaged while it is open. The next start then restores it. */
interface Damage {
  /**
   * The listener is called once, after the statement that has found the damage; soon, if the damage is known already.
   */
  readonly onFound: (listener: () => void) => void
  isFound(): boolean
  /** Marks desk.db as damaged. It gets no seal when it is closed, and the next start restores it. */
  found(): void
}

/**
 * Opens desk.db with synchronous=FULL. Repeats the transactions that are in the journal but not in desk.db. A damaged
 * file is put aside, never deleted, and rebuilt from backups and journal. Throws CataloguedError: `store.unavailable`
 * if the disk fails, and `store.full` if the disk has no space. Throws `store.other_version` if the schema or a kind of
 * write is of another version; in this case the file stays unchanged.
 */
export async function openDeskFile(dataDir: string, now: () => Instant = Date.now): Promise<DeskFile> {
  const paths = deskPaths(dataDir)
  try {
    makeFolder(dataDir)
    try {
      return await openWhole(paths, now, false)
    } catch (error) {
      const damage = asDamage(error)
      if (!damage) throw error
      recover(paths, damage, now())
      return await openWhole(paths, now, true)
    }
  } catch (error) {
    throw systemFailure(asCatalogued(error))
  }
}

/** Opens desk.db as `openDeskFile` does and returns only the database for the stores. */
export async function openDeskDatabase(dataDir: string): Promise<Database> {
  return (await openDeskFile(dataDir)).database
}

function asDamage(error: unknown): DamagedDatabase | null {
  if (error instanceof DamagedDatabase) return error
  return isCorrupt(error) ? new DamagedDatabase('SQLite cannot read it', false) : null
}

/**
 * Opens desk.db and checks it. With `isTrusted`, accepts any file with which SQLite can work, because no better file
 * can be created.
 */
async function openWhole(paths: DeskPaths, now: () => Instant, isTrusted: boolean): Promise<DeskFile> {
  if (!isTrusted) findLoss(paths)
  const verdict = isTrusted ? ({ kind: 'open' } as const) : readSeal(paths)
  const file = openSqlite(paths.database, 'precious')
  try {
    // the file is checked before its version is used, because a damaged header may contain any version
    if (schemaVersion(file) > deskMigrations.length && isSound(file)) refuseUnknown(file, deskMigrations)
    breakSeal(paths)
    file.transaction(() => examine(file, verdict))()
    file.pragma('secure_delete = ON')
    const journal = openJournal(paths.journal, file, now)
    catchUp(paths, file, journal, verdict, isTrusted)
    await migrateDesk(paths, file, journal, now)
    refuseUnknownKinds(file)
    if (isTrusted) goOn(file, journal)
    const damage = createDamage(paths)
    const database = watched(paths, file, journal, damage)
    const recovery = readRecovery(paths)
    if (recovery?.isSettled === false) {
      doubtRestored(database, now())
      writeRecovery(paths, { ...recovery, isSettled: true })
    }
    return { paths, file, journal, database, damage }
  } catch (error) {
    file.close()
    throw error
  }
}

/**
 * Refuses a file that contains a kind of write that this version of Scandesk cannot handle. A newer version can add a
 * kind of write without a migration, because the schema accepts any kind. Therefore the version of the schema does not
 * show a new kind. Throws CataloguedError `store.other_version`.
 */
function refuseUnknownKinds(file: Database): void {
  const [kind] = file
    .prepare<{ kinds: string }, string>(
      `SELECT subject_kind FROM commands WHERE subject_kind NOT IN (SELECT value FROM json_each(@kinds))
       UNION ALL SELECT subject_kind FROM notices WHERE subject_kind NOT IN (SELECT value FROM json_each(@kinds)) LIMIT 1`,
    )
    .pluck()
    .all({ kinds: JSON.stringify(subjectKinds) })
  if (kind !== undefined) throw new CataloguedError('store.other_version', { kind })
}

function findLoss(paths: DeskPaths): void {
  if (existsSync(paths.suspect)) throw new DamagedDatabase('it was found damaged', false)
  if (!existsSync(paths.database) && hasHistory(paths)) throw new DamagedDatabase('it is gone', false)
}

function isSound(file: Database): boolean {
  return file.pragma('integrity_check(1)', { simple: true }) === 'ok'
}

/**
 * Checks the file, unless its seal shows that it is unchanged. Throws DamagedDatabase if SQLite finds it damaged, if it
 * is not a desk.db, or if another program changed it after it was closed.
 */
function examine(file: Database, verdict: SealVerdict): void {
  if (verdict.kind === 'intact') return
  if (!isSound(file)) throw new DamagedDatabase('SQLite finds it damaged', false)
  const isEmpty = file.prepare('SELECT 1 FROM sqlite_master').get() === undefined
  const isOurs = file.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'commands'`).get() !== undefined
  if (schemaVersion(file) > 0 ? !isOurs : !isEmpty)
    throw new DamagedDatabase('another program made it', false)
  if (verdict.kind === 'changed' && verdict.position === readPosition(file).sum)
    throw new DamagedDatabase('it was changed after it was closed', true)
}

/**
 * Repeats the transactions that are in the journal but not in desk.db. If desk.db does not belong to the journal, or if
 * committed transactions are missing, throws DamagedDatabase. With `isTrusted` it never throws DamagedDatabase: it
 * repeats nothing if the journal does not fit desk.db.
 */
function catchUp(
  paths: DeskPaths,
  file: Database,
  journal: Journal,
  verdict: SealVerdict,
  isTrusted: boolean,
): void {
  // takes the write lock: another process may have written a transaction to the journal and not committed it yet
  const run = file.transaction(() => {
    const { desk, seq, sum } = journal.position()
    const history = journal.read(seq)
    const { last } = history
    // a backup may contain transactions that are no longer in the journal, so desk.db is also compared with the newest
    // backup
    if ((newestBackup(paths)?.seq ?? 0) > Math.max(seq, last?.group.seq ?? 0))
      throw new DamagedDatabase('a backup is newer', seq > 0)
    if (!last || last.sum === sum) return
    const chain = history.after(sum)
    if (chain.length === 0 || (desk !== '' && last.group.desk !== desk)) {
      // Accepts desk.db if it has more transactions than the journal, because the end of the journal may be damaged.
      // The next backup contains these transactions.
      if (last.group.desk === desk && last.group.seq < seq) return
      throw new DamagedDatabase('it is not the one of the journal', true)
    }
    // desk.db may lack only one transaction: the one that was being committed when the program ended. A file that lacks
    // more has lost committed transactions
    if (chain.length > 1 && verdict.kind !== 'intact' && !isTrusted)
      throw new DamagedDatabase('transactions are missing', true)
    replay(file, chain, history)
  })
  try {
    run.immediate()
  } catch (error) {
    const isMisfit = error instanceof ReplayMismatch || isConstraint(error)
    const damage = isMisfit ? new DamagedDatabase('the journal does not fit', true) : error
    if (!(damage instanceof DamagedDatabase && isTrusted)) throw damage
  }
}

function newestBackup({ backups }: DeskPaths): { readonly seq: number } | null {
  return listBackups(backups).find((one) => one.examined)?.examined ?? null
}

/**
 * Makes the journal continue from this desk.db, even if the last line of the journal is not the last transaction of
 * this desk.db.
 */
function goOn(file: Database, journal: Journal): void {
  const run = file.transaction(() => {
    const { last } = journal.read()
    if (last && last.sum !== journal.position().sum) journal.write([])
  })
  run.immediate()
}

function isConstraint(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')
}

async function migrateDesk(
  paths: DeskPaths,
  file: Database,
  journal: Journal,
  now: () => Instant,
): Promise<void> {
  const backUp = async (): Promise<void> => {
    // the copy may use all free space of the disk, because without the copy neither the update nor the desk could start
    await makeBackup(file, paths.backups, now(), { ...standardSpace, leastFree: 0 })
  }
  try {
    await migrate(file, deskMigrations, backUp, (from, to) => journal.write([], [from, to]))
  } catch (error) {
    journal.takeBack()
    throw error
  }
}

function createDamage(paths: DeskPaths): Damage {
  let isFound = false
  const listeners: (() => void)[] = []
  return {
    isFound: () => isFound,
    onFound: (listener) => {
      if (isFound) queueMicrotask(listener)
      else listeners.push(listener)
    },
    found() {
      if (!isFound) for (const listener of listeners) queueMicrotask(listener)
      isFound = true
      try {
        writeFileSync(paths.suspect, '', { mode: privateFile })
      } catch {
        // if this file, which marks the damage, cannot be written, the next start must find the damage by its checks
      }
    },
  }
}

function watched(paths: DeskPaths, file: Database, journal: Journal, damage: Damage): Database {
  let position = ''
  return journaledDatabase(file, journal, {
    onDamage: () => damage.found(),
    onClosing: () => (position = journal.position().sum),
    onClosed() {
      if (!damage.isFound()) sealDatabase(paths, position)
    },
  })
}
