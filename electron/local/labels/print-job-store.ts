import type { LabelId } from '#shared/domain/ids.ts'
import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import type {
  NewPrintJob,
  PrintChange,
  PrintCounts,
  PrintJobRow,
  PrintJobStore,
  PrintMove,
  PrintNote,
  PrintReplaced,
} from '#desk/ports/print-jobs.ts'
import type { Instant } from '#shared/domain/instants.ts'
import {
  printHold,
  printPlacement,
  reprintReasons,
  canMovePrint,
  type PrintState,
  provesUnknownPrint,
} from '#shared/domain/print-job.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { deskStopped } from '#shared/errors/catalogue.ts'
import { failureFromColumn, failureToColumn } from '../failure-column.ts'
import { createHistory } from '../outbox/command-rows.ts'
import { guard } from '../sqlite-failure.ts'

/**
 * The states of an open print job. Every query contains them as text, because SQLite otherwise does not use the partial
 * index.
 */
const openStates = `('queued', 'sending', 'refused', 'unknown')`

type AddPrintJob = (labelId: string, documentHash: string, job: NewPrintJob) => void

/** Returns a function that inserts a print job. Its caller must have opened a transaction. */
export function createPrintJobInsert(database: Database, scope: ScopeKey): AddPrintJob {
  const insert = database.prepare<
    Omit<NewPrintJob, 'isReprint'> & {
      scope: ScopeKey
      labelId: string
      documentHash: string
      isReprint: number
    }
  >(
    `INSERT INTO print_jobs (id, scope, label_id, document_hash, printer, is_reprint, reason, created_at, state_at)
     VALUES (@id, @scope, @labelId, @documentHash, @printer, @isReprint, @reason, @at, @at)
     ON CONFLICT (id) DO NOTHING`,
  )
  return (labelId, documentHash, { id, printer, isReprint, reason, at }) => {
    insert.run({ id, scope, labelId, documentHash, printer, isReprint: isReprint ? 1 : 0, reason, at })
  }
}

type Move = (id: string, from: PrintState, to: PrintState, details: PrintMove) => boolean

/**
 * Returns a function that moves a print job to another state and notes the move in the history. The function returns
 * false if the job is not in the state `from`, or if the state table does not allow the move. Its caller must have
 * opened a transaction.
 */
export function createPrintJobMove(database: Database, scope: ScopeKey): Move {
  const history = createHistory(database)
  const update = database.prepare<
    Omit<PrintMove, 'failure' | 'pageCount'> & {
      scope: ScopeKey
      id: string
      from: string
      to: string
      failure: string | null
      pageCount: number | null
    }
  >(
    `UPDATE print_jobs SET state = @to, state_at = @at, failure = @failure,
       evidence = CASE state WHEN 'sending' THEN @evidence ELSE COALESCE(@evidence, evidence) END,
       file = COALESCE(@file, file), page_count = COALESCE(@pageCount, page_count)
     WHERE id = @id AND state = @from AND scope = @scope`,
  )
  return (id, from, to, details) => {
    if (!canMovePrint(from, to)) return false
    const { at, evidence, file, pageCount = null } = details
    const failure = failureToColumn(details.failure)
    const values = { at, failure, evidence, file, pageCount }
    if (update.run({ scope, id, from, to, ...values }).changes === 0) return false
    history.note(id, at, from, to, failure)
    return true
  }
}

