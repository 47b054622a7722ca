import type { Database } from 'better-sqlite3'
import type { CommandHead, CommandRow } from '#desk/ports/commands.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import {
  type CommandHeadRecord,
  type CommandRecord,
  headColumns,
  toCommandHead,
  toCommandRow,
} from './command-rows.ts'

/** Written out in every query that wants them: only then SQLite sees that the partial index covers it. */
const openStates = `('queued', 'sending', 'unknown')`

/** Commands of one scope, for the outbox and the queue. */
export interface CommandReads {
  get(id: string): CommandRow | null
  due(limit: number): CommandRow[]
  inState(state: CommandState): CommandRow[]
  open(): CommandRow[]
  unsettled(): CommandRow[]
  unsettledHeads(): CommandHead[]
  endedAmbiguously(since: number): CommandRow[]
  toLookAround(): CommandRow[]
}

export function createCommandReads(database: Database, scope: string): CommandReads {
  const select = (where: string, columns = 'c.*'): string =>
    `SELECT ${columns} FROM commands c WHERE c.scope = ? AND ${where}`
  const one = database.prepare<[string, string], CommandRecord>(select('c.id = ?'))
  const due = database.prepare<[string, number], CommandRecord>(
    select(`c.state IN ${openStates} AND c.state = 'queued' AND c.needs_operator = 0
      AND NOT EXISTS (SELECT 1 FROM commands p WHERE p.scope = c.scope AND p.aggregate = c.aggregate
        AND p.seq < c.seq AND p.state IN ${openStates}) ORDER BY c.seq LIMIT ?`),
  )
  const inState = database.prepare<[string, string], CommandRecord>(
    select(`c.state IN ${openStates} AND c.state = ? ORDER BY c.seq`),
  )
  const open = database.prepare<[string], CommandRecord>(select(`c.state IN ${openStates} ORDER BY c.seq`))
  // a newer one of the same kind for the same subject is an answer to the refusal
  const refused = `c.state = 'rejected' AND NOT EXISTS (SELECT 1 FROM commands n
    WHERE n.subject_kind = c.subject_kind AND n.subject_id = c.subject_id AND n.type = c.type AND n.seq > c.seq)`
  const unsettled = database.prepare<[string, string], CommandRecord>(
    `${select(`c.state IN ${openStates}`)} UNION ALL ${select(refused)} ORDER BY seq`,
  )
  const heads = database.prepare<[string, string], CommandHeadRecord>(
    `${select(`c.state IN ${openStates}`, headColumns)} UNION ALL ${select(refused, headColumns)} ORDER BY seq`,
  )
  const ambiguous = database.prepare<[string, number], CommandRecord>(
    select(`c.ended_at >= ? AND c.state IN ('done', 'rejected', 'discarded') ORDER BY c.seq`),
  )
  const around = database.prepare<[string], CommandRecord>(
    select('c.look_around_at IS NOT NULL ORDER BY c.look_around_at'),
  )
  return {
    get(id) {
      const record = one.get(scope, id)
      return record ? toCommandRow(record) : null
    },
    due: (limit) => due.all(scope, limit).map(toCommandRow),
    inState: (state) => inState.all(scope, state).map(toCommandRow),
    open: () => open.all(scope).map(toCommandRow),
    unsettled: () => unsettled.all(scope, scope).map(toCommandRow),
    unsettledHeads: () => heads.all(scope, scope).map(toCommandHead),
    endedAmbiguously: (since) => ambiguous.all(scope, since).map(toCommandRow),
    toLookAround: () => around.all(scope).map(toCommandRow),
  }
}
