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

type Notices = Pick<QueueStore, 'notices' | 'notice' | 'dismiss'>

/** What was noticed afterwards. The same thing is noticed once, also after somebody has read it. */
export function createNotices(database: Database, scope: string): Notices {
  const all = database.prepare<[string], NoticeRecord>(
    'SELECT * FROM notices WHERE scope = ? AND dismissed_at IS NULL ORDER BY seq',
  )
  const insert = database.prepare<[string, string, string, string, string, number, string, string]>(
    `INSERT INTO notices (id, scope, kind, subject_kind, subject_id, at, records, seen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, kind, subject_id, seen) DO NOTHING`,
  )
  const dismiss = database.prepare<[number, string | null, string, string]>(
    'UPDATE notices SET dismissed_at = ?, dismissed_by = ? WHERE id = ? AND scope = ? AND dismissed_at IS NULL',
  )
  return {
    notices: guard(() => all.all(scope).map(toNoticeRow)),
    notice: guard(({ id, kind, subject, at, records }) => {
      const seen = records.map(({ record }) => record.serverId).toSorted()
      const columns = [JSON.stringify(records), seen.join(' ')] as const
      return insert.run(id, scope, kind, subject.kind, subject.id, at, ...columns).changes === 1
    }),
    dismiss: guard((id, at, by) => void dismiss.run(at, by, id, scope)),
  }
}

function toNoticeRow(record: NoticeRecord): NoticeRow {
  const { id, kind, at } = record
  const subject = { kind: record.subject_kind, id: record.subject_id }
  return { id, kind, at, subject, records: recordsFromColumn(record.records) }
}
