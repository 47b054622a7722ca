import type { Database } from 'better-sqlite3'
import type { CommandHead } from '#desk/ports/commands.ts'
import type { CommandSummary, LabelRow } from '#desk/ports/label-ledger.ts'
import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { senderAddress } from '#shared/wire/address.ts'
import {
  bareHeadColumns,
  type CommandHeadRecord,
  headColumns,
  toCommandHead,
} from '../outbox/command-rows.ts'
import { failureFromColumn } from '../failure-column.ts'
import { type PrintJobRecord, toPrintJobRow } from './print-job-rows.ts'

/** A row of `return_labels` as SQLite hands it over. */
export interface LabelRecord {
  id: string
  origin: 'desk' | 'service'
  shipment_id: string | null
  shipment_reference: string | null
  shipping_method_id: string | null
  wished_reference: string | null
  sender: string | null
  server_id: string | null
  external_reference: string | null
  tracking_code: string | null
  requested: number
  cancelled: number
  document_hash: string | null
  document_failure: string | null
  created_at: number
  as_of: number | null
}

/** Completes a record with its commands and its newest print job. */
export function createToLabelRow(database: Database): (record: LabelRecord) => LabelRow {
  // what a command was sent with and what it asks may be long: the question is read of the one that asks
  const commands = database.prepare<[string], CommandHeadRecord>(
    `SELECT ${bareHeadColumns} FROM commands c
     WHERE c.subject_kind = 'return_label' AND c.subject_id = ? ORDER BY c.seq`,
  )
  const head = database.prepare<[string], CommandHeadRecord>(
    `SELECT ${headColumns} FROM commands c WHERE c.id = ?`,
  )
  const askedOf = (records: readonly CommandHeadRecord[]): CommandHead | null => {
    const asking = records.find((one) => one.needs_operator === 1 && isOpen(one.state))
    const record = asking && head.get(asking.id)
    return record ? toCommandHead(record) : null
  }
  const print = database.prepare<[string], PrintJobRecord>(
    'SELECT * FROM print_jobs WHERE label_id = ? ORDER BY seq DESC LIMIT 1',
  )
  const newestPrint = (labelId: string): PrintJobRow | null => {
    const record = print.get(labelId)
    return record ? toPrintJobRow(record) : null
  }
  return (record) => {
    const records = commands.all(record.id)
    return {
      id: record.id,
      origin: record.origin,
      shipmentId: record.shipment_id,
      shipmentReference: record.shipment_reference,
      shippingMethodId: record.shipping_method_id,
      wishedReference: record.wished_reference,
      sender: record.sender === null ? null : senderAddress.parse(JSON.parse(record.sender)),
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
      asked: askedOf(records),
      print: newestPrint(record.id),
    }
  }
}

type Summary = Pick<LabelRow, 'create' | 'patch' | 'request' | 'cancel' | 'trouble'>

/** The newest command of each kind, and the first failure after the last one that succeeded. */
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
