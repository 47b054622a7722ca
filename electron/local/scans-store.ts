import type { Database } from 'better-sqlite3'
import type { ScanRow, ScansStore } from '#desk/ports/store.ts'
import { guard } from './sqlite-failure.ts'

/** The scan journal. */
export function createScansStore(database: Database, scope: string): ScansStore {
  const append = database.prepare<{ id: string; scope: string; raw: string; at: number }>(
    'INSERT INTO scans (id, scope, raw, at) VALUES (@id, @scope, @raw, @at)',
  )
  const resolve = database.prepare<{
    id: string
    scope: string
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
