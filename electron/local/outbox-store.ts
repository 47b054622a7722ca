import type { Database, Statement } from 'better-sqlite3'
import type { CommandRow, LabelFacts, OutboxStore } from '#desk/ports/store.ts'
import { canMoveCommand, type CommandState } from '#shared/domain/command-state.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { type CommandRecord, toCommandRow } from './command-rows.ts'
import { failureToColumn } from './failure-column.ts'
import { createHistory } from './history.ts'
import { createLease } from './lease.ts'
import { guard } from './sqlite-failure.ts'

/** Written out in every query that wants them: only then SQLite sees that the partial index covers it. */
const openStates = `('queued', 'sending', 'unknown')`

/** Commands and the flusher's lease; every move is checked against the state table inside its transaction. */
export function createOutboxStore(database: Database, scope: string): OutboxStore {
  const read = createReads(database, scope)
  const note = database.prepare<[string | null, string, string]>(
    `UPDATE commands SET failure = ? WHERE id = ? AND scope = ? AND state = 'queued'`,
  )
  const ask = database.prepare<[string, string]>(
    `UPDATE commands SET needs_operator = 1 WHERE id = ? AND scope = ? AND state = 'unknown'`,
  )
  const claimed = database
    .prepare<[string, string], number>('SELECT 1 FROM return_labels WHERE scope = ? AND server_id = ?')
    .pluck()
  return {
    get: guard((id) => read.get(id)),
    due: guard((limit) => read.due(limit)),
    unknown: guard(() => read.inState('unknown')),
    open: guard(() => read.open()),
    isClaimed: guard((serverId) => claimed.get(scope, serverId) !== undefined),
    noteFailure: guard((id, failure) => void note.run(failureToColumn(failure), id, scope)),
    askOperator: guard((id) => void ask.run(id, scope)),
    ...createMoves(database, scope, read),
  }
}

type Moves = Omit<
  OutboxStore,
  'get' | 'due' | 'unknown' | 'open' | 'isClaimed' | 'noteFailure' | 'askOperator'
>

function createMoves(database: Database, scope: string, read: Reads): Moves {
  const lease = createLease(database, `outbox ${scope}`)
  const move = createMove(database, read)
  const change = createChanges(database, scope)
  const transaction = <A extends unknown[], R>(step: (...args: A) => R): ((...args: A) => R) => {
    const run = database.transaction(step)
    return guard((...args: A) => run.immediate(...args))
  }
  const markUnknown = (id: string, at: number, failure: Failure): boolean =>
    move(id, 'unknown', at, failure) && change.end.run(at, id).changes === 1
  const stop = (id: string, to: CommandState, at: number, failure: Failure | null): boolean => {
    if (!move(id, to, at, failure)) return false
    for (const follower of change.followers.all(id, scope)) move(follower, 'discarded', at, null)
    return true
  }
  return {
    holdLease: transaction((holder, at, forMs) => lease.hold(holder, at, forMs)),
    releaseLease: transaction((holder) => lease.release(holder)),
    recover: transaction((holder, at) => {
      const cut = lease.isHeldBy(holder) ? read.inState('sending') : []
      const failure = { code: 'return_label.outcome_unknown', params: { cause: 'stopped' } } as const
      for (const command of cut) markUnknown(command.id, at, failure)
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
      change.noteFacts(command.labelId, facts)
      return true
    }),
    requeue: transaction((id, at, failure) => {
      if (!move(id, 'queued', at, failure)) return false
      change.forgetFirstTry.run(id)
      return true
    }),
    markUnknown: transaction(markUnknown),
    reject: transaction((id, at, failure) => stop(id, 'rejected', at, failure)),
    discard: transaction((id, at) => stop(id, 'discarded', at, null)),
  }
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

type Move = (id: string, to: CommandState, at: number, failure: Failure | null) => boolean

function createMove(database: Database, read: Reads): Move {
  const history = createHistory(database)
  const update = database.prepare<[string, number, string | null, string, string]>(
    'UPDATE commands SET state = ?, state_at = ?, failure = ?, needs_operator = 0 WHERE id = ? AND state = ?',
  )
  return (id, to, at, failure) => {
    const from = read.get(id)?.state
    if (!from || !canMoveCommand(from, to)) return false
    const column = failureToColumn(failure)
    history.note(id, at, from, to, column)
    return update.run(to, at, column, id, from).changes === 1
  }
}

interface Changes {
  readonly begin: Statement<[number, string | null, string]>
  readonly end: Statement<[number, string]>
  readonly forgetFirstTry: Statement<[string]>
  readonly followers: Statement<[string, string], string>
  noteFacts(labelId: string, facts: LabelFacts): void
}

/** What changes beside the state. */
function createChanges(database: Database, scope: string): Changes {
  const label = database.prepare<[string, string | null, string | null, string]>(
    'UPDATE return_labels SET server_id = ?, external_reference = ?, tracking_code = ? WHERE id = ?',
  )
  const code = database.prepare<[string, string, string]>(
    'INSERT INTO return_label_codes (scope, code, label_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  return {
    begin: database.prepare(
      `UPDATE commands SET attempts = attempts + 1, first_sent_at = COALESCE(first_sent_at, ?),
         baseline = COALESCE(baseline, ?) WHERE id = ?`,
    ),
    end: database.prepare('UPDATE commands SET ended_at = ? WHERE id = ?'),
    forgetFirstTry: database.prepare(
      'UPDATE commands SET first_sent_at = NULL, baseline = NULL WHERE id = ? AND ended_at IS NULL',
    ),
    followers: database
      .prepare<[string, string], string>(
        `SELECT f.id FROM commands c JOIN commands f ON f.label_id = c.label_id AND f.seq > c.seq
         WHERE c.id = ? AND c.scope = ? AND f.state = 'queued'`,
      )
      .pluck(),
    noteFacts(labelId, facts) {
      label.run(facts.serverId, facts.externalReference, facts.trackingCode, labelId)
      for (const text of facts.codes) code.run(scope, text, labelId)
    },
  }
}