/** Creates the store of print jobs. Each transition is checked against the state table inside its transaction. */
export function createPrintJobStore(database: Database, scope: ScopeKey): PrintJobStore {
  const insert = createPrintJobInsert(database, scope)
  const note = createNoteInsert(database)
  const sending = database.prepare<[string], PrintJobRecord>(
    `SELECT * FROM print_jobs WHERE scope = ? AND state IN ${openStates} AND state = 'sending' ORDER BY seq`,
  )
  const move = createPrintJobMove(database, scope)
  const recover = database.transaction((at: Instant) => {
    const failure = { code: 'printer.outcome_unknown', params: { cause: deskStopped } } as const
    for (const job of sending.all(scope).map(toPrintJobRow)) {
      const { id, evidence } = job
      if (evidence !== null && provesUnknownPrint(job))
        move(id, 'sending', 'scan_confirmed', { at, failure: null, evidence, file: null })
      else move(id, 'sending', 'unknown', { at, failure, evidence: null, file: null })
    }
  })
  const noteScan = database.prepare<[string, string, string]>(
    `UPDATE print_jobs SET evidence = ? WHERE scope = ? AND id = ? AND state = 'sending'`,
  )
  const ofOthers = `scope = @scope AND state IN ${openStates} AND printer NOT IN (SELECT value FROM json_each(@known))`
  const noteRefused = database.prepare<{ scope: ScopeKey; known: string; at: Instant }>(
    `INSERT INTO history (subject_id, at, from_state, to_state)
     SELECT id, @at, state, 'queued' FROM print_jobs WHERE ${ofOthers} AND state = 'refused' ORDER BY seq`,
  )
  const rerouteAll = database.prepare<{ scope: ScopeKey; known: string; printer: string; at: Instant }>(
    `UPDATE print_jobs SET printer = @printer, state = 'queued', failure = NULL,
       hold = CASE hold ->> '$.kind' WHEN 'refused' THEN NULL ELSE hold END,
       state_at = CASE state WHEN 'refused' THEN @at ELSE state_at END
     WHERE ${ofOthers} AND state IN ('queued', 'refused')`,
  )
  const labelsOfOthers = database
    .prepare<{ scope: ScopeKey; known: string }, LabelId>(
      `SELECT DISTINCT label_id FROM print_jobs WHERE ${ofOthers} AND state IN ('queued', 'refused')`,
    )
    .pluck()
  const reroute = database.transaction((known: string, printer: string, at: Instant) => {
    const labels = labelsOfOthers.all({ scope, known })
    if (labels.length === 0) return labels
    noteRefused.run({ scope, known, at })
    rerouteAll.run({ scope, known, printer, at })
    return labels
  })
  const misfits = `scope = ? AND state IN ${openStates} AND state IN ('queued', 'refused')
    AND hold ->> '$.kind' = 'does_not_fit' AND printer NOT IN (SELECT value FROM json_each(?))`
  const misfitLabels = database
    .prepare<[string, string], LabelId>(`SELECT label_id FROM print_jobs WHERE ${misfits}`)
    .pluck()
  const endMisfits = database.prepare<[string, string]>(`UPDATE print_jobs SET hold = NULL WHERE ${misfits}`)
  const fitAgain = database.transaction((same: string) => {
    const labels = misfitLabels.all(scope, same)
    if (labels.length > 0) endMisfits.run(scope, same)
    return labels
  })
  const moveAtOnce = database.transaction(move)
  const add = database.transaction(
    (
      labelId: LabelId,
      documentHash: string,
      job: NewPrintJob,
      replaced: PrintReplaced | undefined,
    ): boolean => {
      const { unknown, decided } = replaced ?? { unknown: null, decided: null }
      if (unknown && !move(unknown.id, 'unknown', 'failed', unknown.details)) return false
      if (decided) note(decided.id, decided.note)
      insert(labelId, documentHash, job)
      return true
    },
  )
  return {
    ...createPrintJobReads(database, scope),
    add: guard((labelId, documentHash, job, replaced) => add.immediate(labelId, documentHash, job, replaced)),
    reroute: guard((known, printer, at) => reroute.immediate(JSON.stringify(known), printer, at)),
    fitAgain: guard((same) => fitAgain.immediate(JSON.stringify(same))),
    recover: guard((at) => recover.immediate(at)),
    noteScan: guard((id, evidence) => void noteScan.run(evidence, scope, id)),
    move: guard((id, from, to, details) => moveAtOnce.immediate(id, from, to, details)),
    ...createPrintDecisions(database, scope, move, note),
  }
}

/** Maximum number of jobs of each of two groups in a list: open jobs that wait for an operator, and other open jobs. */
const mostListed = 200

/** Whether an open job waits for an operator (see asksAboutPrint). */
const asks = `(state = 'unknown' OR (hold IS NOT NULL AND state IN ('queued', 'refused')))`

type Reads = Pick<
  PrintJobStore,
  'get' | 'due' | 'open' | 'listed' | 'openCounts' | 'newestToPrint' | 'onPaper' | 'onPaperCount'
>

/**
 * Whether a job failed and certainly printed nothing. A failed job with the code `printer.outcome_unknown` may have
 * printed: an operator ended it while its outcome was unknown.
 */
const printedNothing = `(state = 'failed' AND failure ->> '$.code' IS NOT 'printer.outcome_unknown')`

/**
 * Returns a function that reads the print job that a label shows: its newest job. A reprint that printed nothing is
 * left out if two conditions are both met. First, an earlier job of the label is, may be or may still come on paper.
 * Second, an operator gave up the reprint, or a scan confirmed the earlier job after the failure of the reprint.
 */
