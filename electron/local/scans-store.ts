import type { Database } from 'better-sqlite3'
import type { ScanRow, ScansStore } from '#desk/ports/store.ts'
import { guard } from './sqlite-failure.ts'

/** The scan journal. */
export function createScansStore(database: Database, scope: string): ScansStore {
  const append = database.prepare<[string, string, string, number]>(
    'INSERT INTO scans (id, scope, raw, at) VALUES (?, ?, ?, ?)',
  )
  const resolve = database.prepare<[string, string | null, string | null, string, string]>(
    'UPDATE scans SET kind = ?, title = ?, subject_id = ? WHERE id = ? AND scope = ?',
  )
  const get = database.prepare<[string, string], ScanRow>(
    'SELECT id, raw, at, kind, title FROM scans WHERE id = ? AND scope = ?',
  )
  const recent = database.prepare<[string, number], ScanRow>(
    'SELECT id, raw, at, kind, title FROM scans WHERE scope = ? ORDER BY seq DESC LIMIT ?',
  )
  return {
    append: guard((scan) => void append.run(scan.id, scope, scan.raw, scan.at)),
    resolve: guard((id, found) => void resolve.run(found.kind, found.title, found.subjectId, id, scope)),
    get: guard((id) => get.get(id, scope) ?? null),
    recent: guard((limit) => recent.all(scope, limit)),
  }
}
