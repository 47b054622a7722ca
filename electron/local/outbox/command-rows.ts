import { serverId, type CommandId } from '#shared/domain/ids.ts'
import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import type {
  AskedQuestion,
  CommandHead,
  CommandRow,
  DueLook,
  DueWatch,
  NewCommand,
  SeenRecord,
  StoredQuestion,
  UnsettledCounts,
  WaitingCommand,
} from '#desk/ports/commands.ts'
import { serviceRecord } from '#shared/bridge/queue-views.ts'
import { type CommandState, type CommandMove, isOpen, movedCommand } from '#shared/domain/command-state.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { nextWatchAt } from '#shared/domain/queue-rules.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import {
  type CommandFacts,
  type Subject,
  type SubjectId,
  type SubjectKind,
  writeKinds,
  type FactsOf,
  fallsWith,
} from '#shared/writes/write-kinds.ts'
import { failureFromColumn, failureToColumn } from '../failure-column.ts'
import type { ErrorCode, Failure } from '#shared/errors/catalogue.ts'

/**
 * Commands in desk.db: reads, inserts, and transitions between states, with the history and the facts of each command.
 */

/** A row of `commands` as SQLite returns it. */
export interface CommandRecord {
  id: CommandId
  subject_kind: SubjectKind
  subject_id: string
  aggregate: string
  type: string
  payload: string | null
  state: CommandState
  needs_operator: number
  attempts: number
  created_at: number
  state_at: number
  first_sent_at: number | null
  ended_at: number | null
  baseline: string | null
  failure: string | null
  made_by: string | null
  question: string | null
  acknowledged: string | null
  sends_unseen: number
  watch_at: number | null
  watch_from: number | null
}

type DueLookRecord = Pick<
  CommandRecord,
  'id' | 'type' | 'created_at' | 'first_sent_at' | 'ended_at' | 'sends_unseen'
>

type DueWatchRecord = DueLookRecord & { watch_at: number } & Pick<CommandRecord, 'watch_from'>

type WaitingRecord = Pick<CommandRecord, 'id' | 'subject_kind' | 'subject_id' | 'ended_at'>

/** The columns of a CommandHead in `commands c`, without its question. */
export const bareHeadColumns = headColumnsWith('NULL', 'NULL')

/**
 * The columns of a CommandHead with its question. SQLite extracts only the last record of the question, so that a
 * question with many records takes little time.
 */
export const headColumns = headColumnsWith(
  "json_extract(c.question, '$.kind')",
  "json_set(json_extract(c.question, '$.records[#-1].record'), '$.brief.lines', json('[]'))",
)

function headColumnsWith(kind: string, record: string): string {
  return `c.seq, c.id, c.subject_kind, c.subject_id, c.type, c.state, c.needs_operator, c.created_at,
  c.state_at, c.first_sent_at, c.ended_at, c.failure, ${kind} AS question_kind, ${record} AS question_record`
}

export interface CommandHeadRecord {
  id: CommandId
  subject_kind: SubjectKind
  subject_id: string
  type: string
  state: CommandState
  needs_operator: number
  created_at: number
  state_at: number
  first_sent_at: number | null
  ended_at: number | null
  failure: string | null
  question_kind: string | null
  question_record: string | null
}

export function toCommandHead(record: CommandHeadRecord): CommandHead {
  return {
    id: record.id,
    subject: subjectOf(record),
    type: record.type,
    state: record.state,
    needsOperator: record.needs_operator === 1,
    createdAt: record.created_at,
    stateAt: record.state_at,
    firstSentAt: record.first_sent_at,
    endedAt: record.ended_at,
    failure: failureFromColumn(record.failure),
    question: questionFromColumns(record.question_kind, record.question_record),
  }
}

/** Returns the subject of a row. */
export function subjectOf(record: {
  readonly subject_kind: SubjectKind
  readonly subject_id: string
}): Subject {
  // the value of `subject_kind` determines the type of `subject_id`
  return { kind: record.subject_kind, id: record.subject_id } as Subject
}

