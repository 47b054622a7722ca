import { join } from 'node:path'
import { z } from 'zod'
import { openSqlite } from '#kit/open-sqlite.ts'
import { type DeskTruth, readDesk } from '../outbox/truth.ts'

/** A question about a command, with the service's ids of the shown records. */
export interface Question {
  readonly kind: string
  readonly ids: readonly string[]
}

export interface Decision {
  readonly commandId: string
  readonly decision: string
  /** The record that the operator adopted. Null if the decision was not `adopt`. */
  readonly adoptedId: string | null
  /** The question that the operator saw before the decision. Null if there was none. */
  readonly question: Question | null
}

export interface Notice {
  readonly kind: string
  readonly subjectId: string
  readonly ids: readonly string[]
}

/** The content of the desk.db of one desk. */
export interface Memory extends DeskTruth {
  readonly decisions: readonly Decision[]
  /** All notices, including dismissed ones. */
  readonly notices: readonly Notice[]
  /** Open questions by the id of their command. */
  readonly questions: ReadonlyMap<string, Question>
}

const records = z.array(z.object({ record: z.object({ serverId: z.string() }) }))
const question = z
  .object({ kind: z.string(), records: records.optional() })
  .transform(({ kind, records: shown = [] }) => ({ kind, ids: shown.map(({ record }) => record.serverId) }))
const shown = z.object({ question: question.nullable() })

export function readMemory(deskFolder: string): Memory {
  const truth = readDesk(deskFolder)
  const database = openSqlite(join(deskFolder, 'desk.db'), 'cache', { readonly: true })
  try {
    const decisions = database
      .prepare<[], { command_id: string; decision: string; details: string | null; shown: string }>(
        'SELECT command_id, decision, details, shown FROM decisions ORDER BY seq',
      )
      .all()
    const notices = database
      .prepare<[], { kind: string; subject_id: string; records: string }>(
        'SELECT kind, subject_id, records FROM notices ORDER BY seq',
      )
      .all()
    const asked = database
      .prepare<[], { id: string; question: string }>(
        `SELECT id, question FROM commands WHERE needs_operator = 1 AND question IS NOT NULL`,
      )
      .all()
    return {
      ...truth,
      decisions: decisions.map((row) => ({
        commandId: row.command_id,
        decision: row.decision,
        adoptedId:
          row.decision === 'adopt' && row.details !== null ? z.string().parse(JSON.parse(row.details)) : null,
        question: shown.parse(JSON.parse(row.shown)).question,
      })),
      notices: notices.map((row) => ({
        kind: row.kind,
        subjectId: row.subject_id,
        ids: records.parse(JSON.parse(row.records)).map(({ record }) => record.serverId),
      })),
      questions: new Map(asked.map((row) => [row.id, question.parse(JSON.parse(row.question))])),
    }
  } finally {
    database.close()
  }
}
