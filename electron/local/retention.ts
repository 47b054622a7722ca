import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
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

/** The rows of a kind; each statement leaves what the next one asks for as it was. */
function purgesOf(kind: SubjectKind): string[] {
  const { parts, table } = retentions[kind]
  const finished = finishedOf(kind)
  return [
    ...parts.map((part) => `DELETE FROM ${part.table} WHERE ${part.which(finished)}`),
    `DELETE FROM commands WHERE subject_kind = '${kind}' AND subject_id IN (${finished})`,
    ...(table === null ? [] : [`DELETE FROM ${table} WHERE id IN (${finished})`]),
  ]
}

const purges = [
  'DELETE FROM scans WHERE at < @before',
  ...subjectKinds.flatMap(purgesOf),
  'DELETE FROM notices WHERE at < @before AND dismissed_at IS NOT NULL',
  `DELETE FROM decisions WHERE at < @before AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = command_id)`,
  `DELETE FROM history WHERE at < @before AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = subject_id)
     AND NOT EXISTS (SELECT 1 FROM print_jobs p WHERE p.id = subject_id)`,
]

/**
 * Removes what is finished and was last touched before that moment, with the paper that a printer wrote into `dataDir`.
 * Answers how many rows went. Whatever the scope: the limit holds for the PC.
 */
export function purgeDesk(database: Database, dataDir: string, before: number): number {
  // before the rows that name them: a file that nobody knows of would stay for ever
  removePapers(database, dataDir, before)
  const run = database.transaction(() => {
    let rows = 0
    for (const sql of purges) rows += database.prepare(sql).run({ before }).changes
    return rows
  })
  return run.immediate()
}

/** A name of a file may bear several: that of its job, and one of its own while it was being written. */
const jobIds = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g

/** With what lies beside it under the same job's id: pictures of its pages, the rest of a try that was cut short. */
function removePapers(database: Database, dataDir: string, before: number): void {
  const jobs = database
    .prepare<{ before: number }, { id: string; file: string | null }>(
      `SELECT id, file FROM print_jobs WHERE label_id IN (${finishedOf('return_label')})`,
    )
    .all({ before })
  if (jobs.length === 0) return
  const known = database
    .prepare<[], string>('SELECT file FROM print_jobs WHERE file IS NOT NULL')
    .pluck()
    .all()
    .map((file) => resolve(file))
    .filter((file) => file.startsWith(resolve(dataDir) + sep))
  const inside = new Set(known)
  for (const { file } of jobs) if (file && inside.has(resolve(file))) rmSync(file, { force: true })
  const gone = new Set(jobs.map(({ id }) => id))
  for (const folder of new Set(known.map((file) => dirname(file))))
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (name.match(jobIds)?.some((id) => gone.has(id))) rmSync(join(folder, name), { force: true })
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
