import type { ServerId } from '#shared/domain/ids.ts'
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { CommandHead } from '#desk/ports/commands.ts'
import type {
  BookingLink,
  ModificationLedger,
  ModificationRow,
  ModificationStart,
  NewModification,
} from '#desk/ports/modification-store.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { type DraftLine, isDecision, type ModificationReason } from '#shared/domain/modification.ts'
import { markersIn } from '#shared/domain/references.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import type { ModificationFacts } from '#shared/writes/modification.ts'
import {
  type ApplyFacts,
  bareHeadColumns,
  type CommandHeadRecord,
  createCommandInsert,
  toCommandHead,
} from '../outbox/command-rows.ts'
import { createNoticeInsert } from '../outbox/queue-store.ts'
import { createDraftRemoval } from './draft-store.ts'
import { guard } from '../sqlite-failure.ts'
import type { LimitedMethods } from '../write-limits.ts'

/**
 * By booking id, the time when the service last confirmed the status of a booking. This time is kept only in memory, so
 * that a read without a change writes nothing. After a start the map is empty, and the time in desk.db is used.
 */
type ConfirmedAt = Map<string, number>

/** Creates the store of the modifications that were booked at this desk, each with its lines and its command. */
export function createModificationLedger(database: Database, scope: ScopeKey): ModificationLedger {
  const confirmedAt: ConfirmedAt = new Map()
  const reads = createReads(database, scope, confirmedAt)
  const insert = createInsert(database, scope)
  const insertCommand = createCommandInsert(database, scope)
  const removeDraft = createDraftRemoval(database, scope)
  const readNotice = database.prepare<{
    scope: ScopeKey
    corrects: string
    at: Instant
    bookedBy: string | null
  }>(
    `UPDATE notices SET dismissed_at = @at, dismissed_by = @bookedBy
     WHERE scope = @scope AND kind = 'disapproved' AND subject_id = @corrects AND dismissed_at IS NULL`,
  )
  // a location that has a booking is never removed from the stored locations, whatever source the location comes from
  const keepLocation = database.prepare<[string, string]>(
    'UPDATE locations SET kept = 1 WHERE scope = ? AND id = ? AND kept = 0',
  )
  const byServerId = database
    .prepare<[string, string], number>('SELECT 1 FROM modifications WHERE scope = ? AND server_id = ?')
    .pluck()
  const book = database.transaction((modification: NewModification) => {
    const { id, at, command } = modification
    insert(modification)
    keepLocation.run(scope, modification.locationId)
    insertCommand({
      ...command,
      subject: { kind: 'modification', id },
      // each booking has a separate queue, so that a command that cannot be sent never blocks another booking
      aggregate: `modification ${id}`,
      payload: null,
      madeBy: modification.bookedBy,
      at,
    })
    removeDraft()
    const { corrects, bookedBy } = modification
    if (corrects !== undefined) readNotice.run({ scope, corrects, at, bookedBy })
  })
  return {
    ...reads,
    book: guard((modification) => {
      book.immediate(modification)
      const row = reads.get(modification.id)
      if (!row) throw new Error(`modification ${modification.id} was not inserted`)
      return row
    }),
    isOurs: guard((serverId) => byServerId.get(scope, serverId) !== undefined),
    notOurs: createNotOurs(database, scope),
    noteStatus: createNoteStatus(database, scope, confirmedAt),
  }
}

/** The number of notes that are compared before the event loop runs again. Each comparison runs one statement. */
const notesAtOnce = 20
/**
 * Maximum number of markers that are read from the end of a note. The desk writes its marker at the end of the note;
 * markers far before the end are text of other programs.
 */
const mostMarkers = 10

