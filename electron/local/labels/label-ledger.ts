import type { LabelId, ServerLabelId } from '#shared/domain/ids.ts'
import type { Database } from 'better-sqlite3'
import { setImmediate } from 'node:timers/promises'
import { clockMarginMs, type CommandHead } from '#desk/ports/commands.ts'
import type {
  CommandSummary,
  LabelHead,
  LabelLedger,
  LabelName,
  LabelRow,
  LabelStep,
} from '#desk/ports/label-ledger.ts'
import type { NewPrintJob } from '#desk/ports/print-jobs.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { baseExternalReference } from '#shared/domain/references.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import { senderAddress } from '#shared/wire/address.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'
import { failureFromColumn, failureToColumn } from '../failure-column.ts'
import {
  type ApplyFacts,
  bareHeadColumns,
  type CommandHeadRecord,
  headColumns,
  toCommandHead,
} from '../outbox/command-rows.ts'
import { createLabelWrites, type LabelAct, type LabelWrites } from './label-writes.ts'
import { createPrintJobInsert, createPrintJobMove, prepareShownPrint } from './print-job-store.ts'
import { agedFrom } from '../aged-from.ts'
import { guard } from '../sqlite-failure.ts'
import type { LimitedMethods } from '../write-limits.ts'

/**
 * By label id, the time when the service last returned the label unchanged. This time is stored in desk.db at most once
 * a day, so that reads of unchanged labels write very little.
 */
type ConfirmedAt = Map<LabelId, Instant>
const dayMs = 24 * 3600_000

/**
 * Creates the store of return labels. It returns each label with its commands and the print job that it shows
 * (`prepareShownPrint`).
 */
export function createLabelLedger(database: Database, scope: ScopeKey): LabelLedger {
  const confirmedAt: ConfirmedAt = new Map()
  const reads = createReads(database, scope, confirmedAt)
  return {
    ...guarded(reads),
    ...createChanges(database, reads, createLabelWrites(database, scope), confirmedAt),
    ...createDocuments(database, scope),
  }
}

/** The limits of calls of the window; see write-limits.ts. */
export const labelLimits: LimitedMethods<LabelLedger> = {
  make: 'new_write',
  change: 'new_write',
  // `adopt` and `describe` store the response to a read that the window has requested; if the label is unchanged, they
  // write very little
  adopt: 'act',
  describe: 'act',
}

const open = `('queued', 'sending', 'refused', 'unknown')`

/**
 * SQL condition: the last download of the label's PDF failed. A lost connection, a missing login and an overloaded
 * service do not count, because they are no faults of the PDF.
 */
const hasFailedDocument = `(l.document_failure ->> '$.code' NOT LIKE 'network.%'
      AND l.document_failure ->> '$.code' NOT LIKE 'session.%'
      AND l.document_failure ->> '$.code' NOT IN ('api.unavailable', 'api.too_many_requests'))`

/** SQL condition: a request of this desk has requested the label. */
const isRequestedHere = `EXISTS (SELECT 1 FROM commands c WHERE c.subject_kind = 'return_label'
      AND c.subject_id = l.id AND c.type = '${labelCommands.request}' AND c.state = 'done')`

/**
 * Which labels the purge removes; see ledgers.ts. A requested label without its PDF that this desk created or requested
 * stays until the PDF is stored, a download of the PDF has failed, or the label is cancelled.
 */
export const labelRetention = {
  finished: `
    SELECT l.id FROM return_labels l WHERE l.created_at < @before AND coalesce(l.as_of, 0) < @before
      AND (l.requested = 0 OR l.cancelled = 1 OR l.document_hash IS NOT NULL OR ${hasFailedDocument}
        OR (l.origin = 'service' AND NOT ${isRequestedHere}))
      AND NOT EXISTS (SELECT 1 FROM print_jobs p WHERE p.label_id = l.id
        AND (p.state IN ${open} OR p.state_at >= @before))`,
  parts: [
    {
      table: 'print_decisions',
      which: (ids: string): string => `job_id IN (SELECT id FROM print_jobs WHERE label_id IN (${ids}))`,
    },
    { table: 'print_jobs', which: (ids: string): string => `label_id IN (${ids})` },
    { table: 'return_label_codes', which: (ids: string): string => `label_id IN (${ids})` },
  ],
  table: 'return_labels',
}

