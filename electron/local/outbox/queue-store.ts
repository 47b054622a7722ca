import { commandId, type CommandId, type ServerId } from '#shared/domain/ids.ts'
import { randomUUID } from 'node:crypto'
import type { Database, Statement } from 'better-sqlite3'
import type {
  CommandRow,
  DecisionEffect,
  DecisionNote,
  NoticeHead,
  NoticeRow,
  QueueStore,
  TakenInto,
} from '#desk/ports/commands.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { SubjectKind } from '#shared/writes/write-kinds.ts'
import {
  applyFacts,
  createCommandMove,
  createCommandStop,
  type FactsAppliers,
  createCommandInsert,
  createCommandReads,
  recordsFromColumn,
  subjectOf,
} from './command-rows.ts'
import { createDraftSave } from '../modifications/draft-store.ts'
import { createScopeValues } from '../scope-values.ts'
import { guard } from '../sqlite-failure.ts'

/**
 * Creates the store of operators' decisions about commands, and of notices. Each decision is logged in the transaction
 * that applies it.
 */
export function createQueueStore(database: Database, scope: ScopeKey, appliers: FactsAppliers): QueueStore {
  const reads = createCommandReads(database, scope)
  const take = createEffects(database, scope, appliers)
  const log = createLog(database, scope)
  const decide = database.transaction(
    (note: DecisionNote, from: CommandRow['state'], effect: DecisionEffect): boolean => {
      const command = reads.get(note.commandId)
      if (command?.state !== from || !take(command, effect, note.at)) return false
      log(command, note)
      return true
    },
  )
  return {
    decide: guard((note, from, effect) => decide.immediate(note, from, effect)),
    ...createNotices(database, scope),
  }
}

type Take = (command: CommandRow, effect: DecisionEffect, at: Instant) => boolean

function createEffects(database: Database, scope: ScopeKey, appliers: FactsAppliers): Take {
  const move = createCommandMove(database, scope)
  const stop = createCommandStop(database, scope)
  const changes = createChanges(database, scope)
  const queueAgain = createQueueAgain(database, scope)
  const putAway = createPutAway(database, scope)
  return (command, effect, at) => {
    const { id, state, failure } = command
    switch (effect.do) {
      case 'adopt':
        if (!move(id, 'complete', at, null)) return false
        applyFacts(appliers, command.subject.id, effect.facts, at)
        return true
      case 'send_again':
        changes.acknowledge(command, effect.acknowledged)
        return move(id, 'requeue', at, failure) && changes.sendUnseen(id)
      case 'go_on':
        changes.acknowledge(command, effect.acknowledged)
        return changes.withdraw(id)
      case 'retry':
        if (state !== 'rejected') return changes.withdraw(id)
        return move(id, 'requeue', at, null) && queueAgain(command, at)
      case 'send_unchecked':
        return changes.withdraw(id) && changes.sendUnseen(id)
      case 'discard':
        return stop(id, 'discard', at, null)
      case 'take_out':
        return stop(id, 'discard', at, null) && putAway(effect.into, at)
      case 'nothing':
        return true
    }
  }
}

interface Changes {
  acknowledge(command: CommandRow, ids: readonly ServerId[]): void
  sendUnseen(id: CommandId): boolean
  withdraw(id: CommandId): boolean
}

function createChanges(database: Database, scope: ScopeKey): Changes {
  const acknowledge = database.prepare<[string, string, string]>(
    'UPDATE commands SET acknowledged = ? WHERE id = ? AND scope = ?',
  )
  const unseen = database.prepare<[string, string]>(
    'UPDATE commands SET sends_unseen = 1 WHERE id = ? AND scope = ?',
  )
  const withdraw = database.prepare<[string, string]>(
    'UPDATE commands SET needs_operator = 0, question = NULL WHERE id = ? AND scope = ?',
  )
  return {
    acknowledge({ id, acknowledged }, ids) {
      acknowledge.run(JSON.stringify([...new Set([...acknowledged, ...ids])]), id, scope)
    },
    sendUnseen: (id) => unseen.run(id, scope).changes === 1,
    withdraw: (id) => withdraw.run(id, scope).changes === 1,
  }
}

interface Fallen {
  type: string
  payload: string | null
  made_by: string | null
}

/**
 * Puts a refused command behind the unfinished commands that follow it in its queue, so that these are sent first: for
 * example, the correction of an address that the service refused. Commands that were discarded together with the
 * refused command are queued again after it, as new commands.
 */
function createQueueAgain(database: Database, scope: ScopeKey): (command: CommandRow, at: Instant) => true {
  const insert = createCommandInsert(database, scope)
  const fallen = database.prepare<[string, string, number], Fallen>(
    `SELECT f.type, f.payload, f.made_by FROM commands c JOIN commands f
       ON f.subject_kind = c.subject_kind AND f.subject_id = c.subject_id AND f.seq > c.seq
     WHERE c.id = ? AND c.scope = ? AND f.state = 'discarded' AND f.attempts = 0 AND f.state_at = ?
     ORDER BY f.seq`,
  )
  const goLast = database.prepare<[string, string]>(
    `UPDATE commands SET seq = (SELECT max(seq) FROM commands) + 1 WHERE id = ? AND scope = ?
       AND EXISTS (SELECT 1 FROM commands n WHERE n.scope = commands.scope AND n.aggregate = commands.aggregate
         AND n.seq > commands.seq AND n.state IN ('queued', 'sending', 'unknown'))`,
  )
  return ({ id, subject, aggregate, stateAt }, at) => {
    const wanted = fallen.all(id, scope, stateAt)
    goLast.run(id, scope)
    for (const { type, payload, made_by: madeBy } of wanted)
      insert({ id: commandId.parse(randomUUID()), subject, aggregate, type, payload, madeBy, at })
    return true
  }
}