function createNotOurs(database: Database, scope: ScopeKey): ModificationLedger['notOurs'] {
  // for the desk, a refused or discarded booking does not exist at the service. The service may have it nevertheless,
  // for example if the refusal belongs to another call. Such a booking counts like a booking of another desk, so that
  // the operator is asked before the same is booked again
  const known = database
    .prepare<{ scope: ScopeKey; serverId: string; markers: string }, number>(
      `SELECT 1 FROM modifications WHERE scope = @scope AND server_id = @serverId
       UNION ALL SELECT 1 FROM json_each(@markers) n CROSS JOIN modifications m
         CROSS JOIN commands c ON c.subject_kind = 'modification' AND c.subject_id = m.id
         WHERE m.scope = @scope AND substr(replace(m.id, '-', ''), 1, 20) = n.value
           AND c.state NOT IN ('rejected', 'discarded') LIMIT 1`,
    )
    .pluck()
  const isOurs = guard((serverId: ServerId, note: string | null): boolean => {
    const markers = [...new Set(markersIn(note).toReversed())].slice(0, mostMarkers)
    return known.get({ scope, serverId, markers: JSON.stringify(markers) }) !== undefined
  })
  return async (rows, most) => {
    const others: (typeof rows)[number][] = []
    for (const [at, row] of rows.entries()) {
      if (others.length >= most) break
      if (at > 0 && at % notesAtOnce === 0) await setImmediate()
      if (!isOurs(row.id, row.note)) others.push(row)
    }
    return others
  }
}

/** A report of the service about a booking of this desk. */
interface StatusReport {
  readonly id: string
  readonly facts: ModificationFacts
  /** Whether the stored booking already has this status. */
  readonly hasStatus: boolean
  /** Whether the report contains nothing new. */
  readonly isKnown: boolean
}

/**
 * Returns the function that stores the statuses and references that the service reports. If none of them has changed,
 * it writes nothing. It returns the ids of the bookings whose status has changed.
 */
function createNoteStatus(
  database: Database,
  scope: ScopeKey,
  confirmedAt: ConfirmedAt,
): ModificationLedger['noteStatus'] {
  const note = createNoteFacts(database, scope)
  const byServerId = database.prepare<
    [string, string],
    { id: string; reference: string | null; status: string | null }
  >('SELECT id, reference, status FROM modifications WHERE scope = ? AND server_id = ? ORDER BY seq LIMIT 1')
  const write = database.transaction((changed: readonly StatusReport[], at: Instant) => {
    for (const { id, facts } of changed) note(id, facts, at)
  })
  return guard((all, at) => {
    const reports = all.flatMap((facts): StatusReport[] => {
      const known = byServerId.get(scope, facts.serverId)
      if (!known) return []
      const hasStatus = known.status === facts.status
      return [{ id: known.id, facts, hasStatus, isKnown: hasStatus && known.reference === facts.reference }]
    })
    const changed = reports.filter(({ isKnown }) => !isKnown)
    if (changed.length > 0) write.immediate(changed, at)
    for (const { id } of reports) confirmedAt.set(id, at)
    return changed.flatMap(({ id, hasStatus }) => (hasStatus ? [] : [id]))
  })
}

/** The limits of calls of the window; see write-limits.ts. */
export const modificationLimits: LimitedMethods<ModificationLedger> = { book: 'new_write' }

/** The finished bookings that may be removed (see ledgers.ts). */
export const modificationRetention = {
  finished: 'SELECT m.id FROM modifications m WHERE m.created_at < @before',
  parts: [{ table: 'modification_lines', which: (ids: string): string => `modification_id IN (${ids})` }],
  table: 'modifications',
}

/**
 * Returns the function that stores what the service reports about a booking. If the status has become a decision of the
 * warehouse, the function also creates the notice. The function can run inside the outbox's transaction.
 */
export function createNoteFacts(database: Database, scope: ScopeKey): ApplyFacts<'modification'> {
  const insertNotice = createNoticeInsert(database, scope)
  const statusOf = database
    .prepare<[string, string], string | null>('SELECT status FROM modifications WHERE id = ? AND scope = ?')
    .pluck()
  const update = database.prepare<{
    id: string
    scope: ScopeKey
    serverId: string
    reference: string
    status: string
    at: Instant
  }>(
    `UPDATE modifications SET server_id = @serverId, reference = @reference, status = @status, status_as_of = @at
     WHERE id = @id AND scope = @scope`,
  )
  return (id, { serverId, reference, status }, at) => {
    const before = statusOf.get(id, scope)
    update.run({ id, scope, serverId, reference, status, at })
    if (before === undefined || before === status || !isDecision(status)) return
    const subject = { kind: 'modification', id } as const
    insertNotice({ id: randomUUID(), kind: status, subject, at, records: [] })
  }
}

/**
 * The list of recent bookings contains the newest bookings, and at most this number of refused bookings, each with all
 * its lines. The list of the queue contains more refused bookings.
 */
