import type { Connection } from '../engine/database.ts'
import type { OrderDocumentTable } from '../schema/orders.ts'

export interface OrderDocumentRow extends OrderDocumentTable {
  readonly title: string
  readonly mime_type: string
}

/** Documents of the customer's order with that external reference or that id, in the order they were sent. */
export async function documentsOfOrder(
  connection: Connection,
  customerId: string,
  order: { id: string } | { externalReference: string },
): Promise<OrderDocumentRow[]> {
  const query = connection
    .selectFrom('order_documents')
    .innerJoin('orders', 'orders.id', 'order_documents.order_id')
    .innerJoin('documents', 'documents.id', 'order_documents.document_id')
    .selectAll('order_documents')
    .select(['documents.title', 'documents.mime_type'])
    .where('orders.customer_id', '=', customerId)
  const ofOrder =
    'id' in order
      ? query.where('orders.id', '=', order.id)
      : query.where('orders.external_reference', '=', order.externalReference)
  return ofOrder.orderBy('order_documents.position').execute()
}

/** Adds a stored document after those that the order has. */
export async function insertOrderDocument(
  connection: Connection,
  row: Omit<OrderDocumentTable, 'position'>,
): Promise<void> {
  const last = await connection
    .selectFrom('order_documents')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('order_id', '=', row.order_id)
    .executeTakeFirst()
  const position = (last?.position ?? -1) + 1
  await connection
    .insertInto('order_documents')
    .values({ ...row, position })
    .execute()
}
