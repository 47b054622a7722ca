import type { Database } from 'better-sqlite3'
import type { CommandSummary, LabelLedger, LabelRow, NewLabel, PrintJobRow } from '#desk/ports/store.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import { isPrintOpen } from '#shared/domain/print-state.ts'
import { type CommandRecord, toCommandRow } from './command-rows.ts'
import { failureFromColumn, failureToColumn } from './failure-column.ts'
import { createHistory } from './history.ts'
import { type PrintJobRecord, toPrintJobRow } from './print-job-rows.ts'
import { createPrintJobInsert } from './print-job-store.ts'
import { guard } from './sqlite-failure.ts'

interface LabelRecord {
  id: string
  shipment_id: string
  shipment_reference: string
  server_id: string | null
  external_reference: string | null
  tracking_code: string | null
  document_hash: string | null
  document_failure: string | null
  created_at: number
}

/** Return labels with their commands and their newest print job. */
export function createLabelLedger(database: Database, scope: string): LabelLedger {
  const reads = createReads(database, scope)
  const insert = createInsert(database, scope)
  const requeue = createRequeue(database)
  const addPrintJob = createPrintJobInsert(database, scope)
  const failed = database.prepare<[string | null, string, string]>(
    'UPDATE return_labels SET document_failure = ? WHERE id = ? AND scope = ?',
  )
  const stored = database.prepare<[string, string, string]>(
    `UPDATE return_labels SET document_hash = ?, document_failure = NULL
     WHERE id = ? AND scope = ? AND document_hash IS NULL`,
  )
  const make = database.transaction((label: NewLabel): void => {
    const newest = reads.newestOfShipment(label.shipmentId)
    if (!newest || !isUnderWay(newest)) insert(label)
    else if (newest.request.state === 'rejected') requeue(newest.request.id, label.at)
  })
  const documentStored = database.transaction(
    (...[labelId, documentHash, job]: Parameters<LabelLedger['documentStored']>) => {
      if (stored.run(documentHash, labelId, scope).changes === 0) return false
      addPrintJob(labelId, documentHash, job)
      return true
    },
  )
  return {
    ...reads,
    make: guard((label) => {
      make.immediate(label)
      const row = reads.newestOfShipment(label.shipmentId)
      if (!row) throw new Error(`label ${label.id} was not inserted`)
      return row
    }),
    documentFailed: guard((labelId, failure) => void failed.run(failureToColumn(failure), labelId, scope)),
    documentStored: guard((labelId, hash, job) => documentStored.immediate(labelId, hash, job)),
  }
}

/**
 * Whether pressing "make" again means this label: something of it is still open, its request was refused (it exists
 * at the service then, and is requested again), or its paper has not left yet.
 */
function isUnderWay(label: LabelRow): boolean {
  if (isOpen(label.create.state)) return true
  if (label.create.state !== 'done') return false
  if (isOpen(label.request.state) || label.request.state === 'rejected') return true
  if (label.request.state !== 'done') return false
  return label.documentHash === null || (label.print !== null && isPrintOpen(label.print.state))
}

type Reads = Pick<LabelLedger, 'get' | 'newestOfShipment' | 'byCode' | 'recent' | 'awaitingDocument'>

function createReads(database: Database, scope: string): Reads {
  const one = database.prepare<[string, string], LabelRecord>(
    'SELECT * FROM return_labels WHERE scope = ? AND id = ?',
  )
  const newest = database.prepare<[string, string], LabelRecord>(
    'SELECT * FROM return_labels WHERE scope = ? AND shipment_id = ? ORDER BY seq DESC LIMIT 1',
  )
  const byCode = database.prepare<[string, string], LabelRecord>(
    `SELECT l.* FROM return_label_codes c JOIN return_labels l ON l.id = c.label_id
     WHERE c.scope = ? AND c.code = ? ORDER BY l.seq DESC LIMIT 1`,
  )
  const recent = database.prepare<[string, number], LabelRecord>(
    'SELECT * FROM return_labels WHERE scope = ? ORDER BY seq DESC LIMIT ?',
  )
  const awaiting = database.prepare<[string], LabelRecord>(
    `SELECT l.* FROM return_labels l WHERE l.scope = ? AND l.document_hash IS NULL AND EXISTS (
       SELECT 1 FROM commands c WHERE c.label_id = l.id AND c.type LIKE '%.request' AND c.state = 'done')
     ORDER BY l.seq`,
  )
  const toRow = createToRow(database)
  const orNull = (record: LabelRecord | undefined): LabelRow | null => (record ? toRow(record) : null)
  return {
    get: guard((id) => orNull(one.get(scope, id))),
    newestOfShipment: guard((shipmentId) => orNull(newest.get(scope, shipmentId))),
    byCode: guard((code) => orNull(byCode.get(scope, code))),
    recent: guard((limit) => recent.all(scope, limit).map(toRow)),
    awaitingDocument: guard(() => awaiting.all(scope).map(toRow)),
  }
}

function createToRow(database: Database): (record: LabelRecord) => LabelRow {
  const commands = database.prepare<[string], CommandRecord>(
    'SELECT * FROM commands WHERE label_id = ? ORDER BY seq LIMIT 2',
  )
  const print = database.prepare<[string], PrintJobRecord>(
    'SELECT * FROM print_jobs WHERE label_id = ? ORDER BY seq DESC LIMIT 1',
  )
  const newestPrint = (labelId: string): PrintJobRow | null => {
    const record = print.get(labelId)
    return record ? toPrintJobRow(record) : null
  }
  return (record) => {
    const [create, request] = commands.all(record.id).map(toSummary)
    if (!create || !request) throw new Error(`label ${record.id} has no commands`)
    return {
      id: record.id,
      shipmentId: record.shipment_id,
      shipmentReference: record.shipment_reference,
      serverId: record.server_id,
      externalReference: record.external_reference,
      trackingCode: record.tracking_code,
      documentHash: record.document_hash,
      documentFailure: failureFromColumn(record.document_failure),
      createdAt: record.created_at,
      create,
      request,
      print: newestPrint(record.id),
    }
  }
}

function toSummary(record: CommandRecord): CommandSummary {
  const { id, state, failure } = toCommandRow(record)
  return { id, state, failure }
}

function createInsert(database: Database, scope: string): (label: NewLabel) => void {
  const ledger = database.prepare<[string, string, string, string, string | null, number]>(
    `INSERT INTO return_labels (id, scope, shipment_id, shipment_reference, made_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const command = database.prepare<[string, string, string, string, string, number, number]>(
    `INSERT INTO commands (id, scope, label_id, aggregate, type, created_at, state_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return (label) => {
    ledger.run(label.id, scope, label.shipmentId, label.shipmentReference, label.madeBy, label.at)
    for (const { id, type } of [label.create, label.request])
      command.run(id, scope, label.id, label.aggregate, type, label.at, label.at)
  }
}

function createRequeue(database: Database): (commandId: string, at: number) => void {
  const history = createHistory(database)
  const update = database.prepare<[number, string]>(
    `UPDATE commands SET state = 'queued', state_at = ?, failure = NULL WHERE id = ? AND state = 'rejected'`,
  )
  return (commandId, at) => {
    history.note(commandId, at, 'rejected', 'queued', null)
    update.run(at, commandId)
  }
}
