import { z } from 'zod'
import type { CommandRow } from '#desk/ports/store.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import { failureFromColumn } from './failure-column.ts'

/** A row of `commands` as SQLite hands it over. */
export interface CommandRecord {
  id: string
  label_id: string
  aggregate: string
  type: string
  state: CommandState
  needs_operator: number
  attempts: number
  created_at: number
  state_at: number
  first_sent_at: number | null
  ended_at: number | null
  baseline: string | null
  failure: string | null
}

const ids = z.array(z.string())

export function toCommandRow(record: CommandRecord): CommandRow {
  return {
    id: record.id,
    labelId: record.label_id,
    aggregate: record.aggregate,
    type: record.type,
    state: record.state,
    needsOperator: record.needs_operator === 1,
    attempts: record.attempts,
    createdAt: record.created_at,
    stateAt: record.state_at,
    firstSentAt: record.first_sent_at,
    endedAt: record.ended_at,
    baseline: record.baseline === null ? null : ids.parse(JSON.parse(record.baseline)),
    failure: failureFromColumn(record.failure),
  }
}
