import type { Database, Statement } from 'better-sqlite3'
import type { CommandRow, OutboxStore, SubjectKind } from '#desk/ports/commands.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { applyFacts, type FactsAppliers } from './command-facts.ts'
import { createCommandMove, createCommandStop } from './command-moves.ts'
import { type CommandRecord, toCommandRow } from './command-rows.ts'
import { failureToColumn } from './failure-column.ts'
import { createLease } from './lease.ts'
import { guard } from './sqlite-failure.ts'

/** Written out in every query that wants them: only then SQLite sees that the partial index covers it. */
const openStates = `('queued', 'sending', 'unknown')`

/** Commands and the flusher's lease; every move is checked against the state table inside its transaction. */
export function createOutboxStore(database: Database, scope: string, appliers: FactsAppliers): OutboxStore {
  const read = createReads(database, scope)
  const note = database.prepare<[string | null, string, string]>(
    `UPDATE commands SET failure = ? WHERE id = ? AND scope = ? AND state = 'queued'`,
  )
  const ask = database.prepare<[string, string]>(
    `UPDATE commands SET needs_operator = 1 WHERE id = ? AND scope = ? AND state = 'unknown'`,
  )
  return {
    get: guard((id) => read.get(id)),
    due: guard((limit) => read.due(limit)),
    unknown: guard(() => read.inState('unknown')),
    open: guard(() => read.open()),
    noteFailure: guard((id, failure) => void note.run(failureToColumn(failure), id, scope)),
    askOperator: guard((id) => void ask.run(id, scope)),
    ...createMoves(database, scope, read, appliers),
  }
}

type Moves = Omit<OutboxStore, 'get' | 'due' | 'unknown' | 'open' | 'noteFailure' | 'askOperator'>

function createMoves(database: Database, scope: string, read: Reads, appliers: FactsAppliers): Moves {
  const lease = createLease(database, `outbox ${scope}`)
  const move = createCommandMove(database, scope)
  const stop = createCommandStop(database, scope)
  const change = createChanges(database)
  const transaction = <A extends unknown[], R>(step: (...args: A) => R): ((...args: A) => R) => {
    const run = database.transaction(step)
    return guard((...args: A) => run.immediate(...args))
  }
  const markUnknown = (id: string, at: number, failure: Failure): boolean =>
    move(id, 'unknown', at, failure) && change.end.run(at, id).changes === 1
  return {
    holdLease: transaction((holder, at, forMs) => lease.hold(holder, at, forMs)),
    releaseLease: transaction((holder) => lease.release(holder)),
    recover: transaction((holder, at) => {
      const cut = lease.isHeldBy(holder) ? read.inState('sending') : []
      for (const command of cut) markUnknown(command.id, at, cutShort(command.subject.kind))
      return cut.length
    }),
    begin: transaction((id, holder, attempt) => {
      if (!lease.isHeldBy(holder) || !move(id, 'sending', attempt.at, null)) return false
      const baseline = attempt.baseline && JSON.stringify(attempt.baseline)
      return change.begin.run(attempt.serviceTime, baseline, id).changes === 1
    }),
    complete: transaction((id, at, facts) => {
      const command = read.get(id)
      if (!command || !move(id, 'done', at, null)) return false
      applyFacts(appliers, command.subject.id, facts, at)
      return true
    }),
    requeue: transaction((id, at, failure) => {
      if (!move(id, 'queued', at, failure)) return false
      change.forgetFirstTry.run(id)
      return true
    }),
    markUnknown: transaction(markUnknown),
    reject: transaction((id, at, cause, facts) => {
      const command = read.get(id)
      if (!command || !stop(id, 'rejected', at, cause)) return false
      if (facts) applyFacts(appliers, command.subject.id, facts, at)
      return true
    }),
    discard: transaction((id, at) => stop(id, 'discarded', at, null)),
  }
}

function cutShort(about: SubjectKind): Failure {
  return failure(`${about}.outcome_unknown`, { cause: 'stopped' })
}

interface Reads {
  get(id: string): CommandRow | null
  due(limit: number): CommandRow[]
  inState(state: CommandState): CommandRow[]
  open(): CommandRow[]
}

function createReads(database: Database, scope: string): Reads {
  const select = (where: string): string => `SELECT c.* FROM commands c WHERE c.scope = ? AND ${where}`
  const one = database.prepare<[string, string], CommandRecord>(select('c.id = ?'))
  const due = database.prepare<[string, number], CommandRecord>(
    select(`c.state IN ${openStates} AND c.state = 'queued' AND NOT EXISTS (SELECT 1 FROM commands p WHERE p.scope = c.scope
      AND p.aggregate = c.aggregate AND p.seq < c.seq AND p.state IN ${openStates}) ORDER BY c.seq LIMIT ?`),
  )
  const inState = database.prepare<[string, string], CommandRecord>(
    select(`c.state IN ${openStates} AND c.state = ? ORDER BY c.seq`),
  )
  const open = database.prepare<[string], CommandRecord>(select(`c.state IN ${openStates} ORDER BY c.seq`))
  return {
    get(id) {
      const record = one.get(scope, id)
      return record ? toCommandRow(record) : null
    },
    due: (limit) => due.all(scope, limit).map(toCommandRow),
    inState: (state) => inState.all(scope, state).map(toCommandRow),
    open: () => open.all(scope).map(toCommandRow),
  }
}

interface Changes {
  readonly begin: Statement<[number, string | null, string]>
  readonly end: Statement<[number, string]>
  readonly forgetFirstTry: Statement<[string]>
}

/** What changes beside the state. */
function createChanges(database: Database): Changes {
  return {
    begin: database.prepare(
      `UPDATE commands SET attempts = attempts + 1, first_sent_at = COALESCE(first_sent_at, ?),
         baseline = COALESCE(baseline, ?) WHERE id = ?`,
    ),
    end: database.prepare('UPDATE commands SET ended_at = ? WHERE id = ?'),
    forgetFirstTry: database.prepare(
      'UPDATE commands SET first_sent_at = NULL, baseline = NULL WHERE id = ? AND ended_at IS NULL',
    ),
  }
}