export function prepareShownPrint(database: Database): (labelId: LabelId) => PrintJobRow | null {
  const shown = database.prepare<[LabelId], PrintJobRecord>(
    `SELECT * FROM print_jobs p WHERE label_id = ? AND NOT (${printedNothing} AND EXISTS (
       SELECT 1 FROM print_jobs WHERE label_id = p.label_id AND seq < p.seq AND NOT ${printedNothing}
         AND (p.failure ->> '$.code' = 'printer.given_up' OR (state = 'scan_confirmed' AND state_at >= p.state_at))
     )) ORDER BY seq DESC LIMIT 1`,
  )
  return (labelId) => {
    const record = shown.get(labelId)
    return record ? toPrintJobRow(record) : null
  }
}

function createPrintJobReads(database: Database, scope: ScopeKey): Reads {
  const one = database.prepare<[string, string], PrintJobRecord>(
    'SELECT * FROM print_jobs WHERE scope = ? AND id = ?',
  )
  const due = database.prepare<[string, string, string | null], PrintJobRecord>(
    `SELECT * FROM print_jobs WHERE scope = ? AND printer = ? AND state IN ${openStates}
       AND seq > coalesce((SELECT seq FROM print_jobs WHERE id = ?), 0)
       AND state IN ('queued', 'refused') AND hold IS NULL ORDER BY seq LIMIT 1`,
  )
  const open = database.prepare<[string], PrintJobRecord>(
    `SELECT * FROM print_jobs WHERE scope = ? AND state IN ${openStates} ORDER BY seq`,
  )
  const oldest = [asks, `NOT ${asks}`].map(
    (
      which,
    ) => `SELECT * FROM (SELECT * FROM print_jobs WHERE scope = ? AND state IN ${openStates} AND ${which}
      ORDER BY seq LIMIT ${String(mostListed)})`,
  )
  const listed = database.prepare<[string, string], PrintJobRecord>(
    `${oldest.join(' UNION ALL ')} ORDER BY seq`,
  )
  const counts = database.prepare<[string], PrintCounts>(
    `SELECT coalesce(sum(${asks}), 0) AS asking, coalesce(sum(NOT ${asks}), 0) AS waiting
     FROM print_jobs WHERE scope = ? AND state IN ${openStates}`,
  )
  const newestToPrint = database.prepare<[string, LabelId], PrintJobRecord>(
    `SELECT * FROM print_jobs WHERE scope = ? AND label_id = ? AND NOT ${printedNothing} ORDER BY seq DESC LIMIT 1`,
  )
  // an earlier print of a label is left out, because a scan of the label confirms only the newest print
  // (`newestToPrint`)
  const notScanned = `FROM print_jobs p
    WHERE scope = ? AND file IS NULL AND state IN ('sent', 'spooled', 'confirmed') AND state_at >= ?
      AND NOT EXISTS (SELECT 1 FROM print_jobs WHERE label_id = p.label_id AND seq > p.seq AND NOT ${printedNothing})`
  const onPaper = database.prepare<[string, number, number], PrintJobRecord>(
    `SELECT * ${notScanned} ORDER BY seq DESC LIMIT ?`,
  )
  const onPaperCount = database.prepare<[string, number], number>(`SELECT count(*) ${notScanned}`).pluck()
  const toRow = (record: PrintJobRecord | undefined): PrintJobRow | null =>
    record ? toPrintJobRow(record) : null
  return {
    get: guard((id) => toRow(one.get(scope, id))),
    due: guard((printer, after) => toRow(due.get(scope, printer, after ?? null))),
    open: guard(() => open.all(scope).map(toPrintJobRow)),
    listed: guard(() => listed.all(scope, scope).map(toPrintJobRow)),
    openCounts: guard(() => counts.get(scope) ?? { asking: 0, waiting: 0 }),
    newestToPrint: guard((labelId) => toRow(newestToPrint.get(scope, labelId))),
    onPaper: guard((since, limit) => onPaper.all(scope, since, limit).map(toPrintJobRow)),
    onPaperCount: guard((since) => onPaperCount.get(scope, since) ?? 0),
  }
}

/** A row of `print_jobs` as SQLite returns it. */
interface PrintJobRecord {
  id: string
  label_id: LabelId
  document_hash: string
  printer: string
  state: PrintState
  is_reprint: number
  reason: string | null
  hold: string | null
  placement: string | null
  released: number
  unlisted: string | null
  file: string | null
  evidence: string | null
  page_count: number | null
  failure: string | null
  created_at: number
  state_at: number
}

const reason = z.enum(reprintReasons).nullable()
const codes = z.array(z.string())