const hashes = z.array(z.string())
const serverIds = z.array(serverId)

function toCommandRow(record: CommandRecord): CommandRow {
  return {
    id: record.id,
    subject: subjectOf(record),
    aggregate: record.aggregate,
    type: record.type,
    payload: record.payload,
    state: record.state,
    needsOperator: record.needs_operator === 1,
    attempts: record.attempts,
    createdAt: record.created_at,
    stateAt: record.state_at,
    firstSentAt: record.first_sent_at,
    endedAt: record.ended_at,
    baseline: record.baseline === null ? null : hashes.parse(JSON.parse(record.baseline)),
    failure: failureFromColumn(record.failure),
    madeBy: record.made_by,
    question: questionFromColumn(record.question),
    acknowledged: record.acknowledged === null ? [] : serverIds.parse(JSON.parse(record.acknowledged)),
    sendsUnseen: record.sends_unseen === 1,
  }
}

/**
 * The columns of `commands c` that a DueLook contains. The long texts in `baseline` and `question` are left out,
 * because they would have to be parsed.
 */
const dueLookColumns = 'c.id, c.type, c.created_at, c.first_sent_at, c.ended_at, c.sends_unseen'

function toDueLook(record: DueLookRecord): DueLook {
  const { id, type } = record
  return {
    ...{ id, type, createdAt: record.created_at },
    ...{ firstSentAt: record.first_sent_at, endedAt: record.ended_at },
    sendsUnseen: record.sends_unseen === 1,
  }
}

type InsertCommand = (command: NewCommand) => void

/**
 * Returns the function that inserts a command at the end of its queue. The function needs a transaction that its caller
 * has opened.
 */
export function createCommandInsert(database: Database, scope: ScopeKey): InsertCommand {
  const insert = database.prepare<{
    id: CommandId
    scope: ScopeKey
    kind: SubjectKind
    subjectId: string
    aggregate: string
    type: string
    payload: string | null
    acknowledged: string | null
    madeBy: string | null
    at: Instant
  }>(
    `INSERT INTO commands
       (id, scope, subject_kind, subject_id, aggregate, type, payload, acknowledged, made_by, created_at, state_at)
     VALUES (@id, @scope, @kind, @subjectId, @aggregate, @type, @payload, @acknowledged, @madeBy, @at, @at)`,
  )
  return ({ id, subject, aggregate, type, payload, acknowledged = [], madeBy, at }) =>
    void insert.run({
      ...{ id, scope, kind: subject.kind, subjectId: subject.id, aggregate, type, payload, madeBy, at },
      acknowledged: acknowledged.length === 0 ? null : JSON.stringify(acknowledged),
    })
}

/**
 * Returns a function that deletes the ended commands of a subject and type, because every later read of the subject
 * would read them. It keeps a command whose attempt may still arrive, or for which a read of the service is planned
 * (`look_around_at`). It also keeps the newest command of the subject that succeeded, because only failures after this
 * command are shown. The history of the deleted commands and the decisions about them stay until the purge. The caller
 * has opened a transaction, and inserts a newer command of this type after the deletion. The newer command replaces the
 * deleted ones, so no operator has to decide about them.
 */
export function createReplacedRemoval(database: Database): (subject: Subject, type: string) => void {
  const remove = database.prepare<[SubjectKind, string, string]>(
    `DELETE FROM commands AS c WHERE c.subject_kind = ? AND c.subject_id = ? AND c.type = ?
       AND c.ended_at IS NULL AND c.look_around_at IS NULL AND (c.state IN ('discarded', 'rejected')
         OR (c.state = 'done' AND EXISTS (SELECT 1 FROM commands n WHERE n.subject_kind = c.subject_kind
           AND n.subject_id = c.subject_id AND n.state = 'done' AND n.seq > c.seq)))`,
  )
  return ({ kind, id }, type) => void remove.run(kind, id, type)
}

/**
 * The states of an open command. Every query contains them as text, because SQLite otherwise does not use the partial
 * index.
 */
