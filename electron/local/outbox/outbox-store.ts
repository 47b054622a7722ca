import type { CommandId } from '#shared/domain/ids.ts'
import type { Database, Statement } from 'better-sqlite3'
import type { EndedWatch, OutboxStore, StoredQuestion } from '#desk/ports/commands.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { deskStopped, failure, type Failure } from '#shared/errors/catalogue.ts'
import { createsNew, type SubjectKind } from '#shared/writes/write-kinds.ts'
import {
  applyFacts,
  createCommandMove,
  createCommandStop,
  type FactsAppliers,
  type CommandReads,
  createCommandReads,
} from './command-rows.ts'
import { failureToColumn } from '../failure-column.ts'
import { createLease } from './lease.ts'
import { guard } from '../sqlite-failure.ts'

/**
 * Creates the store of commands and of the sender's lease. Each transition is checked against the state table inside
 * its transaction.
 */
export function createOutboxStore(database: Database, scope: ScopeKey, appliers: FactsAppliers): OutboxStore {
  const read = createCommandReads(database, scope)
  const note = database.prepare<[string | null, string, string]>(
    `UPDATE commands SET failure = ? WHERE id = ? AND scope = ? AND state = 'queued'`,
  )
  // The baseline (the state before the first attempt) is deleted after the last check of an ended command. A refused
  // command keeps its baseline, because the command may be sent again.
  const watch = database.prepare<EndedWatch & { scope: ScopeKey }>(
    `UPDATE commands SET watch_at = @nextAt, watch_from = @watchFrom, baseline = CASE
       WHEN state IN ('done', 'discarded') AND @nextAt IS NULL THEN NULL ELSE baseline END
     WHERE id = @id AND scope = @scope AND watch_at IS NOT NULL AND ended_at = @endedAt`,
  )
  const scheduleLook = database.prepare<[number | null, string, string]>(
    'UPDATE commands SET look_around_at = ? WHERE id = ? AND scope = ?',
  )
  const watched = database.transaction((looks: readonly EndedWatch[]) => {
    for (const { id, endedAt, watchFrom, nextAt } of looks)
      watch.run({ id, endedAt, watchFrom, nextAt, scope })
  })
  const withdraw = database.prepare<[string, string]>(
    `UPDATE commands SET needs_operator = 0, question = NULL, failure = NULL
     WHERE id = ? AND scope = ? AND state = 'queued' AND needs_operator = 1`,
  )
  const withdrawn = database.transaction((ids: readonly CommandId[]) => {
    for (const id of ids) withdraw.run(id, scope)
  })
  return {
    get: guard((id) => read.get(id)),
    due: guard((limit, first, newest) => read.due(limit, first, newest)),
    unknown: guard(() => read.inState('unknown')),
    open: guard(() => read.open()),
    askedBecauseOf: guard((code) => read.askedBecauseOf(code)),
    unsettled: guard(() => read.unsettled()),
    unsettledHeads: guard(() => read.unsettledHeads()),
    unsettledCounts: guard(() => read.unsettledCounts()),
    toWatch: guard((now, latest) => read.toWatch(now, latest)),
    nextWatch: guard(() => read.nextWatch()),
    watched: guard((looks) => watched.immediate(looks)),
    toLookAround: guard((now, latest) => read.toLookAround(now, latest)),
    nextLookAround: guard(() => read.nextLookAround()),
    lookedAround: guard((id, nextAt) => void scheduleLook.run(nextAt, id, scope)),
    noteFailure: guard((id, failure) => void note.run(failureToColumn(failure), id, scope)),
    ask: createAsk(database, scope),
    withdraw: guard((ids) => withdrawn.immediate(ids)),
    ...createMoves(database, scope, read, appliers),
  }
}

function createAsk(database: Database, scope: ScopeKey): OutboxStore['ask'] {
  const ask = database.prepare<{
    question: string
    failure: string | null
    id: CommandId
    scope: ScopeKey
    state: CommandState
  }>(
    `UPDATE commands SET needs_operator = 1, question = @question, failure = COALESCE(@failure, failure)
     WHERE id = @id AND scope = @scope AND state = @state`,
  )
  return guard((id, question: StoredQuestion, failure) => {
    // a question about an outcome needs the state `unknown`, any other question the state `queued`. The question is
    // dropped if the command has left this state, for example because an operator decided to send it again
    const state = question.kind === 'outcome' ? 'unknown' : 'queued'
    const columns = { question: JSON.stringify(question), failure: failureToColumn(failure) }
    return ask.run({ ...columns, id, scope, state }).changes === 1
  })
}