/** Returns the function that writes a response about a label. The outbox calls it inside its transaction. */
export function createLabelFactsApplier(database: Database, scope: ScopeKey): ApplyFacts<'return_label'> {
  const reads = createReads(database, scope, new Map())
  const writes = createLabelWrites(database, scope)
  return (labelId, facts, at) => {
    const label = reads.get(labelId)
    if (label) writes.applyFacts(label, facts, at)
  }
}

type Changes = Pick<LabelLedger, 'make' | 'change' | 'adopt' | 'describe'>

function createChanges(
  database: Database,
  reads: Reads,
  writes: LabelWrites,
  confirmedAt: ConfirmedAt,
): Changes {
  const transaction = <A extends unknown[], R>(step: (...args: A) => R): ((...args: A) => R) => {
    const run = database.transaction(step)
    return guard((...args: A) => run.immediate(...args))
  }
  const reread = (id: LabelId): LabelRow => {
    const label = reads.get(id)
    if (!label) throw new Error(`label ${id} is not there`)
    return label
  }
  const takeAll = (label: LabelRow, steps: readonly LabelStep[], act: LabelAct): LabelRow => {
    for (const step of steps) writes.take(label, step, act)
    return reread(label.id)
  }
  const describe = (label: LabelRow, description: LabelDescription, at: Instant): void => {
    if (writes.isNews(label, description)) writes.describe(label, description, at)
    else {
      const stored = reads.storedAsOf(label.id)
      if (stored === null || Math.abs(at - stored) >= dayMs) writes.confirm(label.id, at)
      confirmedAt.set(label.id, at)
    }
  }
  return {
    make: transaction((label, again) => {
      const { shipmentId, wishedReference } = label
      const newest =
        shipmentId === null ? reads.byWish(wishedReference ?? '') : reads.newestOfShipment(shipmentId)
      const steps = newest && again(newest)
      const act = { at: label.at, by: label.madeBy }
      if (newest && steps) return takeAll(newest, steps, act)
      // a new label replaces the earlier label, so the refused creation of the earlier label is discarded
      if (newest?.create?.state === 'rejected')
        writes.take(newest, { do: 'discard', commandId: newest.create.id }, act)
      writes.insert(label)
      return reread(label.id)
    }),
    change: transaction((id, act, plan): Result<LabelRow> | null => {
      const label = reads.get(id)
      if (!label) return null
      const steps = plan(label)
      return steps.ok ? ok(takeAll(label, steps.value, act)) : steps
    }),
    adopt: transaction((id, description, createdAt, at) => {
      const known = reads.byServerId(description.serverId)
      const own = known ? null : reads.perhapsMade(description, createdAt)
      if (own) return own
      if (!known) writes.insertAdopted(id, description, agedFrom(createdAt, at))
      const label = known ?? reread(id)
      describe(label, description, at)
      return reread(label.id)
    }),
    describe: transaction((id, description, since, at) => {
      const label = reads.get(id)
      if (!label || reads.movedSince(id, since)) return false
      describe(label, description, at)
      return !isAlike(label, reread(id))
    }),
  }
}

/** Whether two rows are equal except for the time of the response. */
function isAlike(before: LabelRow, after: LabelRow): boolean {
  return JSON.stringify({ ...before, asOf: 0 }) === JSON.stringify({ ...after, asOf: 0 })
}

type Documents = Pick<LabelLedger, 'documentFailed' | 'documentStored' | 'documentLost' | 'documentLosses'>

