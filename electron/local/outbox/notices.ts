import type { Database, Statement } from 'better-sqlite3'
import type { SubjectKind } from '#desk/ports/commands.ts'
import type { NoticeHead, NoticeRow, QueueStore } from '#desk/ports/queue-store.ts'
import { recordsFromColumn } from './question-column.ts'
import { guard } from '../sqlite-failure.ts'

interface NoticeHeadRecord {
  id: string
  kind: NoticeRow['kind']
  subject_kind: SubjectKind
  subject_id: string
  at: number
}

interface NoticeRecord extends NoticeHeadRecord {
  records: string
}

type Notices = Pick<
  QueueStore,
  'notices' | 'noticeCounts' | 'noticeHeads' | 'noticeRecords' | 'notice' | 'dismiss' | 'dismissApproved'
>

/** Most open notices with records: a service may name others at each look. Those beyond are told without them. */
const mostWithRecords = 200
/** Most notices of a kind that are listed. */
const mostListed = 100

/** See QueueStore.notice; runs inside the transaction of a caller. */
export function createNoticeInsert(database: Database, scope: string): (notice: NoticeRow) => boolean {
  const insert = database.prepare<[string, string, string, string, string, number, string, string]>(
    `INSERT INTO notices (id, scope, kind, subject_kind, subject_id, at, records, seen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const replace = database.prepare<[string, string, string, string]>(
    'UPDATE notices SET records = ?, seen = ? WHERE id = ? AND scope = ?',
  )
  const known = database
    .prepare<[string, string, string, string], number>(
      'SELECT 1 FROM notices WHERE scope = ? AND kind = ? AND subject_id = ? AND seen = ?',
    )
    .pluck()
  const open = database.prepare<[string, string, string], { id: string; seen: string }>(
    `SELECT id, seen FROM notices WHERE scope = ? AND kind = ? AND subject_id = ? AND dismissed_at IS NULL
     ORDER BY seq LIMIT 1`,
  )
  const withRecords = database
    .prepare<[string, string], number>(
      `SELECT count(*) FROM notices WHERE scope = ? AND dismissed_at IS NULL AND id <> ? AND records <> '[]'`,
    )
    .pluck()
  return ({ id, kind, subject, at, records }) => {
    const ids = records.map(({ record }) => record.serverId).toSorted()
    const seen = ids.join(' ')
    if (known.get(scope, kind, subject.id, seen) !== undefined) return false
    const before = open.get(scope, kind, subject.id)
    const told = new Set(before?.seen.split(' '))
    if (before && ids.every((one) => told.has(one))) return false
    const isKept = records.length > 0 && (withRecords.get(scope, before?.id ?? '') ?? 0) < mostWithRecords
    const column = isKept ? JSON.stringify(records) : '[]'
    if (before) return replace.run(column, seen, before.id, scope).changes === 1
    return insert.run(id, scope, kind, subject.kind, subject.id, at, column, seen).changes === 1
  }
}

/** What was noticed afterwards. The same thing is noticed once, also after somebody has read it. */
export function createNotices(database: Database, scope: string): Notices {
  const dismiss = database.prepare<[number, string | null, string, string]>(
    'UPDATE notices SET dismissed_at = ?, dismissed_by = ? WHERE id = ? AND scope = ? AND dismissed_at IS NULL',
  )
  const approved = database.prepare<[number, string | null, string, string, string]>(
    `UPDATE notices SET dismissed_at = ?, dismissed_by = ? WHERE scope = ? AND dismissed_at IS NULL
       AND kind = 'approved' AND seq <= (SELECT seq FROM notices WHERE id = ? AND scope = ?)`,
  )
  const insert = createNoticeInsert(database, scope)
  const notice = database.transaction((row: NoticeRow) => insert(row))
  return {
    ...createNoticeReads(database, scope),
    notice: guard((row) => notice.immediate(row)),
    dismiss: guard((id, at, by) => void dismiss.run(at, by, id, scope)),
    dismissApproved: guard((id, at, by) => void approved.run(at, by, scope, id, scope)),
  }
}

type NoticeReads = Pick<Notices, 'notices' | 'noticeCounts' | 'noticeHeads' | 'noticeRecords'>

function createNoticeReads(database: Database, scope: string): NoticeReads {
  const isOpen = 'scope = ? AND dismissed_at IS NULL'
  const listed = database.prepare<[string, number], NoticeRecord>(
    `SELECT n.* FROM notices n JOIN (SELECT seq, row_number() OVER (PARTITION BY kind ORDER BY seq) AS place
       FROM notices WHERE ${isOpen}) p ON p.seq = n.seq WHERE p.place <= ? ORDER BY n.seq`,
  )
  const counts = database.prepare<[string], { kind: NoticeRow['kind']; count: number }>(
    `SELECT kind, count(*) AS count FROM notices WHERE ${isOpen} GROUP BY kind`,
  )
  const heads = (order: 'ASC' | 'DESC'): Statement<[string, string, number], NoticeHeadRecord> =>
    database.prepare(
      `SELECT id, kind, subject_kind, subject_id, at FROM notices WHERE ${isOpen} AND kind = ?
       ORDER BY seq ${order} LIMIT ?`,
    )
  const from = { oldest: heads('ASC'), newest: heads('DESC') }
  const records = database
    .prepare<[string, string], string>('SELECT records FROM notices WHERE id = ? AND scope = ?')
    .pluck()
  return {
    notices: guard(() =>
      listed
        .all(scope, mostListed)
        .map((record) => ({ ...toNoticeHead(record), records: recordsFromColumn(record.records) })),
    ),
    noticeCounts: guard(() =>
      Object.fromEntries(counts.all(scope).map(({ kind, count }) => [kind, count] as const)),
    ),
    noticeHeads: guard((kind, end, limit) => from[end].all(scope, kind, limit).map(toNoticeHead)),
    noticeRecords: guard((id) => recordsFromColumn(records.get(id, scope) ?? '[]')),
  }
}

function toNoticeHead(record: NoticeHeadRecord): NoticeHead {
  const { id, kind, at } = record
  return { id, kind, at, subject: { kind: record.subject_kind, id: record.subject_id } }
}