const openStates = `('queued', 'sending', 'unknown')`

/**
 * Maximum number of unsettled commands of each group in a list. The groups are waiting commands, open commands with a
 * question, and refused commands.
 */
const mostOfGroup = 200

/** The reads of the commands of one scope, for the outbox and the queue. */
export interface CommandReads {
  get(id: CommandId): CommandRow | null
  due(limit: number, first?: readonly CommandId[], newest?: number): CommandRow[]
  inState(state: CommandState): WaitingCommand[]
  open(): CommandRow[]
  askedBecauseOf(code: ErrorCode): CommandRow[]
  unsettled(): CommandRow[]
  unsettledHeads(): CommandHead[]
  unsettledCounts(): UnsettledCounts
  toWatch(now: Instant, latest: Instant): DueWatch[]
  nextWatch(): Instant | null
  toLookAround(now: Instant, latest: Instant): DueLook[]
  nextLookAround(): Instant | null
}

export function createCommandReads(database: Database, scope: ScopeKey): CommandReads {
  const select = (where: string, columns = 'c.*'): string =>
    `SELECT ${columns} FROM commands c WHERE c.scope = ? AND ${where}`
  const one = database.prepare<[string, string], CommandRecord>(select('c.id = ?'))
  const isDue = `c.state IN ${openStates} AND c.state = 'queued' AND c.needs_operator = 0
    AND NOT EXISTS (SELECT 1 FROM commands p WHERE p.scope = c.scope AND p.aggregate = c.aggregate
      AND p.seq < c.seq AND p.state IN ${openStates})`
  const due = database.prepare<[string, number, number], CommandRecord>(
    select(`${isDue} AND (c.attempts > 0) = ? ORDER BY c.seq LIMIT ?`),
  )
  const newestDue = database.prepare<[string, number], CommandRecord>(
    select(`${isDue} AND c.attempts = 0 ORDER BY c.seq DESC LIMIT ?`),
  )
  const dueOne = database.prepare<[string, string], CommandRecord>(select(`${isDue} AND c.id = ?`))
  const inState = database.prepare<[string, string], WaitingRecord>(
    select(
      `c.state IN ${openStates} AND c.state = ? ORDER BY c.seq`,
      'c.id, c.subject_kind, c.subject_id, c.ended_at',
    ),
  )
  const open = database.prepare<[string], CommandRecord>(select(`c.state IN ${openStates} ORDER BY c.seq`))
  const askedBecauseOf = database.prepare<[string, ErrorCode], CommandRecord>(
    select(`c.state IN ${openStates} AND c.state = 'queued' AND c.needs_operator = 1
      AND c.question ->> 'kind' = 'changed' AND c.failure ->> 'code' = ? ORDER BY c.seq`),
  )
  // a refused command no longer counts as unsettled if a newer command of the same type and subject exists
  const refused = `c.state = 'rejected' AND NOT EXISTS (SELECT 1 FROM commands n
    WHERE n.subject_kind = c.subject_kind AND n.subject_id = c.subject_id AND n.type = c.type AND n.seq > c.seq)`
  const asks = `c.state IN ${openStates} AND c.needs_operator = 1`
  const waits = `c.state IN ${openStates} AND c.needs_operator = 0`
  const oldest = (columns: string): string => {
    const groups = [waits, asks, refused].map(
      (where) => `SELECT * FROM (${select(`${where} ORDER BY c.seq LIMIT ${String(mostOfGroup)}`, columns)})`,
    )
    return `${groups.join(' UNION ALL ')} ORDER BY seq`
  }
  const unsettled = database.prepare<[string, string, string], CommandRecord>(oldest('c.*'))
  const heads = database.prepare<[string, string, string], CommandHeadRecord>(oldest(headColumns))
  const counts = database.prepare<[string, string, string], UnsettledCounts>(
    `SELECT coalesce(sum(n.waits), 0) AS waiting, count(*) - coalesce(sum(n.waits), 0) AS asking,
       min(n.created_at) FILTER (WHERE n.waits) AS oldest
     FROM (${select(waits, '1 AS waits, c.created_at')} UNION ALL ${select(asks, '0, c.created_at')}
       UNION ALL ${select(refused, '0, c.created_at')}) n`,
  )
  const looks = createLookReads(database, scope)
  return {
    get(id) {
      const record = one.get(scope, id)
      return record ? toCommandRow(record) : null
    },
    due(limit, first = [], newest = 0) {
      const wished = first.flatMap((id) => dueOne.get(scope, id) ?? [])
      const untried = due.all(scope, 0, limit)
      // fewer untried commands than the limit are all of them
      const latest = newest > 0 && untried.length === limit ? newestDue.all(scope, newest).toReversed() : []
      const found = [...wished, ...untried, ...latest, ...due.all(scope, 1, limit)]
      return [...new Map(found.map((record) => [record.id, record])).values()].map(toCommandRow)
    },
    inState: (state) =>
      inState.all(scope, state).map((record) => {
        return { id: record.id, subject: subjectOf(record), endedAt: record.ended_at }
      }),
    open: () => open.all(scope).map(toCommandRow),
    askedBecauseOf: (code) => askedBecauseOf.all(scope, code).map(toCommandRow),
    unsettled: () => unsettled.all(scope, scope, scope).map(toCommandRow),
    unsettledHeads: () => heads.all(scope, scope, scope).map(toCommandHead),
    unsettledCounts: () => counts.get(scope, scope, scope) ?? { waiting: 0, asking: 0, oldest: null },
    ...looks,
  }
}

