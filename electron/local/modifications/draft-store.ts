import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import type { DraftStore } from '#desk/ports/modification-store.ts'
import {
  draftCauses,
  type DraftHistory,
  type DraftState,
  newDraftHistory,
  modificationReasons,
} from '#shared/domain/modification.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { guard } from '../sqlite-failure.ts'

interface DraftRecord {
  seq: number
  cause: string
  state: string
}

interface NewRecord extends DraftRecord {
  scope: ScopeKey
  at: Instant
}

const storedState = z.object({
  reason: z.enum(modificationReasons).nullable(),
  locationId: z.string().nullable(),
  lines: z.array(
    z.object({
      variant: z.object({
        id: z.string(),
        name: z.string(),
        articleCode: z.string(),
        ean: z.string().nullable(),
      }),
      quantity: z.number().int(),
    }),
  ),
  note: z.string(),
  step: z.union([z.literal(1), z.literal(-1)]),
  isStepSaid: z.boolean(),
  corrects: z.string().optional(),
}) satisfies z.ZodType<DraftState>

/**
 * Returns the function that saves a draft inside the caller's transaction. The function also stores the current time,
 * because the purge removes old drafts by this time.
 */
export function createDraftSave(
  database: Database,
  scope: ScopeKey,
  now: () => Instant = Date.now,
): DraftStore['save'] {
  const insert =
    'INSERT INTO modification_draft (scope, seq, cause, state, at) VALUES (@scope, @seq, @cause, @state, @at)'
  const put = database.prepare<NewRecord>(
    `${insert} ON CONFLICT DO UPDATE SET cause = excluded.cause, state = excluded.state, at = excluded.at`,
  )
  const start = database.prepare<NewRecord>(`${insert} ON CONFLICT DO NOTHING`)
  const trim = database.prepare<[string, number, number]>(
    'DELETE FROM modification_draft WHERE scope = ? AND (seq < ? OR seq > ?)',
  )
  return (history) => {
    const first = history[0]
    const last = history.at(-1) ?? first
    trim.run(scope, first.seq, last.seq)
    const at = now()
    start.run({ ...first, scope, at, state: JSON.stringify(first.state) })
    put.run({ ...last, scope, at, state: JSON.stringify(last.state) })
  }
}

/**
 * Creates the store of the draft. The store has one row for each state to which the operator can return with undo. A
 * scan therefore writes only one row, however long the history is.
 */
export function createDraftStore(database: Database, scope: ScopeKey): DraftStore {
  const all = database.prepare<[string], DraftRecord>(
    'SELECT seq, cause, state FROM modification_draft WHERE scope = ? ORDER BY seq',
  )
  const save = database.transaction(createDraftSave(database, scope))
  return {
    read: guard(() => {
      const [first, ...rest] = all.all(scope).map(toEntry)
      return first ? [first, ...rest] : newDraftHistory
    }),
    save: guard((history) => save.immediate(history)),
  }
}

/** Returns the function that removes the draft. The function runs inside the transaction that books the draft. */
export function createDraftRemoval(database: Database, scope: ScopeKey): () => void {
  const remove = database.prepare<[string]>('DELETE FROM modification_draft WHERE scope = ?')
  return () => void remove.run(scope)
}

function toEntry({ seq, cause, state }: DraftRecord): DraftHistory[0] {
  return {
    seq,
    cause: z.enum(draftCauses).parse(cause),
    state: storedState.parse(JSON.parse(state)),
  }
}
