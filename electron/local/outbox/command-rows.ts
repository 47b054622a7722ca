import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import type { CommandHead, CommandRow, NewCommand, SubjectKind } from '#desk/ports/commands.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import { failureFromColumn } from '../failure-column.ts'
import { askedFromColumns, questionFromColumn } from './question-column.ts'

/** A row of `commands` as SQLite hands it over. */
export interface CommandRecord {
  id: string
  subject_kind: SubjectKind
  subject_id: string
  aggregate: string
  type: string
  payload: string | null
  state: CommandState
  needs_operator: number
  attempts: number
  created_at: number
  state_at: number
  first_sent_at: number | null
  ended_at: number | null
  baseline: string | null
  failure: string | null
  made_by: string | null
  question: string | null
  acknowledged: string | null
  sends_unseen: number
  watched_at: number | null
  look_around_at: number | null
}

/** The columns of a CommandHead, of `commands c`, without its question. */
export const bareHeadColumns = headColumnsWith('NULL', 'NULL')

/** The columns of a CommandHead: SQLite picks the record, so that a long question costs little. */
export const headColumns = headColumnsWith(
  "json_extract(c.question, '$.kind')",
  "json_set(json_extract(c.question, '$.records[#-1].record'), '$.brief.lines', json('[]'))",
)

function headColumnsWith(kind: string, record: string): string {
  return `c.seq, c.id, c.subject_kind, c.subject_id, c.type, c.state, c.needs_operator, c.created_at,
  c.state_at, c.first_sent_at, c.ended_at, c.failure, ${kind} AS question_kind, ${record} AS question_record`
}

export interface CommandHeadRecord {
  id: string
  subject_kind: SubjectKind
  subject_id: string
  type: string
  state: CommandState
  needs_operator: number
  created_at: number
  state_at: number
  first_sent_at: number | null
  ended_at: number | null
  failure: string | null
  question_kind: string | null
  question_record: string | null
}

export function toCommandHead(record: CommandHeadRecord): CommandHead {
  return {
    id: record.id,
    subject: { kind: record.subject_kind, id: record.subject_id },
    type: record.type,
    state: record.state,
    needsOperator: record.needs_operator === 1,
    createdAt: record.created_at,
    stateAt: record.state_at,
    firstSentAt: record.first_sent_at,
    endedAt: record.ended_at,
    failure: failureFromColumn(record.failure),
    question: askedFromColumns(record.question_kind, record.question_record),
  }
}

const ids = z.array(z.string())

export function toCommandRow(record: CommandRecord): CommandRow {
  return {
    id: record.id,
    subject: { kind: record.subject_kind, id: record.subject_id },
    aggregate: record.aggregate,
    type: record.type,
    payload: record.payload,
    state: record.state,
    needsOperator: record.needs_operator === 1,
    attempts: record.attempts,
    createdAt: record.created_at,
    stateAt: record.state_at,
    firstSentAt: record.first_sent_at,
    endedAt: record.ended_at,
    baseline: record.baseline === null ? null : ids.parse(JSON.parse(record.baseline)),
    failure: failureFromColumn(record.failure),
    madeBy: record.made_by,
    question: questionFromColumn(record.question),
    acknowledged: record.acknowledged === null ? [] : ids.parse(JSON.parse(record.acknowledged)),
    sendsUnseen: record.sends_unseen === 1,
    watchedAt: record.watched_at,
    lookAroundAt: record.look_around_at,
  }
}

export type InsertCommand = (command: NewCommand) => void

/** Puts a command at the end of the queue, for a ledger that has a transaction of its own. */
export function createCommandInsert(database: Database, scope: string): InsertCommand {
  const insert = database.prepare<{
    id: string
    scope: string
    kind: SubjectKind
    subjectId: string
    aggregate: string
    type: string
    payload: string | null
    acknowledged: string | null
    madeBy: string | null
    at: number
  }>(
    `INSERT INTO commands
       (id, scope, subject_kind, subject_id, aggregate, type, payload, acknowledged, made_by, created_at, state_at)
     VALUES (@id, @scope, @kind, @subjectId, @aggregate, @type, @payload, @acknowledged, @madeBy, @at, @at)`,
  )
  return ({ id, subject, aggregate, type, payload, acknowledged = [], madeBy, at }) =>
    void insert.run({
      ...{ id, scope, kind: subject.kind, subjectId: subject.id, aggregate, type, payload, madeBy, at },
      acknowledged: acknowledged.length === 0 ? null : JSON.stringify(acknowledged),
    })
}
