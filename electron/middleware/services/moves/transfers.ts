import { canMoveTransfer } from '#shared/domain/transfer-state.ts'
import type { Connection } from '../../data/engine/database.ts'
import type { VariantTable, TransferLineTable, TransferTable } from '../../data/schema/goods.ts'
import {
  changeTransfer as changeRow,
  findTransfer,
  linesOfTransfers,
  listTransfers as listRows,
  mayTransfer,
  type TransferChanges,
} from '../../data/moves/transfers.ts'
import { findVariants } from '../../data/goods/variants.ts'
import type { Customer, ServiceContext } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'
import { transact } from '../transact.ts'

export type TransferSort = 'reference' | 'createdAt'

/** A transfer has no reference of its own kind: its serial is what `reference` sorts by. */
const listing: Listing<TransferSort> = {
  columns: { reference: 'serial', createdAt: 'created_at' },
  sort: 'reference',
  direction: 'desc',
}

export interface TransferLineRecord {
  readonly line: TransferLineTable
  readonly from: VariantTable
  readonly to: VariantTable
}

export interface TransferRecord {
  readonly transfer: TransferTable
  /** Null: not asked for. */
  readonly lines: readonly TransferLineRecord[] | null
}

/** 403 for a user who was given no access, whatever the roles (api.md, Customer-to-customer transfers). */
export async function requireTransferAccess(context: ServiceContext, userId: string): Promise<void> {
  if (!(await mayTransfer(context.database, userId)))
    throw new Refusal('forbidden', 'No access to customer-to-customer transfers.')
}

export async function listTransfers(
  context: ServiceContext,
  customer: Customer,
  call: { query: ListQuery<TransferSort>; withLines: boolean },
): Promise<TransferRecord[]> {
  const rows = await listRows(context.database, customer.id, toPage(call.query, listing))
  return call.withLines ? withLines(context, rows) : rows.map((transfer) => ({ transfer, lines: null }))
}

export async function getTransfer(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; withLines: boolean },
): Promise<TransferRecord> {
  const transfer = await existingTransfer(context.database, customer, call.id)
  const [record] = call.withLines ? await withLines(context, [transfer]) : []
  return record ?? { transfer, lines: null }
}

/** `externalReference` null: nothing to change. 412 once it was requested or cancelled (api.md, States). */
export async function changeTransfer(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; externalReference: string | null },
): Promise<void> {
  await transact(context, async ({ connection: transaction, now }) => {
    const transfer = await existingTransfer(transaction, customer, call.id)
    if (transfer.status !== 'created') throw standsAt(transfer)
    if (call.externalReference === null) return
    const changes = { external_reference: call.externalReference }
    await changeRow(transaction, transfer, changes, now)
  })
}

/** Asked for again it changes nothing; 412 once the warehouse has begun, decided, or it was cancelled. */
export async function requestTransfer(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<void> {
  await move(context, customer, id, { status: 'requested' })
}

/** From any status; a second time changes nothing, not even the note (api.md, States). */
export async function cancelTransfer(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; note: string | null },
): Promise<void> {
  await move(context, customer, call.id, { status: 'cancelled', cancel_note: call.note })
}

async function move(
  context: ServiceContext,
  customer: Customer,
  id: string,
  changes: TransferChanges & Pick<TransferTable, 'status'>,
): Promise<void> {
  await transact(context, async (unit) => {
    const { connection: transaction } = unit
    const transfer = await existingTransfer(transaction, customer, id)
    if (transfer.status === changes.status) return
    if (!canMoveTransfer(transfer.status, changes.status)) throw standsAt(transfer)
    await changeRow(transaction, transfer, changes, unit.now)
    unit.forWarehouse('transfer', { customerId: customer.id, id })
  })
}

/** The customer's transfer; one of which somebody else is the source does not exist. */
async function existingTransfer(
  connection: Connection,
  customer: Customer,
  id: string,
): Promise<TransferTable> {
  const transfer = await findTransfer(connection, customer.id, id)
  if (transfer === null) throw new Refusal('not_found', 'Transfer not found.')
  return transfer
}

function standsAt({ status }: TransferTable): Refusal {
  return new Refusal('already_requested', `The status of this transfer is ${status}.`)
}

async function withLines(
  context: ServiceContext,
  transfers: readonly TransferTable[],
): Promise<TransferRecord[]> {
  const { database } = context
  const lines = await linesOfTransfers(
    database,
    transfers.map(({ id }) => id),
  )
  const variants = await variantsOf(database, transfers, lines)
  const grouped = Map.groupBy(lines, (line) => line.transfer_id)
  return transfers.map((transfer) => ({
    transfer,
    lines: (grouped.get(transfer.id) ?? []).map((line) => {
      const from = variants.get(line.from_variant_id)
      const to = variants.get(line.to_variant_id)
      if (from === undefined || to === undefined) throw new Error(`A variant of line ${line.id} is gone`)
      return { line, from, to }
    }),
  }))
}

/** Of all customers that take part, each looked up as its own. */
async function variantsOf(
  connection: Connection,
  transfers: readonly TransferTable[],
  lines: readonly TransferLineTable[],
): Promise<Map<string, VariantTable>> {
  const ids = new Set(lines.flatMap((line) => [line.from_variant_id, line.to_variant_id]))
  const customers = new Set(transfers.flatMap((transfer) => [transfer.customer_id, transfer.to_customer_id]))
  const found = new Map<string, VariantTable>()
  for (const customer of customers)
    for (const [id, variant] of await findVariants(connection, customer, [...ids])) found.set(id, variant)
  return found
}
