import type { Database } from 'better-sqlite3'
import { type CommandMove, type CommandState, movedCommand } from '#shared/domain/command-state.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { type CommandFacts, type FactsOf, fallsWith, type SubjectKind } from '#shared/writes/write-kinds.ts'
import { failureToColumn } from '../failure-column.ts'

/** Moves a command, inside the caller's transaction. False: the state table does not allow it from its state. */
export type MoveCommand = (id: string, move: CommandMove, at: number, failure: Failure | null) => boolean

export function createCommandMove(database: Database, scope: string): MoveCommand {
  const history = createHistory(database)
  const state = database
    .prepare<[string, string], CommandState>('SELECT state FROM commands WHERE scope = ? AND id = ?')
    .pluck()
  // what was there before the first try is asked only where a try was ambiguous (late arrivals, too)
  const update = database.prepare<{
    id: string
    from: string
    to: string
    at: number
    failure: string | null
  }>(
    `UPDATE commands SET state = @to, state_at = @at, failure = @failure, needs_operator = 0, question = NULL,
       baseline = CASE WHEN @to IN ('done', 'rejected', 'discarded') AND ended_at IS NULL THEN NULL ELSE baseline END
     WHERE id = @id AND state = @from`,
  )
  return (id, move, at, failure) => {
    const from = state.get(scope, id)
    const to = from ? movedCommand(from, move) : null
    if (!from || !to) return false
    const column = failureToColumn(failure)
    history.note(id, at, from, to, column)
    return update.run({ id, from, to, at, failure: column }).changes === 1
  }
}

/**
 * Ends a command without its effect, and with it what waits behind it in vain. What waits behind another of the same type
 * between them waits for that one.
 */
export function createCommandStop(database: Database, scope: string): MoveCommand {
  const move = createCommandMove(database, scope)
  const followers = database.prepare<
    [string, string],
    { id: string; kind: SubjectKind; type: string; failed: string }
  >(
    `SELECT f.id, f.subject_kind AS kind, f.type, c.type AS failed FROM commands c JOIN commands f
       ON f.subject_kind = c.subject_kind AND f.subject_id = c.subject_id AND f.seq > c.seq
     WHERE c.id = ? AND c.scope = ? AND f.state = 'queued'
       AND NOT EXISTS (SELECT 1 FROM commands n WHERE n.subject_kind = c.subject_kind
         AND n.subject_id = c.subject_id AND n.type = c.type AND n.seq > c.seq AND n.seq < f.seq
         AND n.state IN ('queued', 'sending', 'unknown'))`,
  )
  return (id, ending, at, failure) => {
    if (!move(id, ending, at, failure)) return false
    for (const waiting of followers.all(id, scope))
      if (fallsWith(waiting.kind, waiting.type, waiting.failed)) move(waiting.id, 'discard', at, null)
    return true
  }
}

/** Writes what an answer said into the ledger of its subject; runs inside the outbox's transaction. */
export type ApplyFacts<K extends SubjectKind = SubjectKind> = (
  subjectId: string,
  facts: FactsOf<K>,
  at: number,
) => void

/** One for each kind of subject. */
export type FactsAppliers = { readonly [K in SubjectKind]: ApplyFacts<K> }

/** Hands the facts to the ledger of their kind. */
export function applyFacts(
  appliers: FactsAppliers,
  subjectId: string,
  facts: CommandFacts,
  at: number,
): void {
  applierOf(appliers, facts.kind)(subjectId, facts, at)
}

function applierOf<K extends SubjectKind>(appliers: FactsAppliers, kind: K): ApplyFacts<K> {
  return appliers[kind]
}

/** Every move of a command or a print job, with its time, for the operator's questions afterwards. */
interface History {
  note(subjectId: string, at: number, from: string, to: string, failure: string | null): void
}

export function createHistory(database: Database): History {
  const insert = database.prepare<[string, number, string, string, string | null]>(
    'INSERT INTO history (subject_id, at, from_state, to_state, failure) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    note: (subjectId, at, from, to, failure) => void insert.run(subjectId, at, from, to, failure),
  }
}