const mostRefused = 50

type Reads = Pick<ModificationLedger, 'get' | 'start' | 'recent' | 'byReference' | 'undecided'>

function createReads(database: Database, scope: ScopeKey, confirmedAt: ConfirmedAt): Reads {
  const select = (rest: string): string =>
    `SELECT m.*, COALESCE(l.code, m.location_code) AS location_name, c.reference AS corrects_reference
     FROM modifications m
     LEFT JOIN locations l ON l.scope = m.scope AND l.id = m.location_id
     LEFT JOIN modifications c ON c.scope = m.scope AND c.id = m.corrects
     WHERE m.scope = @scope AND ${rest}`
  const one = database.prepare<{ scope: ScopeKey; id: string }, ModificationRecord>(select('m.id = @id'))
  const byReference = database.prepare<{ scope: ScopeKey; reference: string }, ModificationRecord>(
    select('m.reference = @reference ORDER BY m.seq DESC LIMIT 1'),
  )
  const recent = database.prepare<{ scope: ScopeKey; limit: number }, ModificationRecord>(
    select(`(m.seq IN (SELECT seq FROM modifications WHERE scope = @scope ORDER BY seq DESC LIMIT @limit)
      OR m.id IN (SELECT subject_id FROM commands
        WHERE scope = @scope AND subject_kind = 'modification' AND state = 'rejected'
        ORDER BY seq LIMIT ${String(mostRefused)})) ORDER BY m.seq DESC`),
  )
  const lines = database.prepare<[string, number], LineRecord>(
    'SELECT * FROM modification_lines WHERE modification_id = ? ORDER BY position LIMIT ?',
  )
  const othersOf = createOthers(database)
  const command = database.prepare<[string], CommandHeadRecord>(
    `SELECT ${bareHeadColumns} FROM commands c WHERE c.subject_kind = 'modification' AND c.subject_id = ?
     ORDER BY c.seq LIMIT 1`,
  )
  const correction = database.prepare<[string, string], BookingLink>(
    // without INDEXED BY and CROSS JOIN, SQLite reads the commands of all bookings
    `SELECT m.id, m.reference FROM modifications m INDEXED BY modifications_by_corrects
     CROSS JOIN commands c ON c.subject_kind = 'modification' AND c.subject_id = m.id
     WHERE m.scope = ? AND m.corrects = ? AND c.state <> 'discarded' ORDER BY m.seq DESC LIMIT 1`,
  )
  const toRow = (record: ModificationRecord, mostLines = -1): ModificationRow => {
    const create = command.get(record.id)
    if (!create) throw new Error(`modification ${record.id} has no command`)
    const correctedBy = correction.get(scope, record.id) ?? null
    const row = toModificationRow(
      record,
      // `mostLines` may be negative: SQLite then reads all rows
      lines.all(record.id, mostLines).map(toDraftLine),
      toCommandHead(create),
      correctedBy,
    )
    return { ...row, statusAsOf: confirmedAt.get(record.id) ?? row.statusAsOf }
  }
  const orNull = (record: ModificationRecord | undefined): ModificationRow | null =>
    record ? toRow(record) : null
  return {
    get: guard((id) => orNull(one.get({ scope, id }))),
    start: guard((id, mostLines) => {
      const record = one.get({ scope, id })
      return record ? { row: toRow(record, mostLines), ...othersOf(id, mostLines) } : null
    }),
    byReference: guard((reference) => orNull(byReference.get({ scope, reference }))),
    undecided: createUndecided(database, scope, confirmedAt),
    recent: guard((limit) => recent.all({ scope, limit }).map((record) => toRow(record))),
  }
}

type Others = Pick<ModificationStart, 'moreLines' | 'morePieces'>

/** Maximum number of results of `createOthers` that are kept in memory. */
const mostCounted = 1_000

/**
 * Returns the function that counts the lines of a booking after its first `mostLines` lines, and their pieces. The
 * results are kept in memory: the lists of writes need them at each change, and the lines of a booking never change.
 */
