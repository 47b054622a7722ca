import { sql } from 'kysely'
import type { Connection } from '../engine/database.ts'
import type { DocumentTable } from '../schema/orders.ts'

/** A document without its bytes. */
export type DocumentRow = Omit<DocumentTable, 'content'>

export async function storeDocument(connection: Connection, document: DocumentTable): Promise<void> {
  await connection
    .insertInto('documents')
    .values({ ...document, content: Buffer.from(document.content) })
    .execute()
}

/** Returns the total bytes of all documents that the customer sent with orders. */
export async function bytesOfSentDocuments(connection: Connection, customerId: string): Promise<number> {
  const row = await connection
    .selectFrom('document_storage')
    .select('bytes')
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  return row?.bytes ?? 0
}

export async function findDocument(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<DocumentRow | null> {
  const row = await connection
    .selectFrom('documents')
    .select(['id', 'customer_id', 'title', 'mime_type', 'document_type', 'created_at'])
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Returns a document of any customer with its size in bytes. */
export async function measureDocument(
  connection: Connection,
  id: string,
): Promise<(Omit<DocumentRow, 'customer_id'> & { readonly size: number }) | null> {
  const row = await connection
    .selectFrom('documents')
    .select([
      'id',
      'title',
      'mime_type',
      'document_type',
      'created_at',
      sql<number>`length(content)`.as('size'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Returns `length` bytes of a document from a position on. At the end of the document it returns fewer. Null: the
 * document does not exist.
 */
export async function readDocumentPart(
  connection: Connection,
  id: string,
  part: { readonly start: number; readonly length: number },
): Promise<Uint8Array | null> {
  const row = await connection
    .selectFrom('documents')
    .select(sql<Uint8Array>`substr(content, ${part.start + 1}, ${part.length})`.as('bytes'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.bytes ?? null
}

/** Removes the references of other records to the document. These records stay. */
export async function unlinkDocument(connection: Connection, id: string): Promise<void> {
  for (const table of holders) await connection.deleteFrom(table).where('document_id', '=', id).execute()
}

const holders = [
  'order_documents',
  'shipment_documents',
  'inbound_documents',
  'quality_control_documents',
] as const

/** An order or inbound that clients and the warehouse read together with its documents. */
interface DocumentHolder {
  readonly kind: 'order' | 'inbound'
  readonly id: string
}

/** Sets the time of change of the orders and inbounds to which a document belongs, and returns them. */
export async function touchDocumentHolders(
  connection: Connection,
  documentId: string,
  now: string,
): Promise<DocumentHolder[]> {
  const orders = await connection
    .updateTable('orders')
    .set({ modified_at: now })
    .where('id', 'in', (from) =>
      from.selectFrom('order_documents').select('order_id').where('document_id', '=', documentId),
    )
    .returning('id')
    .execute()
  const inbounds = await connection
    .updateTable('inbounds')
    .set({ modified_at: now })
    .where('id', 'in', (from) =>
      from
        .selectFrom('inbound_documents')
        .select('inbound_id')
        .where('document_id', '=', documentId)
        .union(
          from
            .selectFrom('quality_control_documents')
            .innerJoin('quality_controls', 'quality_controls.id', 'quality_control_id')
            .select('inbound_id')
            .where('document_id', '=', documentId),
        ),
    )
    .returning('id')
    .execute()
  return [
    ...orders.map(({ id }) => ({ kind: 'order' as const, id })),
    ...inbounds.map(({ id }) => ({ kind: 'inbound' as const, id })),
  ]
}

/** Deletes a document. Remove all references to it first. */
export async function deleteDocument(connection: Connection, id: string): Promise<void> {
  await connection.deleteFrom('documents').where('id', '=', id).execute()
}