function createDocuments(database: Database, scope: ScopeKey): Documents {
  const addPrintJob = createPrintJobInsert(database, scope)
  const movePrintJob = createPrintJobMove(database, scope)
  // a failure that is already stored is not written again, because every failed attempt reports the failure
  const failed = database.prepare<{ failure: string | null; id: LabelId; scope: ScopeKey }>(
    `UPDATE return_labels SET document_failure = @failure
     WHERE id = @id AND scope = @scope AND document_failure IS NOT @failure`,
  )
  const stored = database.prepare<[string, LabelId, string]>(
    `UPDATE return_labels SET document_hash = ?, document_failure = NULL
     WHERE id = ? AND scope = ? AND document_hash IS NULL`,
  )
  const lost = database.prepare<[LabelId, string, string]>(
    'UPDATE return_labels SET document_hash = NULL WHERE id = ? AND scope = ? AND document_hash = ?',
  )
  const losses = database
    .prepare<{ id: LabelId; scope: ScopeKey }, number>(
      `WITH jobs AS (
         SELECT seq, COALESCE(failure ->> '$.code' = 'document.missing', 0) AS is_lost
         FROM print_jobs WHERE label_id = @id AND scope = @scope
       )
       SELECT COUNT(*) FROM jobs WHERE seq > COALESCE((SELECT MAX(seq) FROM jobs WHERE NOT is_lost), 0)`,
    )
    .pluck()
  const documentStored = database.transaction((labelId: LabelId, hash: string, job: NewPrintJob | null) => {
    if (stored.run(hash, labelId, scope).changes === 0) return false
    if (job) addPrintJob(labelId, hash, job)
    return true
  })
  const documentLost = database.transaction((...[job, at]: Parameters<LabelLedger['documentLost']>) => {
    const details = { at, failure: failure('document.missing'), evidence: null, file: null }
    if (!movePrintJob(job.id, job.state, 'failed', details)) return false
    lost.run(job.labelId, scope, job.documentHash)
    return true
  })
  return {
    documentFailed: guard((id, cause) => void failed.run({ failure: failureToColumn(cause), id, scope })),
    documentStored: guard((labelId, hash, job) => documentStored.immediate(labelId, hash, job)),
    documentLost: guard((job, at) => documentLost.immediate(job, at)),
    documentLosses: guard((id) => losses.get({ id, scope }) ?? 0),
  }
}

interface Reads extends Pick<
  LabelLedger,
  | 'get'
  | 'nameOf'
  | 'newestOfShipment'
  | 'byServerId'
  | 'headByServerId'
  | 'byCode'
  | 'codesOf'
  | 'recent'
  | 'search'
  | 'isClaimed'
  | 'awaitingDocument'
> {
  byWish(wishedReference: string): LabelRow | null
  /** Returns the time when the service last described the label, as desk.db has it. */
  storedAsOf(id: LabelId): Instant | null
  /** Whether a write of the label is waiting, or ended after `since`. */
  movedSince(id: LabelId, since: Instant): boolean
  perhapsMade(description: LabelDescription, createdAt: Instant): LabelRow | null
}

