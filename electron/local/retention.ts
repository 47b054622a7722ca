import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { type SubjectKind, subjectKinds } from '#shared/writes/write-kinds.ts'
import { retentions } from './ledgers.ts'

/** Refused, and a newer one of its kind has taken its place: nobody is asked about it any more. */
const isSuperseded = `c.state = 'rejected' AND EXISTS (SELECT 1 FROM commands n WHERE n.subject_kind = c.subject_kind
      AND n.subject_id = c.subject_id AND n.type = c.type AND n.seq > c.seq)`

/** The subjects of a kind that may go: their writes are over, all of them, and nobody is told of them any more. */
function finishedOf(kind: SubjectKind): string {
  return `SELECT s.id FROM (${retentions[kind].finished}) s
  WHERE NOT EXISTS (SELECT 1 FROM commands c WHERE c.subject_kind = '${kind}' AND c.subject_id = s.id
    AND (c.state_at >= @before OR NOT (c.state IN ('done', 'discarded') OR ${isSuperseded})))
  AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.subject_kind = '${kind}' AND n.subject_id = s.id
    AND n.dismissed_at IS NULL)`
}

/**
 * Removes what is finished and was last touched before that moment, with the paper that a printer wrote into `dataDir`.
 * Resolves with how many rows went. Whatever the scope: the limit holds for the PC. A few rows in each transaction and a
 * turn of the event loop after it, so that scans go on meanwhile; where the program ends between two of them, the next purge
 * goes on. All rows of a subject go in one transaction.
 */
export async function purgeDesk(database: Database, dataDir: string, before: number): Promise<number> {
  const papers = findPapers(database, dataDir, before)
  const pieces = [
    oldRows(database, 'scans', 'at < @before'),
    ...subjectKinds.map((kind) => oldSubjects(database, kind, kind === 'return_label' ? papers : null)),
    oldRows(database, 'notices', 'at < @before AND dismissed_at IS NOT NULL'),
    oldRows(
      database,
      'decisions',
      'at < @before AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = command_id)',
    ),
    oldRows(
      database,
      'history',
      `at < @before AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = subject_id)
       AND NOT EXISTS (SELECT 1 FROM print_jobs p WHERE p.id = subject_id)`,
    ),
  ]
  let rows = 0
  for (const piece of pieces)
    for (let gone = piece(before); gone > 0; gone = piece(before)) {
      rows += gone
      await setImmediate()
    }
  return rows
}

/** Removes some of what is to go, in one transaction; returns how many rows went, 0: nothing is left. */
type Piece = (before: number) => number

/** Rows that are removed in one transaction, beyond those of its last subject: some milliseconds. */
const rowsAtOnce = 500
const subjectsAtOnce = 100

/** Rows that nothing names. The oldest come first, so that those that are young are looked at once, in the end. */
function oldRows(
  database: Database,
  table: 'scans' | 'notices' | 'decisions' | 'history',
  which: string,
): Piece {
  const remove = database.prepare<{ before: number }>(
    `DELETE FROM ${table} WHERE seq IN (SELECT seq FROM ${table} WHERE ${which} ORDER BY seq LIMIT ${rowsAtOnce})`,
  )
  return (before) => remove.run({ before }).changes
}

function oldSubjects(database: Database, kind: SubjectKind, papers: Papers | null): Piece {
  const { parts, table } = retentions[kind]
  const some = database
    .prepare<{ before: number }, string>(`${finishedOf(kind)} LIMIT ${subjectsAtOnce}`)
    .pluck()
  const removes = [
    ...parts.map((part) => `DELETE FROM ${part.table} WHERE ${part.which('@id')}`),
    `DELETE FROM commands WHERE subject_kind = '${kind}' AND subject_id = @id`,
    ...(table === null ? [] : [`DELETE FROM ${table} WHERE id = @id`]),
  ].map((sql) => database.prepare<{ id: string }>(sql))
  const piece = database.transaction((before: number) => {
    let rows = 0
    for (const id of some.all({ before })) {
      if (rows >= rowsAtOnce) break
      // before the rows that name it: a file that nobody knows of would stay for ever
      papers?.remove(id)
      for (const remove of removes) rows += remove.run({ id }).changes
    }
    return rows
  })
  return (before) => piece.immediate(before)
}

/** A name of a file may bear several: that of its job, and one of its own while it was being written. */
const jobIds = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g

interface Papers {
  /** The files of a label's print jobs. */
  remove(labelId: string): void
}

/** With what lies beside a file under the same job's id: pictures of its pages, the rest of a try that was cut short. */
function findPapers(database: Database, dataDir: string, before: number): Papers | null {
  const some = database.prepare<{ before: number }>(
    `SELECT 1 FROM print_jobs WHERE label_id IN (${finishedOf('return_label')}) LIMIT 1`,
  )
  if (some.get({ before }) === undefined) return null
  const known = database
    .prepare<[], string>('SELECT file FROM print_jobs WHERE file IS NOT NULL')
    .pluck()
    .all()
    .map((file) => resolve(file))
    .filter((file) => file.startsWith(resolve(dataDir) + sep))
  const inside = new Set(known)
  const beside = new Map<string, string[]>()
  for (const folder of new Set(known.map((file) => dirname(file))))
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      for (const id of name.match(jobIds) ?? [])
        beside.set(id, [...(beside.get(id) ?? []), join(folder, name)])
  const jobs = database.prepare<[string], { id: string; file: string | null }>(
    'SELECT id, file FROM print_jobs WHERE label_id = ?',
  )
  return {
    remove(labelId) {
      for (const { id, file } of jobs.all(labelId)) {
        const own = file !== null && inside.has(resolve(file)) ? [file] : []
        for (const one of [...own, ...(beside.get(id) ?? [])]) rmSync(one, { force: true })
      }
    },
  }
}

/** The PDFs that a label or a print job still names. */
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

/** The PDFs of labels that the service has, too, and that no print waits for. */
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
