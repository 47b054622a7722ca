import { sql } from 'kysely'
import { canMoveReturnLabel, type ReturnLabelState } from '#shared/domain/resource-states.ts'
import type { Connection } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type { ReturnLabelTable } from '../schema/orders.ts'
import type { StoredAddress, StoredTracking } from '../engine/stored-json.ts'

export async function listReturnLabels(
  connection: Connection,
  customerId: string,
  page: Page,
): Promise<ReturnLabelTable[]> {
  return readPage(
    connection,
    connection.selectFrom('return_labels').selectAll().where('customer_id', '=', customerId),
    page,
  )
}

export async function findReturnLabel(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<ReturnLabelTable | null> {
  const row = await connection
    .selectFrom('return_labels')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Returns the newest label of a shipment. Cancelled labels do not count. Null: there is none. */
export async function newestLabelOfShipment(
  connection: Connection,
  customerId: string,
  shipmentId: string,
): Promise<ReturnLabelTable | null> {
  const row = await connection
    .selectFrom('return_labels')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('shipment_id', '=', shipmentId)
    .where('state', '!=', 'cancelled')
    .orderBy('serial', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Returns those of the given references that labels of the customer already use. Cancelled labels do not count. */
export async function takenLabelReferences(
  connection: Connection,
  customerId: string,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await connection
    .selectFrom('return_labels')
    .select('external_reference')
    .where('customer_id', '=', customerId)
    .where('external_reference', 'in', references)
    // the query contains this condition with a literal, not with a parameter, because SQLite uses a partial index only
    // for a query that repeats the condition of the index
    .where(sql<boolean>`state <> 'cancelled'`)
    .execute()
  return new Set(rows.map((row) => row.external_reference))
}

/**
 * Stores a label. Fails with a unique violation if another label of the customer has the same external reference and is
 * not cancelled.
 */
export async function insertReturnLabel(connection: Connection, row: ReturnLabelTable): Promise<void> {
  await connection.insertInto('return_labels').values(row).execute()
}

interface ReturnLabelChanges {
  readonly senderAddress?: StoredAddress
  readonly shippingMethodId?: string
  readonly externalReference?: string
}

/**
 * Changes a label if it is still unrequested. Otherwise returns false without a change. A change of the sender removes
 * `sender_email`, because the new sender may be another person.
 */
export async function changeUnrequested(
  connection: Connection,
  id: string,
  changes: ReturnLabelChanges,
  modifiedAt: string,
): Promise<boolean> {
  const result = await connection
    .updateTable('return_labels')
    .set({
      modified_at: modifiedAt,
      ...(changes.senderAddress && {
        sender_address: JSON.stringify(changes.senderAddress),
        sender_email: null,
      }),
      ...(changes.shippingMethodId && { shipping_method_id: changes.shippingMethodId }),
      ...(changes.externalReference && { external_reference: changes.externalReference }),
    })
    .where('id', '=', id)
    .where('state', '=', 'unrequested')
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/**
 * Changes the state of a label from `from` to `to`, and returns false if it has another state. One conditional
 * statement does this, so that only one of several simultaneous callers receives true. Throws if the rules of labels do
 * not allow the change.
 */
export async function moveReturnLabel(
  connection: Connection,
  id: string,
  from: ReturnLabelState,
  to: ReturnLabelState,
  modifiedAt: string,
): Promise<boolean> {
  if (!canMoveReturnLabel(from, to)) throw new RangeError(`A label cannot change from ${from} to ${to}`)
  const result = await connection
    .updateTable('return_labels')
    .set({ state: to, modified_at: modifiedAt })
    .where('id', '=', id)
    .where('state', '=', from)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Stores the carrier's response in a label. Returns false if the label is no longer being requested. */
export async function completeReturnLabel(
  connection: Connection,
  id: string,
  answer: { documentId: string; tracking: StoredTracking },
  modifiedAt: string,
): Promise<boolean> {
  const result = await connection
    .updateTable('return_labels')
    .set({
      state: 'requested',
      document_id: answer.documentId,
      tracking: JSON.stringify(answer.tracking),
      modified_at: modifiedAt,
    })
    .where('id', '=', id)
    .where('state', '=', 'requesting')
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Removes the reference of a label to its PDF. The label keeps its state and its tracking data. */
export async function forgetDocument(
  connection: Connection,
  documentId: string,
  modifiedAt: string,
): Promise<void> {
  await connection
    .updateTable('return_labels')
    .set({ document_id: null, modified_at: modifiedAt })
    .where('document_id', '=', documentId)
    .execute()
}

/**
 * Returns the ids of the labels that a process is requesting, or was requesting when it crashed. `among`: only labels
 * with these ids. Null: all labels.
 */
export async function labelsBeingRequested(
  connection: Connection,
  among: readonly string[] | null = null,
): Promise<string[]> {
  const all = connection
    .selectFrom('return_labels')
    .select('id')
    // the query contains this condition with a literal, not with a parameter, because SQLite uses a partial index only
    // for a query that repeats the condition of the index
    .where(sql<boolean>`state = 'requesting'`)
  const rows = await (among === null ? all : all.where('id', 'in', among)).execute()
  return rows.map(({ id }) => id)
}
