import type { DocumentRow } from '../documents/documents.ts'
import { equalsWithoutIndex, type Connection, portions } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type {
  OrderTable,
  ShipmentDocumentTable,
  ShipmentLineTable,
  ShipmentTable,
  ShippedSerialTable,
  ShippingMethodTable,
} from '../schema/orders.ts'

/**
 * Returns a page of a customer's shipments. `orderReferences`: only shipments with one of these exact order references.
 * Null: shipments with any order reference.
 */
export async function listShipments(
  connection: Connection,
  customerId: string,
  orderReferences: readonly string[] | null,
  page: Page,
): Promise<ShipmentTable[]> {
  const query = connection.selectFrom('shipments').selectAll().where('customer_id', '=', customerId)
  const wanted =
    orderReferences === null ? query : query.where('order_external_reference', 'in', orderReferences)
  return readPage(connection, wanted, page)
}

export async function findShipment(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<ShipmentTable | null> {
  const rows = await findShipments(connection, customerId, [id])
  return rows.get(id) ?? null
}

export async function findShipments(
  connection: Connection,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, ShipmentTable>> {
  if (ids.length === 0) return new Map()
  const rows = await connection
    .selectFrom('shipments')
    .selectAll()
    .where('id', 'in', ids)
    .where(equalsWithoutIndex('customer_id', customerId))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Returns the lines of the given shipments, sorted by shipment. The lines of a shipment have the order in which they
 * were packed.
 */
export async function linesOfShipments(
  connection: Connection,
  shipmentIds: readonly string[],
): Promise<ShipmentLineTable[]> {
  if (shipmentIds.length === 0) return []
  return connection
    .selectFrom('shipment_lines')
    .selectAll()
    .where('shipment_id', 'in', shipmentIds)
    .orderBy('shipment_id')
    .orderBy('position')
    .execute()
}

/** Returns a shipment of any customer by its id. Null: it does not exist. */
export async function findAnyShipment(connection: Connection, id: string): Promise<ShipmentTable | null> {
  const row = await connection.selectFrom('shipments').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

export async function insertShipment(
  connection: Connection,
  row: ShipmentTable,
  lines: readonly ShipmentLineTable[],
): Promise<void> {
  await connection.insertInto('shipments').values(row).execute()
  for (const portion of portions(lines))
    await connection.insertInto('shipment_lines').values(portion).execute()
}

/**
 * Sets the order id of those shipments that have only the external reference of the order. Call this before the
 * external reference of the order changes.
 */
export async function assignShipments(
  connection: Connection,
  order: Pick<OrderTable, 'id' | 'customer_id' | 'external_reference'>,
): Promise<void> {
  await connection
    .updateTable('shipments')
    .set({ order_id: order.id })
    .where('customer_id', '=', order.customer_id)
    .where('order_external_reference', '=', order.external_reference)
    .where('order_id', 'is', null)
    .execute()
}

/** Replaces the tracking data of a shipment. `labels`: the new data in its stored form, as JSON. */
export async function relabelShipment(
  connection: Connection,
  id: string,
  labels: string,
  modifiedAt: string,
): Promise<void> {
  await connection
    .updateTable('shipments')
    .set({ labels, modified_at: modifiedAt })
    .where('id', '=', id)
    .execute()
}

/** Returns the given serial numbers of a variant that were shipped and not received afterwards. */
export async function shippedAmong(
  connection: Connection,
  variantId: string,
  serials: readonly string[],
): Promise<string[]> {
  if (serials.length === 0) return []
  const rows = await connection
    .selectFrom('shipped_serials')
    .select('serial')
    .where('variant_id', '=', variantId)
    .where('serial', 'in', serials)
    .orderBy('serial')
    .execute()
  return rows.map(({ serial }) => serial)
}

/** Stores pieces as shipped. Throws if one of them is already stored as shipped. */
export async function insertShippedSerials(
  connection: Connection,
  rows: readonly ShippedSerialTable[],
): Promise<void> {
  for (const portion of portions(rows))
    await connection.insertInto('shipped_serials').values(portion).execute()
}

/** Deletes serial numbers of a variant from the shipped ones. Numbers that were never shipped have no effect. */
export async function deleteShippedSerials(
  connection: Connection,
  variantId: string,
  serials: readonly string[],
): Promise<void> {
  if (serials.length === 0) return
  await connection
    .deleteFrom('shipped_serials')
    .where('variant_id', '=', variantId)
    .where('serial', 'in', serials)
    .execute()
}

/** Returns the pickup label of a shipment. Null: it was not created yet. */
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

/** Stores the pickup label of a shipment. Fails with a unique violation if the shipment already has one. */
export async function insertShipmentDocument(
  connection: Connection,
  row: ShipmentDocumentTable,
): Promise<void> {
  await connection.insertInto('shipment_documents').values(row).execute()
}

/** Filters of shipping methods: for each column, the value that it must equal. */
export type ShippingMethodFilters = Partial<
  Record<'code' | 'shipper' | 'shipper_code' | 'shipping_software', string | undefined>
>

export async function listShippingMethods(
  connection: Connection,
  filters: ShippingMethodFilters,
  page: Page,
): Promise<ShippingMethodTable[]> {
  let query = connection.selectFrom('shipping_methods').selectAll()
  for (const column of ['code', 'shipper', 'shipper_code', 'shipping_software'] as const) {
    const wanted = filters[column]
    if (wanted !== undefined) query = query.where(column, '=', wanted)
  }
  return readPage(connection, query, page)
}

export async function findShippingMethod(
  connection: Connection,
  id: string,
): Promise<ShippingMethodTable | null> {
  const row = await connection
    .selectFrom('shipping_methods')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

export async function findShippingMethods(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, ShippingMethodTable>> {
  if (ids.length === 0) return new Map()
  const rows = await connection.selectFrom('shipping_methods').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