type LookReads = Pick<CommandReads, 'toWatch' | 'nextWatch' | 'toLookAround' | 'nextLookAround'>

/**
 * Creates the functions that find commands in desk.db whose next look at the service is due. A look that is planned
 * later than `latest` also counts as due. Each SQL statement visits only these commands, along an index of their times.
 */
function createLookReads(database: Database, scope: ScopeKey): LookReads {
  const dueLooks = (where: string, columns = dueLookColumns): string =>
    `SELECT ${columns} FROM commands c WHERE c.scope = ? AND ${where}`
  const earliest = (column: string): string =>
    `SELECT min(c.${column}) FROM commands c WHERE c.scope = ? AND c.${column} IS NOT NULL`
  const dueWatches = (where: string): string =>
    dueLooks(`${where} ORDER BY c.watch_at`, `${dueLookColumns}, c.watch_at, c.watch_from`)
  const pastWatch = database.prepare<[string, number], DueWatchRecord>(dueWatches('c.watch_at <= ?'))
  const tooLateWatch = database.prepare<[string, number], DueWatchRecord>(dueWatches('c.watch_at > ?'))
  const nextWatch = database.prepare<[string], number | null>(earliest('watch_at')).pluck()
  const past = database.prepare<[string, number], DueLookRecord>(
    dueLooks('c.look_around_at <= ? ORDER BY c.look_around_at'),
  )
  const tooLate = database.prepare<[string, number], DueLookRecord>(
    dueLooks('c.look_around_at > ? ORDER BY c.look_around_at'),
  )
  const nextLookAround = database.prepare<[string], number | null>(earliest('look_around_at')).pluck()
  return {
    toWatch: (now, latest) =>
      [...pastWatch.all(scope, now), ...tooLateWatch.all(scope, latest)].map((record) => {
        return { ...toDueLook(record), watchAt: record.watch_at, watchFrom: record.watch_from }
      }),
    nextWatch: () => nextWatch.get(scope) ?? null,
    toLookAround: (now, latest) => [...past.all(scope, now), ...tooLate.all(scope, latest)].map(toDueLook),
    nextLookAround: () => nextLookAround.get(scope) ?? null,
  }
}

const facts: z.ZodType<CommandFacts> = z.union(Object.values(writeKinds).map((kind) => kind.facts))

const records: z.ZodType<SeenRecord[]> = z.array(z.object({ record: serviceRecord, facts }))

const question: z.ZodType<StoredQuestion> = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['outcome', 'exists']), records }),
  z.object({ kind: z.literal('changed') }),
])