function createReads(database: Database, scope: ScopeKey, confirmedAt: ConfirmedAt): Reads {
  const toStored = createToStoredLabel(database)
  const toStoredNow = (record: StoredRecord): Omit<LabelRow, 'sender'> => {
    const row = toStored(record)
    const confirmed = confirmedAt.get(row.id)
    return confirmed === undefined ? row : { ...row, asOf: Math.max(confirmed, row.asOf ?? 0) }
  }
  const toRow = (record: LabelRecord): LabelRow => ({
    ...toStoredNow(record),
    sender: record.sender === null ? null : senderAddress.parse(JSON.parse(record.sender)),
  })
  const toHead = (record: HeadRecord): LabelHead => ({
    ...toStoredNow(record),
    senderName: record.sender_name,
    senderCity: record.sender_city,
  })
  const asOf = database
    .prepare<[LabelId], Instant | null>('SELECT as_of FROM return_labels WHERE id = ?')
    .pluck()
  const newest = (where: string): ((key: string) => LabelRow | null) => {
    const statement = database.prepare<[string, string], LabelRecord>(
      `SELECT l.* FROM return_labels l WHERE l.scope = ? AND ${where} ORDER BY l.seq DESC LIMIT 1`,
    )
    return (key) => {
      const record = statement.get(scope, key)
      return record ? toRow(record) : null
    }
  }
  // CROSS JOIN makes SQLite search the codes first; otherwise SQLite could read all labels
  const byCode = database.prepare<[string, string], LabelRecord>(
    `SELECT l.* FROM return_label_codes c CROSS JOIN return_labels l ON l.id = c.label_id AND l.scope = c.scope
     WHERE c.scope = ? AND c.code = ? ORDER BY l.seq DESC LIMIT 1`,
  )
  // a label may have two rows, if this desk created the label and also found it at the service; the created row comes
  // first
  const withServerId = `FROM return_labels WHERE scope = ? AND server_id = ?
     ORDER BY origin = 'desk' DESC, seq DESC LIMIT 1`
  const byServerId = database.prepare<[string, ServerLabelId], LabelRecord>(`SELECT * ${withServerId}`)
  const headByServerId = database.prepare<[string, ServerLabelId], HeadRecord>(
    `SELECT ${labelHeadColumns} ${withServerId}`,
  )
  const name = database.prepare<[string, LabelId], LabelName>(
    `SELECT shipment_reference AS shipmentReference, shipping_method_id AS shippingMethodId,
       wished_reference AS wishedReference, external_reference AS externalReference,
       sender ->> '$.addressed_to' AS senderName, sender ->> '$.city' AS senderCity
     FROM return_labels WHERE scope = ? AND id = ?`,
  )
  const recent = database.prepare<[string, number], LabelRecord>(
    'SELECT * FROM return_labels WHERE scope = ? ORDER BY seq DESC LIMIT ?',
  )
  const codes = database
    .prepare<[string, LabelId], string>(
      'SELECT code FROM return_label_codes WHERE scope = ? AND label_id = ?',
    )
    .pluck()
  const claimed = database
    .prepare<[string, ServerLabelId], number>('SELECT 1 FROM return_labels WHERE scope = ? AND server_id = ?')
    .pluck()
  const awaiting = database
    .prepare<[string], LabelId>(
      'SELECT id FROM return_labels WHERE scope = ? AND requested = 1 AND document_hash IS NULL ORDER BY seq',
    )
    .pluck()
  const moves = database.prepare<[LabelId], { state: Parameters<typeof isOpen>[0]; state_at: number }>(
    `SELECT state, state_at FROM commands WHERE subject_kind = 'return_label' AND subject_id = ?`,
  )
  return {
    get: newest('l.id = ?'),
    newestOfShipment: newest('l.shipment_id = ?'),
    byServerId: (serverId) => {
      const record = byServerId.get(scope, serverId)
      return record ? toRow(record) : null
    },
    nameOf: (id) => name.get(scope, id) ?? null,
    headByServerId: (serverId) => {
      const record = headByServerId.get(scope, serverId)
      return record ? toHead(record) : null
    },
    storedAsOf: (id) => asOf.get(id) ?? null,
    byWish: newest('l.wished_reference = ?'),
    byCode: (code) => {
      const record = byCode.get(scope, code)
      return record ? toRow(record) : null
    },
    codesOf: (id) => codes.all(scope, id),
    recent: (limit) => recent.all(scope, limit).map(toRow),
    search: createSearch(database, scope, toHead),
    isClaimed: (serverId) => claimed.get(scope, serverId) !== undefined,
    awaitingDocument: () => awaiting.all(scope),
    movedSince: (id, since) => moves.all(id).some((one) => isOpen(one.state) || one.state_at > since),
    perhapsMade: createPerhapsMade(database, scope, toRow),
  }
}

/** Returns the reads for other modules. These reads convert an I/O error of SQLite to a catalogued failure. */
function guarded(reads: Reads): Omit<Reads, 'byWish' | 'storedAsOf' | 'movedSince' | 'perhapsMade'> {
  return {
    get: guard((id) => reads.get(id)),
    nameOf: guard((id) => reads.nameOf(id)),
    headByServerId: guard((id) => reads.headByServerId(id)),
    newestOfShipment: guard((id) => reads.newestOfShipment(id)),
    byServerId: guard((id) => reads.byServerId(id)),
    byCode: guard((code) => reads.byCode(code)),
    codesOf: guard((id) => reads.codesOf(id)),
    recent: guard((limit) => reads.recent(limit)),
    search: (text, limit, isWanted) => reads.search(text, limit, isWanted),
    isClaimed: guard((serverId) => reads.isClaimed(serverId)),
    awaitingDocument: guard(() => reads.awaitingDocument()),
  }
}