function toPrintJobRow(record: PrintJobRecord): PrintJobRow {
  return {
    id: record.id,
    labelId: record.label_id,
    documentHash: record.document_hash,
    printer: record.printer,
    state: record.state,
    isReprint: record.is_reprint === 1,
    reason: reason.parse(record.reason),
    hold: record.hold === null ? null : printHold.parse(JSON.parse(record.hold)),
    placement: record.placement === null ? null : printPlacement.parse(JSON.parse(record.placement)),
    isReleased: record.released === 1,
    unlisted: record.unlisted === null ? [] : codes.parse(JSON.parse(record.unlisted)),
    file: record.file,
    evidence: record.evidence,
    pageCount: record.page_count,
    failure: failureFromColumn(record.failure),
    createdAt: record.created_at,
    stateAt: record.state_at,
  }
}

type Decisions = Pick<PrintJobStore, 'hold' | 'noteUnlisted' | 'wasUnlistedReported' | 'change' | 'decide'>
type Note = (id: string, note: PrintNote) => void

/** Returns a function that logs a decision about a print job. Its caller must have opened a transaction. */
function createNoteInsert(database: Database): Note {
  const insert = database.prepare<PrintNote & { id: string }>(
    `INSERT INTO print_decisions (job_id, at, decided_by, decision, details)
     VALUES (@id, @at, @by, @decision, @details)`,
  )
  return (id, { at, by, decision, details }) => {
    insert.run({ id, at, by, decision, details })
  }
}

/**
 * Creates the store of problems that the desk finds before it prints a job, and of the operators' decisions about them.
 */
function createPrintDecisions(database: Database, scope: ScopeKey, move: Move, note: Note): Decisions {
  const waiting = `scope = ? AND id = ? AND state IN ('queued', 'refused')`
  const hold = database.prepare<[string, string, string]>(`UPDATE print_jobs SET hold = ? WHERE ${waiting}`)
  const unlisted = database.prepare<[string, string, string]>(
    'UPDATE print_jobs SET unlisted = ? WHERE scope = ? AND id = ?',
  )
  const reported = database.prepare<[string, string | null]>(
    `SELECT 1 FROM print_jobs p CROSS JOIN return_labels l ON l.id = p.label_id
     WHERE p.scope = ? AND p.unlisted IS NOT NULL AND l.shipping_method_id IS ? LIMIT 1`,
  )
  // With `released` = 1 the desk prints a job without a check of its pages. If a job is held because its document was
  // refused or not drawn, the operator decides to try the job again, but not to skip the check. Therefore `released`
  // keeps its value. If it is 0, the desk checks the pages before it sends the job again, also to another printer.
  const release = database.prepare<[string, string]>(
    `UPDATE print_jobs SET released = CASE WHEN hold ->> '$.kind' IN ('refused', 'not_drawn') THEN released ELSE 1 END,
       hold = NULL
     WHERE ${waiting}`,
  )
  const place = database.prepare<[string, string, string]>(
    `UPDATE print_jobs SET hold = NULL, placement = ? WHERE ${waiting}`,
  )
  const toPrinter = database.prepare<[string, string, string]>(
    `UPDATE print_jobs SET hold = NULL, printer = ? WHERE ${waiting}`,
  )
  const take = (id: string, change: PrintChange, at: Instant): boolean => {
    switch (change.do) {
      case 'release':
        return release.run(scope, id).changes > 0
      case 'place':
        return place.run(JSON.stringify(change.placement), scope, id).changes > 0
      case 'move':
        if (toPrinter.run(change.printer, scope, id).changes === 0) return false
        // the refused job becomes `queued`, because the refusal came from the printer that no longer has the job
        move(id, 'refused', 'queued', { at, failure: null, evidence: null, file: null })
        return true
    }
  }
  const change = database.transaction((id: string, said: PrintNote, wanted: PrintChange): boolean => {
    if (!take(id, wanted, said.at)) return false
    note(id, said)
    return true
  })
  const decide = database.transaction(
    (id: string, said: PrintNote, from: PrintState, to: PrintState, details: PrintMove): boolean => {
      if (!move(id, from, to, details)) return false
      note(id, said)
      return true
    },
  )
  return {
    hold: guard((id, why) => hold.run(JSON.stringify(why), scope, id).changes > 0),
    noteUnlisted: guard((id, codes) => void unlisted.run(JSON.stringify(codes), scope, id)),
    wasUnlistedReported: guard((methodId) => reported.get(scope, methodId) !== undefined),
    change: guard((id, said, wanted) => change.immediate(id, said, wanted)),
    decide: guard((id, said, from, to, details) => decide.immediate(id, said, from, to, details)),
  }
}
