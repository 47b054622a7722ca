import type { Database } from 'better-sqlite3'
import type { SubjectKind } from '#desk/ports/commands.ts'
import type { NoticeRow, QueueStore } from '#desk/ports/queue-store.ts'
import { recordsFromColumn } from './question-column.ts'
import { guard } from '../sqlite-failure.ts'

interface NoticeRecord {
  id: string
  kind: NoticeRow['kind']
  subject_kind: SubjectKind
  subject_id: string
  at: number
  records: string
}

type Notices = Pick<QueueStore, 'notices' | 'notice' | 'dismiss' | 'dismissApproved'>

/** Writes a notice, inside the transaction of a caller; false: the same was noticed before. */
export function createNoticeInsert(database: Database, scope: string): (notice: NoticeRow) => boolean {
  const insert = database.prepare<[string, string, string, string, string, number, string, string]>(
    `INSERT INTO notices (id, scope, kind, subject_kind, subject_id, at, records, seen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, kind, subject_id, seen) DO NOTHING`,
  )
  return ({ id, kind, subject, at, records }) => {
    const seen = records.map(({ record }) => record.serverId).toSorted()
    const columns = [JSON.stringify(records), seen.join(' ')] as const
    return insert.run(id, scope, kind, subject.kind, subject.id, at, ...columns).changes === 1
  }
}

/** What was noticed afterwards. The same thing is noticed once, also after somebody has read it. */
export function createNotices(database: Database, scope: string): Notices {
  const all = database.prepare<[string], NoticeRecord>(
    'SELECT * FROM notices WHERE scope = ? AND dismissed_at IS NULL ORDER BY seq',
  )
  const dismiss = database.prepare<[number, string | null, string, string]>(
    'UPDATE notices SET dismissed_at = ?, dismissed_by = ? WHERE id = ? AND scope = ? AND dismissed_at IS NULL',
  )
  const approved = database.prepare<[number, string | null, string, string, string]>(
    `UPDATE notices SET dismissed_at = ?, dismissed_by = ? WHERE scope = ? AND dismissed_at IS NULL
       AND kind = 'approved' AND seq <= (SELECT seq FROM notices WHERE id = ? AND scope = ?)`,
  )
  return {
    notices: guard(() => all.all(scope).map(toNoticeRow)),
    notice: guard(createNoticeInsert(database, scope)),
    dismiss: guard((id, at, by) => void dismiss.run(at, by, id, scope)),
    dismissApproved: guard((id, at, by) => void approved.run(at, by, scope, id, scope)),
  }
}

function toNoticeRow(record: NoticeRecord): NoticeRow {
  const { id, kind, at } = record
  const subject = { kind: record.subject_kind, id: record.subject_id }
  return { id, kind, at, subject, records: recordsFromColumn(record.records) }
}