const asked: z.ZodType<AskedQuestion> = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['outcome', 'exists']), records: z.array(z.object({ record: serviceRecord })) }),
  z.object({ kind: z.literal('changed') }),
])

/**
 * Reads a question. If this version of the program cannot read the records of the question, returns a question of the
 * kind `changed`, which has no records, because the operator must still decide.
 */
function questionFromColumn(column: string | null): StoredQuestion | null {
  if (column === null) return null
  const parsed = question.safeParse(JSON.parse(column))
  return parsed.success ? parsed.data : { kind: 'changed' }
}

/**
 * Creates a question from its stored kind and one of its records (JSON); null if the kind is null. If this version of
 * the program cannot read the record, returns a question of the kind `changed`, which has no records.
 */
function questionFromColumns(kind: string | null, record: string | null): AskedQuestion | null {
  if (kind === null) return null
  const shown: unknown = record === null ? null : JSON.parse(record)
  const parsed = asked.safeParse({ kind, records: record === null ? [] : [{ record: shown }] })
  return parsed.success ? parsed.data : { kind: 'changed' }
}

export function recordsFromColumn(column: string): readonly SeenRecord[] {
  const parsed = records.safeParse(JSON.parse(column))
  return parsed.success ? parsed.data : []
}

/**
 * Moves a command to another state inside the caller's transaction. Returns false if the state table does not allow
 * this transition.
 */
type MoveCommand = (id: CommandId, move: CommandMove, at: Instant, failure: Failure | null) => boolean

export function createCommandMove(database: Database, scope: ScopeKey): MoveCommand {
  const history = createHistory(database)
  const standing = database.prepare<[string, string], Pick<CommandRecord, 'state' | 'ended_at'>>(
    'SELECT state, ended_at FROM commands WHERE scope = ? AND id = ?',
  )
  // A baseline is the state at the service before the first attempt. When the command ends, its baseline is deleted,
  // unless an attempt was ambiguous, because only such an attempt may still have a late effect at the service. A stored
  // baseline also shows that the attempt was checked, even if an operator had allowed an attempt without the check
  // (`sends_unseen`). Therefore `sends_unseen` of a command that is `done` and has a baseline becomes 0: later looks
  // for records of other desks read this column (`wasSentUnseen`)
  const update = database.prepare<{
    id: CommandId
    from: string
    to: string
    at: Instant
    failure: string | null
    watchAt: Instant | null
  }>(
    `UPDATE commands SET state = @to, state_at = @at, failure = @failure, needs_operator = 0, question = NULL,
       watch_at = @watchAt, watch_from = NULL,
       baseline = CASE WHEN @to IN ('done', 'rejected', 'discarded') AND ended_at IS NULL THEN NULL ELSE baseline END,
       sends_unseen = CASE WHEN @to = 'done' AND ended_at IS NULL AND baseline IS NOT NULL THEN 0 ELSE sends_unseen END
     WHERE id = @id AND state = @from`,
  )
  return (id, move, at, failure) => {
    const { state: from, ended_at: endedAt } = standing.get(scope, id) ?? { state: null, ended_at: null }
    const to = from ? movedCommand(from, move) : null
    if (!from || !to) return false
    const watchAt = isOpen(to) || endedAt === null ? null : nextWatchAt(endedAt, null)
    const column = failureToColumn(failure)
    history.note(id, at, from, to, column)
    return update.run({ id, from, to, at, failure: column, watchAt }).changes === 1
  }
}

/**
 * Rejects or discards a command, and discards the later queued commands of its subject that need its success
 * (`fallsWith`). Such a later command is kept if an open command of the same type as the ended command lies between the
 * two. The later command then waits for that open command.
 */
