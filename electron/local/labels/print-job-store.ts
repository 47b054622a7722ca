import type { Database } from 'better-sqlite3'
import type { NewPrintJob, PrintJobRow, PrintJobStore, PrintMove } from '#desk/ports/print-jobs.ts'
import { canMovePrint, type PrintState } from '#shared/domain/print-state.ts'
import { deskStopped } from '#shared/errors/catalogue.ts'
import { failureToColumn } from '../failure-column.ts'
import { createHistory } from '../outbox/history.ts'
import { type PrintJobRecord, toPrintJobRow } from './print-job-rows.ts'
import { guard } from '../sqlite-failure.ts'
import { createPrintDecisions } from './print-decisions.ts'

/** Written out in every query that wants them: only then SQLite sees that the partial index covers it. */
const openStates = `('queued', 'sending', 'refused', 'unknown')`

export type AddPrintJob = (labelId: string, documentHash: string, job: NewPrintJob) => void

/** The bare insert, for a caller that has a transaction of its own. */
export function createPrintJobInsert(database: Database, scope: string): AddPrintJob {
  const insert = database.prepare<
    Omit<NewPrintJob, 'isReprint'> & {
      scope: string
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

/** Print jobs; every move is checked against the state table inside its transaction. */
export function createPrintJobStore(database: Database, scope: string): PrintJobStore {
  const history = createHistory(database)
  const add = createPrintJobInsert(database, scope)
  const sending = database.prepare<[string], PrintJobRecord>(
    `SELECT * FROM print_jobs WHERE scope = ? AND state IN ${openStates} AND state = 'sending' ORDER BY seq`,
  )
  const update = database.prepare<
    Omit<PrintMove, 'failure'> & {
      scope: string
      id: string
      from: string
      to: string
      failure: string | null
    }
  >(
    `UPDATE print_jobs SET state = @to, state_at = @at, failure = @failure,
       evidence = COALESCE(@evidence, evidence), file = COALESCE(@file, file)
     WHERE id = @id AND state = @from AND scope = @scope`,
  )
  const move = (id: string, from: PrintState, to: PrintState, details: PrintMove): boolean => {
    if (!canMovePrint(from, to)) return false
    const { at, evidence, file } = details
    const failure = failureToColumn(details.failure)
    if (update.run({ scope, id, from, to, at, failure, evidence, file }).changes === 0) return false
    history.note(id, at, from, to, failure)
    return true
  }
  const recover = database.transaction((at: number) => {
    const failure = { code: 'printer.outcome_unknown', params: { cause: deskStopped } } as const
    for (const job of sending.all(scope))
      move(job.id, 'sending', 'unknown', { at, failure, evidence: null, file: null })
  })
  const reroute = database.prepare<[string, string, string]>(
    `UPDATE print_jobs SET printer = ? WHERE scope = ? AND state IN ${openStates} AND state IN ('queued', 'refused')
       AND printer NOT IN (SELECT value FROM json_each(?))`,
  )
  const moveAtOnce = database.transaction(move)
  return {
    ...createPrintJobReads(database, scope),
    add: guard(add),
    reroute: guard((known, printer) => void reroute.run(printer, scope, JSON.stringify(known))),
    recover: guard((at) => recover.immediate(at)),
    move: guard((id, from, to, details) => moveAtOnce.immediate(id, from, to, details)),
    ...createPrintDecisions(database, scope, move),
  }
}

type Reads = Pick<PrintJobStore, 'get' | 'due' | 'open' | 'onPaper'>

function createPrintJobReads(database: Database, scope: string): Reads {
  const one = database.prepare<[string, string], PrintJobRecord>(
    'SELECT * FROM print_jobs WHERE scope = ? AND id = ?',
  )
  const due = database.prepare<[string, string], PrintJobRecord>(
    `SELECT * FROM print_jobs WHERE scope = ? AND printer = ? AND state IN ${openStates}
       AND state IN ('queued', 'refused') AND hold IS NULL ORDER BY seq LIMIT 1`,
  )
  const open = database.prepare<[string], PrintJobRecord>(
    `SELECT * FROM print_jobs WHERE scope = ? AND state IN ${openStates} ORDER BY seq`,
  )
  const onPaper = database.prepare<[string, number, number], PrintJobRecord>(
    `SELECT * FROM print_jobs WHERE scope = ? AND file IS NULL AND state IN ('sent', 'spooled', 'confirmed')
       AND state_at >= ? ORDER BY seq DESC LIMIT ?`,
  )
  const toRow = (record: PrintJobRecord | undefined): PrintJobRow | null =>
    record ? toPrintJobRow(record) : null
  return {
    get: guard((id) => toRow(one.get(scope, id))),
    due: guard((printer) => toRow(due.get(scope, printer))),
    open: guard(() => open.all(scope).map(toPrintJobRow)),
    onPaper: guard((since, limit) => onPaper.all(scope, since, limit).map(toPrintJobRow)),
  }
}
