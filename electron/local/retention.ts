import { rmSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { type SubjectKind, subjectKinds } from '#shared/writes/write-kinds.ts'
import { retentions } from './ledgers.ts'

/**
 * SQL condition: the command was refused, and a newer command of the same type for the same subject has replaced it.
 * The operator is no longer asked about such a command.
 */
const isSuperseded = `c.state = 'rejected' AND EXISTS (SELECT 1 FROM commands n WHERE n.subject_kind = c.subject_kind
      AND n.subject_id = c.subject_id AND n.type = c.type AND n.seq > c.seq)`

/** The times with which the purge decides which rows are old. They are the parameters of its SQL. */
export interface PurgeTimes {
  /** Rows that were last changed before this time are old. */
  readonly before: Instant
  /** Times of rows that are later than this are wrong and are ignored. */
  readonly latest: Instant
}

/**
 * Returns SQL that selects the removable records of a kind, such as return labels: all their commands are finished, and
 * all their notices are read. `first_sent_at` is a time of the service. If the PC clock was behind, the other times of
 * a command are wrong and only `first_sent_at` is right. A `first_sent_at` in the future is ignored; otherwise the
 * record would stay too long.
 */
function finishedOf(kind: SubjectKind): string {
  return `SELECT s.id FROM (${retentions[kind].finished}) s
  WHERE NOT EXISTS (SELECT 1 FROM commands c WHERE c.subject_kind = '${kind}' AND c.subject_id = s.id
    AND (c.state_at >= @before OR c.first_sent_at BETWEEN @before AND @latest
      OR NOT (c.state IN ('done', 'discarded') OR ${isSuperseded})))
  AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.subject_kind = '${kind}' AND n.subject_id = s.id
    AND n.dismissed_at IS NULL)`
}

/**
 * SQL condition for scans that are old: their time is before `@before`. Such a scan still does not count as old if a
 * scan that was stored before it has a time from `@before` to `@latest`: the time of the later scan is then too early,
 * because the PC clock was behind.
 */
const isOldScan = `at < @before
  AND seq < coalesce((SELECT min(seq) FROM scans WHERE at BETWEEN @before AND @latest), seq + 1)`

/**
 * Removes finished rows of desk.db that were last changed before `times.before`. Also removes the print files in
 * `dataDir` that belong to these rows. The purge includes the rows of all scopes, because the maximum age of records
 * applies to the whole PC. Each transaction removes a limited number of rows; the event loop runs between two
 * transactions, so that scans continue. One transaction removes all rows of a label or booking. If the program ends
 * between two transactions, the next purge continues. If the files of a label cannot be deleted, its rows stay; all
 * other labels are removed. Resolves to the number of removed rows and, if labels stayed, the failure
 * `purge.files_kept` with the number of these labels and the cause of one of them.
 */
export async function purgeDesk(database: Database, dataDir: string, times: PurgeTimes): Promise<Purged> {
  const papers = await findPapers(database, dataDir, finishedOf('return_label'), { ...times })
  const pieces = [
    oldRows(database, 'scans', isOldScan),
    ...subjectKinds.map((kind) => oldSubjects(database, kind, kind === 'return_label' ? papers : null)),
    oldRows(database, 'notices', 'at < @before AND dismissed_at IS NOT NULL'),
    oldRows(
      database,
      'decisions',
      'at < @before AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = command_id)',
    ),
    oldChoices(database),
    oldSettings(database),
    oldBookingDrafts(database),
    oldRows(
      database,
      'history',
      `at < @before AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = subject_id)
       AND NOT EXISTS (SELECT 1 FROM print_jobs p WHERE p.id = subject_id)`,
    ),
  ]
  let rows = 0
  for (const piece of pieces)
    for (let gone = piece(times); gone > 0; gone = piece(times)) {
      rows += gone
      await setImmediate()
    }
  const labels = papers?.kept.size ?? 0
  const cause = [...(papers?.kept.values() ?? [])].at(-1) ?? ''
  return { rows: rows - labels, kept: labels > 0 ? failure('purge.files_kept', { labels, cause }) : null }
}

interface Purged {
  readonly rows: number
  readonly kept: Failure | null
}

/**
 * Removes some of the old rows in one transaction. Returns the sum of the removed rows and of the labels that stay
 * because their files could not be removed, or because a later transaction removes the rest of their many files. 0: no
 * old row is left that can be removed.
 */
type Piece = (times: PurgeTimes) => number

/**
 * Maximum number of rows, and of labels or bookings, that one transaction removes, which takes some milliseconds. The
 * last label or booking may exceed the number of rows, because all its rows are removed together.
 */
export const rowsAtOnce = 500
export const subjectsAtOnce = 100
/** Number of print jobs or files that one step reads, and of files of a label that one step removes. */
const filesAtOnce = 500

/**
 * Returns the step of the purge for a table to which no other table refers. Each transaction removes the oldest rows.
 * It reads the rows from the oldest on and stops when it has found `rowsAtOnce` rows to remove. If there are fewer, it
 * reads all rows.
 */
function oldRows(
  database: Database,
  table: 'scans' | 'notices' | 'decisions' | 'history',
  which: string,
): Piece {
  const remove = database.prepare<PurgeTimes>(
    `DELETE FROM ${table} WHERE seq IN (SELECT seq FROM ${table} WHERE ${which} ORDER BY seq LIMIT ${rowsAtOnce})`,
  )
  return (times) => remove.run(times).changes
}

/** Removes each choice for ambiguous scans that was last used before `before`. */
function oldChoices(database: Database): Piece {
  const key = 'scope, reach, code, expect'
  const remove = database.prepare<PurgeTimes>(
    `DELETE FROM scan_choices WHERE (${key}) IN (SELECT ${key} FROM scan_choices WHERE used_at < @before
       ORDER BY used_at, ${key} LIMIT ${rowsAtOnce})`,
  )
  return (times) => remove.run(times).changes
}

/**
 * Removes old unfinished labels, which operators were typing, from the table `settings`. Only the rows of unfinished
 * labels have a time. Each scope has at most one unfinished label.
 */
function oldSettings(database: Database): Piece {
  const remove = database.prepare<PurgeTimes>('DELETE FROM settings WHERE at < @before')
  return (times) => remove.run(times).changes
}

/**
 * Removes each unfinished booking that was last changed before `before`, together with its earlier states, to which an
 * undo could return.
 */
function oldBookingDrafts(database: Database): Piece {
  const remove = database.prepare<PurgeTimes>(
    `DELETE FROM modification_draft WHERE scope IN
       (SELECT scope FROM modification_draft GROUP BY scope HAVING max(at) < @before)`,
  )
  return (times) => remove.run(times).changes
}

function oldSubjects(database: Database, kind: SubjectKind, papers: Papers | null): Piece {
  const some = database
    .prepare<PurgeTimes & { kept: string }, string>(
      `${finishedOf(kind)} AND s.id NOT IN (SELECT value FROM json_each(@kept)) LIMIT ${subjectsAtOnce}`,
    )
    .pluck()
  const remove = createSubjectRemoval(database, kind)
  const piece = database.transaction((times: PurgeTimes) => {
    let [rows, files] = [0, 0]
    for (const id of some.all({ ...times, kept: JSON.stringify([...(papers?.kept.keys() ?? [])]) })) {
      if (rows + files >= rowsAtOnce) break
      // files are removed before the rows that name them, because otherwise a file without a row could stay for ever
      const removed = papers?.remove(id) ?? noPapers
      files += removed.files
      if (removed.left === 'none') rows += remove(id)
      else rows++
    }
    return rows
  })
  return (times) => piece.immediate(times)
}

/**
 * Returns the function that removes a label or a booking with its parts and commands, and returns the number of removed
 * rows. The caller runs this function in a transaction.
 */
export function createSubjectRemoval(database: Database, kind: SubjectKind): (id: string) => number {
  const { parts, table } = retentions[kind]
  const removes = [
    ...parts.map((part) => `DELETE FROM ${part.table} WHERE ${part.which('@id')}`),
    `DELETE FROM commands WHERE subject_kind = '${kind}' AND subject_id = @id`,
    ...(table === null ? [] : [`DELETE FROM ${table} WHERE id = @id`]),
  ].map((sql) => database.prepare<{ id: string }>(sql))
  return (id) => removes.reduce((rows, remove) => rows + remove.run({ id }).changes, 0)
}

/**
 * Finds the id of the print job in the name of a file of the folder printer, also of a temporary file. Other UUIDs,
 * such as one in the reference of the label, are not ids of print jobs.
 */
const jobIdIn =
  /([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?:-reprint)?(?:-\d+)?\.(?:pdf|png)(?:\.[0-9a-f-]{36}\.tmp)?$/

export interface Papers {
  /** Removes files of a label's print jobs. If a label has very many files, each call removes only some of them. */
  remove(labelId: string): RemovedPapers
  /** The labels with files that could not be removed, each with the error code of the file system. */
  readonly kept: ReadonlyMap<string, string>
}

interface RemovedPapers {
  /** Number of files that this call removed or tried to remove. */
  readonly files: number
  /** none: no file is left. some: the next call removes more files. kept: a file could not be removed. */
  readonly left: 'none' | 'some' | 'kept'
}

/** The result for a label without print jobs. */
export const noPapers: RemovedPapers = { files: 0, left: 'none' }

/** Error codes for a path at which there is no file of a print: nothing, or a folder. */
const noFile: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ERR_FS_EISDIR']

/**
 * Returns the code of an error of the file system; null: there is no file at this path, so nothing has to be removed.
 * Throws any other error.
 */
function fileFailure(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) throw error
  return noFile.includes(error.code) ? null : String(error.code)
}

/**
 * Finds the files of print jobs in `dataDir`: the files that the jobs name, and other files with the id of a job in the
 * same folders. These other files are pictures of pages and remains of interrupted prints. `labels`: SQL that selects
 * the ids of the labels to remove; `parameters`: the parameters of this SQL. Resolves to null if none of these labels
 * has a print job. Reads the jobs and the folders in steps, because there can be very many.
 */
export async function findPapers(
  database: Database,
  dataDir: string,
  labels: string,
  parameters: Readonly<Record<string, Instant | ScopeKey>>,
): Promise<Papers | null> {
  const some = database.prepare<typeof parameters>(
    `SELECT 1 FROM print_jobs WHERE label_id IN (${labels}) LIMIT 1`,
  )
  if (some.get(parameters) === undefined) return null
  const inside = resolve(dataDir) + sep
  const { ids, folders } = await readJobs(database)
  /** The files found in the folders, by the id of their print job. */
  const beside = new Map<string, string[]>(ids.map((id) => [id, []]))
  /** The folders that could not be read, each with the error code. */
  const unread = new Map<string, string>()
  for (const folder of folders)
    if (`${folder}${sep}`.startsWith(inside))
      try {
        for await (const { name } of await opendir(folder, { bufferSize: filesAtOnce }))
          beside.get(jobIdIn.exec(name)?.[1] ?? '')?.push(join(folder, name))
      } catch (error) {
        const cause = fileFailure(error)
        if (cause !== null) unread.set(folder, cause)
      }
  const jobs = database.prepare<[string], { id: string; file: string | null }>(
    'SELECT id, file FROM print_jobs WHERE label_id = ?',
  )
  const kept = new Map<string, string>()
  /**
   * For each label, the error code of a file that could not be removed. A label is added to `kept` only after the
   * removal of its last file was tried.
   */
  const failed = new Map<string, string>()
  return {
    kept,
    remove(labelId) {
      let [files, room] = [0, filesAtOnce]
      for (const { id, file } of jobs.all(labelId)) {
        const own = file !== null && resolve(file).startsWith(inside) ? [file] : []
        const some = beside.get(id)?.splice(0, room) ?? []
        room -= some.length
        files += own.length + some.length
        const causes = own.map((one) => unread.get(dirname(resolve(one))) ?? null)
        causes.push(...[...own, ...some].map(removeFile))
        const cause = causes.find((one) => one !== null)
        if (cause !== undefined) failed.set(labelId, cause)
      }
      // returns `some` even if the removed files were the last ones of the label; the next call then finds no file
      if (room === 0) return { files, left: 'some' }
      const cause = failed.get(labelId)
      if (cause === undefined) return { files, left: 'none' }
      kept.set(labelId, cause)
      return { files, left: 'kept' }
    },
  }
}

/** Removes a file of a print. Returns the error code if the file cannot be removed, otherwise null. */
function removeFile(file: string): string | null {
  try {
    rmSync(file, { force: true })
    return null
  } catch (error) {
    return fileFailure(error)
  }
}

/** Returns the ids of all print jobs, and the folders of all files that they name. */
async function readJobs(database: Database): Promise<{ ids: string[]; folders: Set<string> }> {
  const some = database.prepare<[number], { seq: number; id: string; file: string | null }>(
    `SELECT seq, id, file FROM print_jobs WHERE seq > ? ORDER BY seq LIMIT ${filesAtOnce}`,
  )
  const ids: string[] = []
  const folders = new Set<string>()
  for (let last = 0; ;) {
    const rows = some.all(last)
    for (const { id, file } of rows) {
      ids.push(id)
      if (file !== null) folders.add(dirname(resolve(file)))
    }
    if (rows.length < filesAtOnce) return { ids, folders }
    last = rows.at(-1)?.seq ?? last
    await setImmediate()
  }
}

/** Returns the hashes of the PDFs that belong to a label or a print job. */
export function documentsInUse(database: Database): Set<string> {
  const hashes = database
    .prepare<[], string>(
      `SELECT document_hash FROM return_labels WHERE document_hash IS NOT NULL
       UNION SELECT document_hash FROM print_jobs`,
    )
    .pluck()
    .all()
  return new Set(hashes)
}

/** Returns the hashes of the PDFs that may be deleted: the service can return them again, and no print needs them. */
export function replaceableDocuments(database: Database): Set<string> {
  const hashes = database
    .prepare<[], string>(
      `SELECT document_hash FROM return_labels WHERE document_hash IS NOT NULL AND server_id IS NOT NULL
       EXCEPT SELECT document_hash FROM print_jobs WHERE state IN ('queued', 'sending', 'refused', 'unknown')`,
    )
    .pluck()
    .all()
  return new Set(hashes)
}