function createPutAway(database: Database, scope: ScopeKey): (into: TakenInto, at: Instant) => true {
  const saveDraft = createDraftSave(database, scope)
  const values = createScopeValues(database, scope)
  return (into, at) => {
    if (into.place === 'modification_draft') saveDraft(into.history)
    if (into.place === 'setting') values.write(into.key, into.value, at)
    return true
  }
}

function createLog(database: Database, scope: ScopeKey): (command: CommandRow, note: DecisionNote) => void {
  const insert = database.prepare<DecisionNote & { scope: ScopeKey; shown: string }>(
    `INSERT INTO decisions (scope, command_id, at, decided_by, decision, details, shown)
     VALUES (@scope, @commandId, @at, @by, @decision, @details, @shown)`,
  )
  return ({ state, failure, question }, note) => {
    const shown = JSON.stringify({ state, failure, question })
    insert.run({ ...note, scope, shown, details: note.details && JSON.stringify(note.details) })
  }
}

interface NoticeHeadRecord {
  id: string
  kind: NoticeRow['kind']
  subject_kind: SubjectKind
  subject_id: string
  at: Instant
}

interface NoticeRecord extends NoticeHeadRecord {
  records: string
}

type Notices = Pick<
  QueueStore,
  'notices' | 'noticeCounts' | 'noticeHeads' | 'noticeRecords' | 'notice' | 'dismiss' | 'dismissApproved'
>

/**
 * Maximum number of open notices that are stored with records. A service may return other records at each read, and so
 * cause any number of notices. Further notices are stored without records.
 */
const mostWithRecords = 200
/** Maximum number of notices of one kind that are listed. */
const mostListed = 100

/** The fields by which notices of the same event are found. */
interface NoticeKey {
  scope: ScopeKey
  kind: NoticeRow['kind']
  subjectId: string
}

/**
 * The content of a notice: the stored records, and `seen`, the ids of all records that the desk found at the service.
 */
interface NoticeContent {
  id: string
  scope: ScopeKey
  records: string
  seen: string
}

/** Returns a function that stores a notice (see QueueStore.notice). The caller runs this function in a transaction. */
export function createNoticeInsert(database: Database, scope: ScopeKey): (notice: NoticeRow) => boolean {
  const insert = database.prepare<NoticeKey & NoticeContent & { subjectKind: SubjectKind; at: Instant }>(
    `INSERT INTO notices (id, scope, kind, subject_kind, subject_id, at, records, seen)
     VALUES (@id, @scope, @kind, @subjectKind, @subjectId, @at, @records, @seen)`,
  )
  const replace = database.prepare<NoticeContent>(
    'UPDATE notices SET records = @records, seen = @seen WHERE id = @id AND scope = @scope',
  )
  const known = database
    .prepare<NoticeKey & { seen: string }, number>(
      'SELECT 1 FROM notices WHERE scope = @scope AND kind = @kind AND subject_id = @subjectId AND seen = @seen',
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
    const key = { scope, kind, subjectId: subject.id }
    if (known.get({ ...key, seen }) !== undefined) return false
    const before = open.get(scope, kind, subject.id)
    const reported = new Set(before?.seen.split(' '))
    if (before && ids.every((one) => reported.has(one))) return false
    const isKept = records.length > 0 && (withRecords.get(scope, before?.id ?? '') ?? 0) < mostWithRecords
    const content = { scope, records: isKept ? JSON.stringify(records) : '[]', seen }
    if (before) return replace.run({ ...content, id: before.id }).changes === 1
    return insert.run({ ...key, ...content, id, subjectKind: subject.kind, at }).changes === 1
  }
}

/**
 * Creates the store of notices, which report what the desk found after the end of a command. The same finding creates
 * only one notice, even if an operator has already dismissed it.
 */
function createNotices(database: Database, scope: ScopeKey): Notices {
  const dismiss = database.prepare<{ id: string; scope: ScopeKey; at: Instant; by: string | null }>(
    `UPDATE notices SET dismissed_at = @at, dismissed_by = @by
     WHERE id = @id AND scope = @scope AND dismissed_at IS NULL`,
  )
  const approved = database.prepare<{ id: string; scope: ScopeKey; at: Instant; by: string | null }>(
    `UPDATE notices SET dismissed_at = @at, dismissed_by = @by WHERE scope = @scope AND dismissed_at IS NULL
       AND kind = 'approved' AND seq <= (SELECT seq FROM notices WHERE id = @id AND scope = @scope)`,
  )
  const insert = createNoticeInsert(database, scope)
  const notice = database.transaction((row: NoticeRow) => insert(row))
  return {
    ...createNoticeReads(database, scope),
    notice: guard((row) => notice.immediate(row)),
    dismiss: guard((id, at, by) => void dismiss.run({ id, scope, at, by })),
    dismissApproved: guard((id, at, by) => void approved.run({ id, scope, at, by })),
  }
}

type NoticeReads = Pick<Notices, 'notices' | 'noticeCounts' | 'noticeHeads' | 'noticeRecords'>

function createNoticeReads(database: Database, scope: ScopeKey): NoticeReads {
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
  return { id, kind, at, subject: subjectOf(record) }
}
