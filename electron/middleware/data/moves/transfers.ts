import type { Connection } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type { TransferLineTable, TransferTable } from '../schema/moves.ts'

/** Returns a page of the transfers whose source is the customer. */
export async function listTransfers(
  connection: Connection,
  customerId: string,
  page: Page,
): Promise<TransferTable[]> {
  return readPage(
    connection,
    connection.selectFrom('transfers').selectAll().where('customer_id', '=', customerId),
    page,
  )
}

export async function findTransfer(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<TransferTable | null> {
  const row = await connection
    .selectFrom('transfers')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Returns the lines of the given transfers. The lines of a transfer have the order in which the client sent them. */
export async function linesOfTransfers(
  connection: Connection,
  transferIds: readonly string[],
): Promise<TransferLineTable[]> {
  if (transferIds.length === 0) return []
  return connection
    .selectFrom('transfer_lines')
    .selectAll()
    .where('transfer_id', 'in', transferIds)
    .orderBy('transfer_id')
    .orderBy('position')
    .execute()
}

export async function insertTransfer(
  connection: Connection,
  row: TransferTable,
  lines: readonly TransferLineTable[],
): Promise<void> {
  await connection.insertInto('transfers').values(row).execute()
  await connection.insertInto('transfer_lines').values(lines).execute()
}

export type TransferChanges = Partial<Pick<TransferTable, 'external_reference' | 'status' | 'cancel_note'>>

/**
 * Changes a transfer if it still has the given status, otherwise returns false. If several callers change the status at
 * once, only one of them receives true.
 */
export async function changeTransfer(
  connection: Connection,
  transfer: Pick<TransferTable, 'id' | 'status'>,
  changes: TransferChanges,
  modifiedAt: string,
): Promise<boolean> {
  const result = await connection
    .updateTable('transfers')
    .set({ ...changes, modified_at: modifiedAt })
    .where('id', '=', transfer.id)
    .where('status', '=', transfer.status)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Whether the user has access to transfers (API.md 10.1). */
export async function mayTransfer(connection: Connection, userId: string): Promise<boolean> {
  const row = await connection
    .selectFrom('users')
    .select('transfers_granted')
    .where('id', '=', userId)
    .executeTakeFirst()
  return row?.transfers_granted === 1
}

/** Returns a transfer of any customer by its id. Null: it does not exist. */
export async function findAnyTransfer(connection: Connection, id: string): Promise<TransferTable | null> {
  const row = await connection.selectFrom('transfers').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Marks all pieces of a transfer's lines as transferred. */
export async function finalizeTransferLines(connection: Connection, transferId: string): Promise<void> {
  await connection
    .updateTable('transfer_lines')
    .set((row) => ({ finalized_quantity: row.ref('quantity') }))
    .where('transfer_id', '=', transferId)
    .execute()
}
