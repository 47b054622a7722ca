import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import type { Database } from 'better-sqlite3'

const open = `('queued', 'sending', 'refused', 'unknown')`

/** Refused, and a newer one of its kind has taken its place: nobody is asked about it any more. */
const isSuperseded = `c.state = 'rejected' AND EXISTS (SELECT 1 FROM commands n WHERE n.subject_kind = c.subject_kind
      AND n.subject_id = c.subject_id AND n.type = c.type AND n.seq > c.seq)`

/** The subject's writes are over, all of them, and nobody is told of it any more. */
const isOver = (kind: string, id: string): string => `
  NOT EXISTS (SELECT 1 FROM commands c WHERE c.subject_kind = '${kind}' AND c.subject_id = ${id}
    AND (c.state_at >= @before OR NOT (c.state IN ('done', 'discarded') OR ${isSuperseded})))
  AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.subject_kind = '${kind}' AND n.subject_id = ${id}
    AND n.dismissed_at IS NULL)`

/** A PDF that was never had is still waited for, unless getting it has failed for so long. */
const labels = `
  SELECT l.id FROM return_labels l WHERE l.created_at < @before AND coalesce(l.as_of, 0) < @before
    AND (l.requested = 0 OR l.cancelled = 1 OR l.document_hash IS NOT NULL OR l.document_failure IS NOT NULL
      OR l.origin = 'service')
    AND ${isOver('return_label', 'l.id')}
    AND NOT EXISTS (SELECT 1 FROM print_jobs p WHERE p.label_id = l.id
      AND (p.state IN ${open} OR p.state_at >= @before))`

const modifications = `
  SELECT m.id FROM modifications m WHERE m.created_at < @before AND ${isOver('modification', 'm.id')}`

const dayMs = 24 * 3600_000

/**
 * When a record of the service was made, for its age: a date ahead of the moment when this PC first had it would keep it
 * here for ever. A day is left, since clocks differ and the order by age should not suffer from that.
 */
export function agedFrom(createdAt: number, hadAt: number): number {
  return Math.min(createdAt, hadAt + dayMs)
}

/** In the order that the references between them allow; each leaves what the next one asks for as it was. */
const purges = [
  'DELETE FROM scans WHERE at < @before',
  `DELETE FROM print_decisions WHERE job_id IN (SELECT id FROM print_jobs WHERE label_id IN (${labels}))`,
  `DELETE FROM print_jobs WHERE label_id IN (${labels})`,
  `DELETE FROM return_label_codes WHERE label_id IN (${labels})`,
  `DELETE FROM commands WHERE subject_kind = 'return_label' AND subject_id IN (${labels})`,
  `DELETE FROM return_labels WHERE id IN (${labels})`,
  `DELETE FROM modification_lines WHERE modification_id IN (${modifications})`,
  `DELETE FROM commands WHERE subject_kind = 'modification' AND subject_id IN (${modifications})`,
  `DELETE FROM modifications WHERE id IN (${modifications})`,
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
      `SELECT id, file FROM print_jobs WHERE label_id IN (${labels})`,
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