export function createCommandStop(database: Database, scope: ScopeKey): MoveCommand {
  const move = createCommandMove(database, scope)
  const followers = database.prepare<
    [string, string],
    { id: CommandId; kind: SubjectKind; type: string; failed: string }
  >(
    `SELECT f.id, f.subject_kind AS kind, f.type, c.type AS failed FROM commands c JOIN commands f
       ON f.subject_kind = c.subject_kind AND f.subject_id = c.subject_id AND f.seq > c.seq
     WHERE c.id = ? AND c.scope = ? AND f.state = 'queued'
       AND NOT EXISTS (SELECT 1 FROM commands n WHERE n.subject_kind = c.subject_kind
         AND n.subject_id = c.subject_id AND n.type = c.type AND n.seq > c.seq AND n.seq < f.seq
         AND n.state IN ('queued', 'sending', 'unknown'))`,
  )
  return (id, ending, at, failure) => {
    if (!move(id, ending, at, failure)) return false
    for (const waiting of followers.all(id, scope))
      if (fallsWith(waiting.kind, waiting.type, waiting.failed)) move(waiting.id, 'discard', at, null)
    return true
  }
}

/**
 * Stores the content of a response in the row of the label or booking that it describes. Runs inside the outbox's
 * transaction.
 */
export type ApplyFacts<K extends SubjectKind = SubjectKind> = (
  subjectId: SubjectId<K>,
  facts: FactsOf<K>,
  at: Instant,
) => void

/** The function that stores the facts of a response, for each kind of subject. */
export type FactsAppliers = { readonly [K in SubjectKind]: ApplyFacts<K> }

/** Stores the facts of a response in the ledger. `appliers` contains the function for each kind of subject. */
export function applyFacts(
  appliers: FactsAppliers,
  subjectId: SubjectId,
  facts: CommandFacts,
  at: Instant,
): void {
  applierOf(appliers, facts.kind)(subjectId, facts, at)
}

function applierOf<K extends SubjectKind>(appliers: FactsAppliers, kind: K): ApplyFacts<K> {
  return appliers[kind]
}

/**
 * The log of the transitions of each command and print job, with their times, so that an operator can look them up
 * later. If consecutive attempts had no effect and failed in the same way, they are one entry with the time of the
 * first attempt.
 */
interface History {
  note(subjectId: string, at: Instant, from: string, to: string, failure: string | null): void
}

/**
 * The changes of state between the end of an attempt that had no effect and the next attempt, including the start of
 * the next attempt.
 */
const movesOfTry: readonly string[] = ['queued sending', 'refused queued']

export function createHistory(database: Database): History {
  const insert = database.prepare<{
    subjectId: string
    at: Instant
    from: string
    to: string
    failure: string | null
  }>(
    `INSERT INTO history (subject_id, at, from_state, to_state, failure)
     VALUES (@subjectId, @at, @from, @to, @failure)`,
  )
  const newest = database.prepare<
    [string],
    { seq: number; from_state: string; to_state: string; failure: string | null }
  >('SELECT seq, from_state, to_state, failure FROM history WHERE subject_id = ? ORDER BY seq DESC LIMIT 3')
  const remove = database.prepare<[number]>('DELETE FROM history WHERE seq = ?')
  /**
   * Whether the newest attempt failed in the same way as the attempt before it, and only changes of `movesOfTry` were
   * made between the two failures. If so, also removes the log entries of these changes, because the log has equal
   * entries of the earlier attempt.
   */
  const isRepeated = (subjectId: string, from: string, to: string, failure: string): boolean => {
    const rows = newest.all(subjectId)
    const at = rows.findIndex((row) => row.from_state === from && row.to_state === to)
    const begun = rows.slice(0, Math.max(at, 0))
    const isTry = begun.every((row) => movesOfTry.includes(`${row.from_state} ${row.to_state}`))
    if (at === -1 || rows[at]?.failure !== failure || !isTry) return false
    for (const { seq } of begun) remove.run(seq)
    return true
  }
  return {
    note(subjectId, at, from, to, failure) {
      const isWithoutEffect = from === 'sending' && (to === 'queued' || to === 'refused')
      if (isWithoutEffect && failure !== null && isRepeated(subjectId, from, to, failure)) return
      insert.run({ subjectId, at, from, to, failure })
    },
  }
}