/**
 * The limits of one step of a search: the number of labels that it compares, and the number of labels that it returns.
 * A step takes some milliseconds.
 */
const comparedAtOnce = 1_000
const listedAtOnce = 100

/** Returns the search (see LabelLedger). It goes from the newest label to the oldest. */
function createSearch(
  database: Database,
  scope: ScopeKey,
  toHead: (record: HeadRecord) => LabelHead,
): Reads['search'] {
  interface Stretch {
    readonly scope: ScopeKey
    readonly text: string
    /** One step of the search compares the labels whose `seq` is less than this number. */
    readonly before: number
    /** The lowest `seq` among the labels that one step of the search compares. */
    readonly from: number
  }
  const oldest = database
    .prepare<[string, number, number], number | null>(
      `SELECT min(seq) FROM (SELECT seq FROM return_labels WHERE scope = ? AND seq < ? ORDER BY seq DESC LIMIT ?)`,
    )
    .pluck()
  const matching = `FROM return_labels
     WHERE scope = @scope AND seq < @before AND seq >= @from AND instr(search_text, @text) > 0`
  const list = database.prepare<Stretch & { readonly limit: number }, HeadRecord & { seq: number }>(
    `SELECT seq, ${labelHeadColumns} ${matching} ORDER BY seq DESC LIMIT @limit`,
  )
  const count = database.prepare<Stretch, number>(`SELECT count(*) ${matching}`).pluck()
  const step = guard((text: string, limit: number, before: number, labels: LabelHead[]) => {
    const from = oldest.get(scope, before, comparedAtOnce)
    if (from == null) return null
    const missing = Math.min(limit - labels.length, listedAtOnce)
    if (missing <= 0) return { next: from, found: count.get({ scope, text, before, from }) ?? 0 }
    const records = list.all({ scope, text, before, from, limit: missing })
    labels.push(...records.map(toHead))
    const last = records.length === missing ? records.at(-1) : undefined
    return { next: last?.seq ?? from, found: records.length }
  })
  return async (text, limit, isWanted) => {
    const folded = foldText(text.trim())
    const labels: LabelHead[] = []
    let found = 0
    let before = Number.MAX_SAFE_INTEGER
    while (isWanted()) {
      const done = step(folded, limit, before, labels)
      if (done === null) break
      found += done.found
      before = done.next
      await setImmediate()
    }
    return { labels, found }
  }
}

/**
 * Returns the label of this desk that may be the given label of the service, because its creation is being sent or has
 * an unknown outcome. Without this check, the given label would be stored as a separate label, the search for the
 * outcome of the creation would never find it, and the desk would create a second label.
 */
function createPerhapsMade(
  database: Database,
  scope: ScopeKey,
  toRow: (record: LabelRecord) => LabelRow,
): Reads['perhapsMade'] {
  const statement = database.prepare<
    {
      scope: ScopeKey
      shipmentId: string | null
      reference: string | null
      createdAt: Instant
      serverIdHash: string
    },
    LabelRecord
  >(
    // without CROSS JOIN, SQLite reads the commands of all labels; without the +, SQLite reads all labels that have no
    // shipment
    `SELECT l.* FROM return_labels l CROSS JOIN commands c ON c.subject_kind = 'return_label' AND c.subject_id = l.id
     WHERE l.seq IN (SELECT seq FROM return_labels WHERE scope = @scope AND shipment_id = @shipmentId
         UNION ALL SELECT seq FROM return_labels
         WHERE scope = @scope AND wished_reference = @reference AND +shipment_id IS NULL)
       AND l.server_id IS NULL AND c.type = '${labelCommands.create}'
       AND (c.state IN ('sending', 'unknown') OR (c.state = 'queued' AND c.ended_at IS NOT NULL))
       AND c.first_sent_at - ${String(clockMarginMs)} <= @createdAt
       AND NOT EXISTS (SELECT 1 FROM json_each(coalesce(c.baseline, '[]')) known
         WHERE known.value = @serverIdHash)
     ORDER BY l.seq LIMIT 1`,
  )
  return ({ serverId, externalReference, shipment }, createdAt) => {
    const reference = shipment ? null : baseExternalReference(externalReference ?? '')
    const shipmentId = shipment?.id ?? null
    const record = statement.get({ scope, shipmentId, reference, createdAt, serverIdHash: idHash(serverId) })
    return record ? toRow(record) : null
  }
}

