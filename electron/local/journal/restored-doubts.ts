import type { Database } from 'better-sqlite3'
import type { SubjectKind } from '#desk/ports/commands.ts'
import { type ErrorCode, failure } from '#shared/errors/catalogue.ts'
import { failureToColumn } from '../failure-column.ts'

/** By how much this machine's clock may be ahead of the service's, and a look still goes back far enough. */
const dayMs = 24 * 3600_000

const creations: readonly { kind: SubjectKind; code: ErrorCode }[] = [
  { kind: 'return_label', code: 'return_label.outcome_unknown' },
  { kind: 'modification', code: 'modification.outcome_unknown' },
]

/**
 * For a desk.db of which the newest part is missing: what waits in it may have been sent and printed since. Whatever makes
 * something new at the service becomes `unknown`, so that it is looked for before it is sent; paper waits for the
 * operator. Changes, requests and cancellations lead to the same end when they are sent twice.
 */
export function doubtRestored(database: Database, at: number): void {
  const run = database.transaction(() => {
    for (const { kind, code } of creations) {
      const why = failureToColumn(failure(code, { cause: 'restored' }))
      const which = `state = 'queued' AND subject_kind = @kind AND type LIKE '%.create'`
      database
        .prepare(
          `INSERT INTO history (subject_id, at, from_state, to_state, failure)
             SELECT id, @at, state, 'unknown', @why FROM commands WHERE ${which} ORDER BY seq`,
        )
        .run({ at, why, kind })
      database
        .prepare(
          `UPDATE commands SET state = 'unknown', state_at = @at, ended_at = @at, failure = @why,
             first_sent_at = COALESCE(first_sent_at, created_at - ${dayMs}) WHERE ${which}`,
        )
        .run({ at, why, kind })
    }
    const why = failureToColumn(failure('printer.outcome_unknown', { cause: 'restored' }))
    database
      .prepare(
        `UPDATE print_jobs SET state = 'unknown', state_at = @at, failure = @why WHERE state IN ('queued', 'sending', 'refused')`,
      )
      .run({ at, why })
  })
  run.immediate()
}
