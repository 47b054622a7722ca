import type { Connection } from '../engine/database.ts'
import type { DocumentRow } from '../documents/documents.ts'
import type { ShipmentDocumentTable } from '../schema/orders.ts'

/** The pickup label of a shipment, where it was drawn. */
export async function findShipmentDocument(
  connection: Connection,
  shipmentId: string,
): Promise<DocumentRow | null> {
  const row = await connection
    .selectFrom('shipment_documents')
    .innerJoin('documents', 'documents.id', 'shipment_documents.document_id')
    .select(['id', 'customer_id', 'title', 'mime_type', 'document_type', 'created_at'])
    .where('shipment_documents.shipment_id', '=', shipmentId)
    .executeTakeFirst()
  return row ?? null
}

/** Fails with a unique violation when the shipment has one already. */
export async function insertShipmentDocument(
  connection: Connection,
  row: ShipmentDocumentTable,
): Promise<void> {
  await connection.insertInto('shipment_documents').values(row).execute()
}
