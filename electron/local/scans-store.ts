import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import type { ScanChoice, ScanChoiceKey, ScanChoicesStore, ScanRow, ScansStore } from '#desk/ports/store.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { guard } from './sqlite-failure.ts'

/** Creates the store of the scan journal. */
export function createScansStore(database: Database, scope: ScopeKey): ScansStore {
  const append = database.prepare<{ id: string; scope: ScopeKey; raw: string; at: Instant }>(
    'INSERT INTO scans (id, scope, raw, at) VALUES (@id, @scope, @raw, @at)',
  )
  const resolve = database.prepare<{
    id: string
    scope: ScopeKey
    kind: string
    title: string | null
    subjectId: string | null
  }>(
    'UPDATE scans SET kind = @kind, title = @title, subject_id = @subjectId WHERE id = @id AND scope = @scope',
  )
  const get = database.prepare<[string, string], ScanRow>(
    'SELECT id, raw, at, kind, title FROM scans WHERE id = ? AND scope = ?',
  )
  const recent = database.prepare<[string, number], ScanRow>(
    'SELECT id, raw, at, kind, title FROM scans WHERE scope = ? ORDER BY seq DESC LIMIT ?',
  )
  return {
    append: guard(({ id, raw, at }) => void append.run({ id, scope, raw, at })),
    resolve: guard(
      (id, { kind, title, subjectId }) => void resolve.run({ id, scope, kind, title, subjectId }),
    ),
    get: guard((id) => get.get(id, scope) ?? null),
    recent: guard((limit) => recent.all(scope, limit)),
  }
}

interface ChoiceRecord extends Omit<ScanChoice, 'chosen' | 'chosenAt'> {
  subject_id: string | null
  among: string | null
  chosen_at: number
}

interface Key extends ScanChoiceKey {
  readonly scope: ScopeKey
}

interface NewChoice extends Key {
  readonly kind: string
  readonly subjectId: string | null
  readonly among: string | null
  readonly chosenAt: Instant
}

const isKey = 'scope = @scope AND reach = @reach AND code = @code AND expect = @expect'

/**
 * Maximum number of stored choices of a scope. Without a maximum, a compromised page could store any number of choices.
 */
const mostChoices = 5_000
const dayMs = 24 * 3600_000

/** Creates the store of one scope's choices: what an operator chose for a scan that matched several records. */
export function createScanChoicesStore(database: Database, scope: ScopeKey): ScanChoicesStore {
  const one = database.prepare<Key, ChoiceRecord>(`SELECT * FROM scan_choices WHERE ${isKey}`)
  const put = database.prepare<NewChoice>(
    `INSERT INTO scan_choices (scope, reach, code, expect, kind, subject_id, among, chosen_at, used_at)
     VALUES (@scope, @reach, @code, @expect, @kind, @subjectId, @among, @chosenAt, @chosenAt)
     ON CONFLICT DO UPDATE SET kind = excluded.kind, subject_id = excluded.subject_id, among = excluded.among,
       chosen_at = excluded.chosen_at, used_at = excluded.used_at`,
  )
  const count = database
    .prepare<[string], number>('SELECT count(*) FROM scan_choices WHERE scope = ?')
    .pluck()
  const dropOldest = database.prepare<{ scope: ScopeKey; excess: number }>(
    `DELETE FROM scan_choices WHERE scope = @scope AND (reach, code, expect) IN
       (SELECT reach, code, expect FROM scan_choices WHERE scope = @scope
        ORDER BY used_at, reach, code, expect LIMIT @excess)`,
  )
  const usedAt = database.prepare<Key, number>(`SELECT used_at FROM scan_choices WHERE ${isKey}`).pluck()
  const use = database.prepare<Key & { at: Instant }>(`UPDATE scan_choices SET used_at = @at WHERE ${isKey}`)
  const store = database.transaction((choice: NewChoice) => {
    put.run(choice)
    const excess = (count.get(scope) ?? 0) - mostChoices
    if (excess > 0) dropOldest.run({ scope, excess })
  })
  const forget = database.prepare<Key>(`DELETE FROM scan_choices WHERE ${isKey}`)
  return {
    get: guard(({ reach, code, expect }) => {
      const record = one.get({ scope, reach, code, expect })
      return record ? toChoice(record) : null
    }),
    put: guard(({ reach, code, expect, kind, chosen, chosenAt }) => {
      const among = chosen && JSON.stringify(chosen.among)
      const subjectId = chosen?.subjectId ?? null
      store.immediate({ scope, reach, code, expect, kind, subjectId, among, chosenAt })
    }),
    used: guard(({ reach, code, expect }, at) => {
      const key = { scope, reach, code, expect }
      // the time of use is updated at most once a day, because an update at each scan would fill the journal
      if (at - (usedAt.get(key) ?? at) >= dayMs) use.run({ ...key, at })
    }),
    forget: guard(({ reach, code, expect }) => void forget.run({ scope, reach, code, expect })),
  }
}

const ids = z.array(z.string())

function toChoice({ reach, code, expect, kind, subject_id, among, chosen_at }: ChoiceRecord): ScanChoice {
  const chosen =
    subject_id === null || among === null
      ? null
      : { subjectId: subject_id, among: ids.parse(JSON.parse(among)) }
  return { reach, code, expect, kind, chosen, chosenAt: chosen_at }
}
