import { inTransaction } from '../../data/engine/database.ts'
import { randomUUID } from 'node:crypto'
import type { ExportFamily } from '#shared/domain/exports.ts'
import { sourceOf } from '../../data/exports/export-sources.ts'
import {
  countWaitingExports,
  findExport,
  insertExport,
  readExportPart,
  type StoredExportFilters,
} from '../../data/exports/stored-exports.ts'
import type { ExportRow } from '../../data/schema/exports.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
import { inPieces } from '../downloads.ts'
import { boundary } from '../paging.ts'
import { type FieldMessages, Refusal } from '../refusal.ts'
import { usualExportLimits } from './runner.ts'

export interface NewExport {
  readonly family: ExportFamily
  readonly type: string
  readonly filters: StoredExportFilters
  /** Columns of the export. Empty: all columns. */
  readonly fields: readonly string[]
}

/**
 * Requests an export. The runner writes it later (API.md 11.1). Refused with 400, with an error for the field: a column
 * that the type does not have, and a day that does not exist. Refused with 429 while too many exports of the customer
 * wait.
 */
export async function createExport(
  context: ServiceContext,
  customer: Customer,
  wanted: NewExport,
): Promise<ExportRow> {
  refuseUnknown(wanted)
  const now = storedNow(context)
  const row = {
    id: randomUUID(),
    customer_id: customer.id,
    family: wanted.family,
    type: wanted.type,
    filters: JSON.stringify(wanted.filters),
    fields: JSON.stringify([...new Set(wanted.fields)]),
    status: 'created' as const,
    created_at: now,
    modified_at: now,
  }
  const stored = await inTransaction(context.database, async (transaction) => {
    if ((await countWaitingExports(transaction, customer.id)) >= mostWaiting) throw tooManyWaiting()
    return insertExport(transaction, row)
  })
  context.exports.wake()
  return stored
}

/** Maximum number of waiting exports of one customer. */
const mostWaiting = 20

function tooManyWaiting(): Refusal {
  const message = `${mostWaiting} exports of this customer are waiting. Try again when some of them are completed.`
  return new Refusal('too_many', message, { retryAfterSeconds: 10 })
}

export async function getExport(
  context: Pick<ServiceContext, 'database'>,
  customer: Pick<Customer, 'id'>,
  id: string,
): Promise<ExportRow> {
  const row = await findExport(context.database, customer.id, id)
  if (row === null) throw new Refusal('not_found', 'Export not found.')
  return row
}

/**
 * Opens the file of an export. Its content is UTF-8 in pieces, which are read when the consumer asks for them. Refused
 * with 412 until the file is complete, and after the export failed or its file expired. Reading the content throws if
 * the file is deleted meanwhile. `hasLeft`: whether the client has disconnected.
 */
export async function openExport(
  { database, turns }: Pick<ServiceContext, 'database' | 'turns'>,
  customer: Pick<Customer, 'id'>,
  id: string,
  hasLeft: () => boolean,
): Promise<{ fileName: string; bytes: number; content: AsyncIterable<Uint8Array> }> {
  const owner = customer.id
  const look = () => turns.lookUp(owner, () => getExport({ database }, customer, id))
  const row = await look()
  refuseUnready(row)
  const family = row.family === 'standard' ? '' : `${row.family}-`
  const read = async (position: number): Promise<Uint8Array | null> => {
    const part = await turns.lookUp(owner, () => readExportPart(database, id, position))
    if (part !== null) return Buffer.from(part)
    // throws if the file was deleted, because its remaining parts must not look like a complete file
    refuseUnready(await look())
    return null
  }
  const content = inPieces({ turns }, { owner, file: `export ${id}`, read, hasLeft })
  const fileName = `${family}${row.type}-${row.created_at.slice(0, 10)}.csv`
  return { fileName, bytes: row.bytes, content }
}

const mostMegabytes = usualExportLimits.mostBytes / 1024 / 1024

function refuseUnready({ status, failure }: ExportRow): void {
  if (status === 'expired')
    throw new Refusal('not_ready', 'The file of this export is no longer stored. Create the export again.')
  if (failure === 'too_large')
    throw new Refusal(
      'not_ready',
      `This export failed: its file would be larger than ${mostMegabytes} MiB. Choose fewer days or columns.`,
    )
  if (status === 'failed') throw new Refusal('not_ready', 'This export failed.')
  if (status !== 'completed') throw new Refusal('not_ready', 'This export is not ready yet.')
}

function refuseUnknown({ family, type, fields, filters }: NewExport): void {
  const { columns } = sourceOf(family, type)
  const messages: Record<string, string[]> = {}
  for (const [index, field] of fields.entries())
    if (!columns.includes(field)) messages[`fields.${index}`] = [`Unknown column ${field}.`]
  for (const edge of ['from', 'to'] as const)
    if (!isBoundary(edge, filters[edge])) messages[`filters.${edge}`] = ['Invalid date']
  refuse(messages)
}

function isBoundary(edge: 'from' | 'to', text: string | null): boolean {
  try {
    if (text !== null) boundary(edge, text)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

function refuse(fields: FieldMessages): void {
  if (Object.keys(fields).length > 0) throw new Refusal('invalid', 'This export is not possible.', { fields })
}
