import { sql } from 'kysely'
import type { OrderStatus } from '#shared/domain/resource-states.ts'
import { type Connection, portions } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type { OrderDocumentTable, OrderLineTable, OrderTable } from '../schema/orders.ts'

/** The columns of an order that a list shows. */
const listedOrderColumns = [
  'id',
  'customer_id',
  'reference',
  'external_id',
  'external_reference',
  'po_number',
  'status',
  'requested_delivery_date',
  'partial_delivery',
  'business_to_business',
  'applied_business_rules',
  'shipping_method_id',
  'shipping_email',
  'shipping_contactperson',
  'inco_terms',
  'ioss_number',
  'eori_number',
  'vat_number',
  'inbound_vat_number',
  'inbound_eori_number',
  'order_amount',
  'assured_amount',
  'currency',
  'note',
  'customer_note',
  'language',
  'created_at',
  'modified_at',
] as const satisfies readonly (keyof OrderTable)[]

/** An order in lists: without its address and its `meta_data`. */
export type ListedOrder = Pick<OrderTable, (typeof listedOrderColumns)[number]>

/** Filters of orders. A field with null restricts nothing. */
export interface OrderFilters {
  readonly reference: string | null
  readonly externalReference: string | null
  readonly externalId: string | null
  readonly status: OrderStatus | null
  readonly businessToBusiness: boolean | null
  /** Only orders with this requested delivery day (YYYY-MM-DD) or a later one. */
  readonly deliverFrom: string | null
}

export async function listOrders(
  connection: Connection,
  customerId: string,
  filters: OrderFilters,
  page: Page,
): Promise<ListedOrder[]> {
  let query = connection.selectFrom('orders').select(listedOrderColumns).where('customer_id', '=', customerId)
  if (filters.reference !== null) query = query.where('reference', '=', filters.reference)
  if (filters.externalReference !== null)
    query = query.where('external_reference', '=', filters.externalReference)
  if (filters.externalId !== null) query = query.where('external_id', '=', filters.externalId)
  if (filters.status !== null) query = query.where('status', '=', filters.status)
  if (filters.businessToBusiness !== null)
    query = query.where('business_to_business', '=', filters.businessToBusiness ? 1 : 0)
  if (filters.deliverFrom !== null) query = query.where('requested_delivery_date', '>=', filters.deliverFrom)
  return readPage(connection, query, page)
}

export async function findOrder(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<OrderTable | null> {
  const row = await connection
    .selectFrom('orders')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Returns the lines of an order in the order in which they were sent. */
export async function linesOfOrder(connection: Connection, orderId: string): Promise<OrderLineTable[]> {
  return connection
    .selectFrom('order_lines')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('position')
    .execute()
}

/**
 * Returns whether another order of the customer has the wanted external reference, and whether another order has the
 * wanted external id; false for null. `exceptId`: an order that is not counted.
 */
export async function takenReferences(
  connection: Connection,
  customerId: string,
  wanted: { externalReference: string | null; externalId: string | null; exceptId: string | null },
): Promise<{ externalReference: boolean; externalId: boolean }> {
  const isTaken = async (
    column: 'external_reference' | 'external_id',
    value: string | null,
  ): Promise<boolean> => {
    if (value === null) return false
    const rows = await connection
      .selectFrom('orders')
      .select('id')
      .where('customer_id', '=', customerId)
      .where(column, '=', value)
      .execute()
    return rows.some(({ id }) => id !== wanted.exceptId)
  }
  return {
    externalReference: await isTaken('external_reference', wanted.externalReference),
    externalId: await isTaken('external_id', wanted.externalId),
  }
}

/**
 * Stores an order. Fails with a unique violation if another order of the customer has the same external reference or
 * external id.
 */
export async function insertOrder(connection: Connection, row: OrderTable): Promise<void> {
  await connection.insertInto('orders').values(row).execute()
}

/** Replaces all lines of the order. */
export async function replaceLines(
  connection: Connection,
  orderId: string,
  lines: readonly OrderLineTable[],
): Promise<void> {
  await connection.deleteFrom('order_lines').where('order_id', '=', orderId).execute()
  for (const portion of portions(lines)) await connection.insertInto('order_lines').values(portion).execute()
}

export type OrderChanges = Partial<
  Omit<OrderTable, 'id' | 'customer_id' | 'reference' | 'created_at' | 'modified_at'>
>

/** Changes an order if it has one of the given statuses. Otherwise returns false and changes nothing. */
export async function changeOrderIn(
  connection: Connection,
  statuses: readonly OrderStatus[],
  id: string,
  changes: OrderChanges & { readonly modified_at: string },
): Promise<boolean> {
  const result = await connection
    .updateTable('orders')
    .set(changes)
    .where('id', '=', id)
    .where('status', 'in', statuses)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/**
 * Moves the order `which`, or all orders, to `invalid_address` if they are new and their client reported the address as
 * invalid. Returns the moved orders.
 */
export async function moveInvalidAddresses(
  connection: Connection,
  which: { readonly id: string } | 'all',
  modifiedAt: string,
): Promise<Pick<OrderTable, 'id' | 'customer_id'>[]> {
  const query = connection
    .updateTable('orders')
    .set({ status: 'invalid_address', modified_at: modifiedAt })
    // the query contains these conditions with literals, not with parameters, because SQLite uses a partial index only
    // for a query that repeats the condition of the index
    .where(sql<boolean>`status = 'created' and address_invalid = 1`)
    .returning(['id', 'customer_id'])
  return (which === 'all' ? query : query.where('id', '=', which.id)).execute()
}

/** Returns an order of any customer by its id. Null: it does not exist. */
export async function findAnyOrder(connection: Connection, id: string): Promise<OrderTable | null> {
  const row = await connection.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Stores the shipped quantity and the serial numbers of a line. */
export async function processLine(
  connection: Connection,
  line: Pick<OrderLineTable, 'order_id' | 'position' | 'processed' | 'serial_numbers'>,
): Promise<void> {
  await connection
    .updateTable('order_lines')
    .set({ processed: line.processed, serial_numbers: line.serial_numbers })
    .where('order_id', '=', line.order_id)
    .where('position', '=', line.position)
    .execute()
}

export interface OrderDocumentRow extends OrderDocumentTable {
  readonly title: string
  readonly mime_type: string
}

/**
 * Returns the documents of the customer's order with this id or external reference, in the order in which they were
 * sent.
 */
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

/** Returns a document of an order. Null: the document does not exist, or belongs to no order. */
export async function findOrderDocument(
  connection: Connection,
  documentId: string,
): Promise<OrderDocumentRow | null> {
  const row = await connection
    .selectFrom('order_documents')
    .innerJoin('documents', 'documents.id', 'order_documents.document_id')
    .selectAll('order_documents')
    .select(['documents.title', 'documents.mime_type'])
    .where('order_documents.document_id', '=', documentId)
    .executeTakeFirst()
  return row ?? null
}

export async function countOrderDocuments(connection: Connection, orderId: string): Promise<number> {
  const { count } = await connection
    .selectFrom('order_documents')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('order_id', '=', orderId)
    .executeTakeFirstOrThrow()
  return count
}

/** Adds a stored document to an order, after its other documents. */
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