function createOthers(database: Database): (id: string, mostLines: number) => Others {
  const count = database.prepare<[string, number], Others>(
    `SELECT count(*) AS moreLines, coalesce(sum(quantity), 0) AS morePieces FROM modification_lines
     WHERE modification_id = ? AND position >= ?`,
  )
  const counted = new Map<string, Others>()
  return (id, mostLines) => {
    const key = `${id} ${mostLines}`
    const known = counted.get(key)
    if (known) return known
    const others = count.get(id, mostLines) ?? { moreLines: 0, morePieces: 0 }
    if (counted.size >= mostCounted) counted.clear()
    counted.set(key, others)
    return others
  }
}

/** Maximum number of undecided bookings whose status the desk watches: the newest ones, if there are more. */
const mostUndecided = 5_000

function createUndecided(
  database: Database,
  scope: ScopeKey,
  confirmedAt: ConfirmedAt,
): ModificationLedger['undecided'] {
  const newest = database.prepare<
    [string, number, number],
    { id: string; serverId: ServerId; asOf: number | null }
  >(
    `SELECT id, server_id AS serverId, status_as_of AS asOf FROM modifications
     WHERE scope = ? AND server_id IS NOT NULL
       AND (status IS NULL OR status NOT IN ('approved', 'disapproved')) AND created_at >= ?
     ORDER BY seq DESC LIMIT ?`,
  )
  return guard((since, limit) => {
    const all = newest.all(scope, since, mostUndecided).toReversed()
    const asOf = (one: (typeof all)[number]): number => confirmedAt.get(one.id) ?? one.asOf ?? 0
    const longestAgo = all.toSorted((one, other) => asOf(one) - asOf(other)).slice(0, limit)
    return longestAgo.map(({ id, serverId }) => ({ id, serverId }))
  })
}

function createInsert(database: Database, scope: ScopeKey): (modification: NewModification) => void {
  const header = database.prepare<
    Omit<NewModification, 'lines' | 'command' | 'corrects'> & { scope: ScopeKey; corrects: string | null }
  >(
    `INSERT INTO modifications (id, scope, reason, location_id, location_code, note, booked_by, created_at, corrects)
     VALUES (@id, @scope, @reason, @locationId, (SELECT code FROM locations WHERE scope = @scope AND id = @locationId),
       @note, @bookedBy, @at, @corrects)`,
  )
  const line = database.prepare<
    DraftLine['variant'] & { modificationId: string; position: number; quantity: number }
  >(
    `INSERT INTO modification_lines (modification_id, position, variant_id, name, article_code, ean, quantity)
     VALUES (@modificationId, @position, @id, @name, @articleCode, @ean, @quantity)`,
  )
  return ({ id, reason, locationId, lines, note, bookedBy, at, corrects = null }) => {
    header.run({ id, scope, reason, locationId, note, bookedBy, at, corrects })
    lines.forEach(({ variant, quantity }, position) =>
      line.run({ ...variant, modificationId: id, position, quantity }),
    )
  }
}

/**
 * A row of `modifications` as SQLite returns it. It has the current name of the location. If the list of locations no
 * longer contains the location, the row has the name that the location had at the time of the booking.
 */
interface ModificationRecord {
  id: string
  server_id: ServerId | null
  reference: string | null
  status: string | null
  status_as_of: number | null
  reason: ModificationReason
  location_id: string
  location_name: string | null
  note: string
  booked_by: string | null
  created_at: number
  corrects: string | null
  corrects_reference: string | null
}

interface LineRecord {
  variant_id: string
  name: string
  article_code: string
  ean: string | null
  quantity: number
}

function toDraftLine(record: LineRecord): DraftLine {
  const { variant_id: id, name, article_code: articleCode, ean, quantity } = record
  return { variant: { id, name, articleCode, ean }, quantity }
}

function toModificationRow(
  record: ModificationRecord,
  lines: readonly DraftLine[],
  { id, state, failure }: CommandHead,
  correctedBy: BookingLink | null,
): ModificationRow {
  return {
    id: record.id,
    serverId: record.server_id,
    reference: record.reference,
    status: record.status,
    statusAsOf: record.status_as_of,
    reason: record.reason,
    locationId: record.location_id,
    locationCode: record.location_name,
    lines,
    note: record.note,
    bookedBy: record.booked_by,
    createdAt: record.created_at,
    create: { id, state, failure },
    corrects: record.corrects === null ? null : { id: record.corrects, reference: record.corrects_reference },
    correctedBy,
  }
}