/** A row of `return_labels` without the sender, as SQLite returns it. */
interface StoredRecord {
  id: LabelId
  origin: 'desk' | 'service'
  shipment_id: string | null
  shipment_reference: string | null
  shipping_method_id: string | null
  wished_reference: string | null
  server_id: ServerLabelId | null
  external_reference: string | null
  tracking_code: string | null
  requested: number
  cancelled: number
  document_hash: string | null
  document_failure: string | null
  created_at: number
  as_of: number | null
}

interface LabelRecord extends StoredRecord {
  sender: string | null
}

interface HeadRecord extends StoredRecord {
  sender_name: string | null
  sender_city: string | null
}

/** The columns of a `HeadRecord`. */
const labelHeadColumns = `id, origin, shipment_id, shipment_reference, shipping_method_id, wished_reference, server_id,
       external_reference, tracking_code, requested, cancelled, document_hash, document_failure, created_at, as_of,
       sender ->> '$.addressed_to' AS sender_name, sender ->> '$.city' AS sender_city`

/** Returns a function that completes a record with its commands and the print job that it shows. */
function createToStoredLabel(database: Database): (record: StoredRecord) => Omit<LabelRow, 'sender'> {
  // the question of a command may be long, so it is read only for a command that waits for an operator; the sent body
  // is never read
  const commands = database.prepare<[LabelId], CommandHeadRecord>(
    `SELECT ${bareHeadColumns} FROM commands c
     WHERE c.subject_kind = 'return_label' AND c.subject_id = ? ORDER BY c.seq`,
  )
  const head = database.prepare<[string], CommandHeadRecord>(
    `SELECT ${headColumns} FROM commands c WHERE c.id = ?`,
  )
  const questionOf = (records: readonly CommandHeadRecord[]): CommandHead | null => {
    const asking = records.find((one) => one.needs_operator === 1 && isOpen(one.state))
    const record = asking && head.get(asking.id)
    return record ? toCommandHead(record) : null
  }
  const shownPrint = prepareShownPrint(database)
  return (record) => {
    const records = commands.all(record.id)
    return {
      id: record.id,
      origin: record.origin,
      shipmentId: record.shipment_id,
      shipmentReference: record.shipment_reference,
      shippingMethodId: record.shipping_method_id,
      wishedReference: record.wished_reference,
      serverId: record.server_id,
      externalReference: record.external_reference,
      trackingCode: record.tracking_code,
      requested: record.requested === 1,
      cancelled: record.cancelled === 1,
      documentHash: record.document_hash,
      documentFailure: failureFromColumn(record.document_failure),
      createdAt: record.created_at,
      asOf: record.as_of,
      ...summarise(records),
      asked: questionOf(records),
      print: shownPrint(record.id),
    }
  }
}

type Summary = Pick<LabelRow, 'create' | 'patch' | 'request' | 'cancel' | 'trouble'>

/** Returns the newest command of each kind, and the first failure after the last command that succeeded. */
function summarise(records: readonly CommandHeadRecord[]): Summary {
  const newest = (type: string): CommandSummary | null => {
    const record = records.findLast((one) => one.type === type)
    return record ? toSummary(record) : null
  }
  const afterSuccess = records.slice(records.findLastIndex((one) => one.state === 'done') + 1)
  return {
    create: newest(labelCommands.create),
    patch: newest(labelCommands.patch),
    request: newest(labelCommands.request),
    cancel: newest(labelCommands.cancel),
    trouble: firstFailure(afterSuccess),
  }
}

function firstFailure(records: readonly CommandHeadRecord[]): Failure | null {
  const failing = records.find((one) => one.failure !== null)
  return failing ? failureFromColumn(failing.failure) : null
}

function toSummary({ id, state, state_at, ended_at, failure }: CommandHeadRecord): CommandSummary {
  const isUntouched = state === 'queued' && ended_at === null
  return { id, state, isUntouched, failure: failureFromColumn(failure), movedAt: state_at }
}