type Moves = Pick<
  OutboxStore,
  | 'holdLease'
  | 'releaseLease'
  | 'recover'
  | 'begin'
  | 'complete'
  | 'requeue'
  | 'markUnknown'
  | 'doubt'
  | 'reject'
  | 'discard'
>

function createMoves(
  database: Database,
  scope: ScopeKey,
  read: CommandReads,
  appliers: FactsAppliers,
): Moves {
  const lease = createLease(database, `outbox ${scope}`)
  const move = createCommandMove(database, scope)
  const stop = createCommandStop(database, scope)
  const change = createChanges(database)
  const transaction = <A extends unknown[], R>(step: (...args: A) => R): ((...args: A) => R) => {
    const run = database.transaction(step)
    return guard((...args: A) => run.immediate(...args))
  }
  const markUnknown = (id: CommandId, at: Instant, failure: Failure): boolean =>
    move(id, 'markUnknown', at, failure) && change.end.run(at, id).changes === 1
  const release = transaction((holder: string) => lease.release(holder))
  return {
    holdLease: transaction((holder, at, forMs) => lease.hold(holder, at, forMs)),
    releaseLease(holder) {
      lease.forget(holder)
      release(holder)
    },
    recover: transaction((holder, at) => {
      const cut = lease.isHeldBy(holder) ? read.inState('sending') : []
      for (const command of cut) markUnknown(command.id, at, cutShort(command.subject.kind))
      return cut.length
    }),
    begin: transaction((id, holder, attempt) => {
      if (!lease.isHeldBy(holder) || !move(id, 'begin', attempt.at, null)) return false
      const baseline = attempt.baseline && JSON.stringify(attempt.baseline)
      return change.begin.run(attempt.serviceTime, baseline, id).changes === 1
    }),
    complete: transaction((id, at, facts) => {
      const command = read.get(id)
      if (!command || !move(id, 'complete', at, null)) return false
      const { subject, type } = command
      applyFacts(appliers, subject.id, facts, at)
      if (createsNew(subject.kind, type)) change.scheduleLook.run(at, id)
      return true
    }),
    requeue: transaction((id, at, failure) => {
      if (!move(id, 'requeue', at, failure)) return false
      change.forgetFirstTry.run(id)
      return true
    }),
    markUnknown: transaction(markUnknown),
    doubt: transaction((id, at, failure) => move(id, 'doubt', at, failure)),
    reject: transaction((id, at, cause, facts) => {
      const command = read.get(id)
      if (!command || !stop(id, 'reject', at, cause)) return false
      change.forgetUnseen.run(id)
      if (facts) applyFacts(appliers, command.subject.id, facts, at)
      return true
    }),
    discard: transaction((id, at) => stop(id, 'discard', at, null)),
  }
}

function cutShort(about: SubjectKind): Failure {
  return failure(`${about}.outcome_unknown`, { cause: deskStopped })
}

interface Changes {
  readonly begin: Statement<[number, string | null, string]>
  readonly end: Statement<[number, string]>
  readonly forgetUnseen: Statement<[string]>
  readonly forgetFirstTry: Statement<[string]>
  readonly scheduleLook: Statement<[number, string]>
}

/** Returns the functions that change other columns than the state. */
function createChanges(database: Database): Changes {
  return {
    begin: database.prepare(
      `UPDATE commands SET attempts = attempts + 1, first_sent_at = COALESCE(first_sent_at, ?),
         baseline = COALESCE(baseline, ?) WHERE id = ?`,
    ),
    // the operator's decision to send without a look is valid until the first attempt that may have arrived
    end: database.prepare('UPDATE commands SET ended_at = ?, sends_unseen = 0 WHERE id = ?'),
    forgetUnseen: database.prepare('UPDATE commands SET sends_unseen = 0 WHERE id = ?'),
    forgetFirstTry: database.prepare(
      'UPDATE commands SET first_sent_at = NULL, baseline = NULL WHERE id = ? AND ended_at IS NULL',
    ),
    scheduleLook: database.prepare('UPDATE commands SET look_around_at = ? WHERE id = ?'),
  }
}
