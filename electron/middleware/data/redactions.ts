import { sql } from 'kysely'
import { type Connection, portions } from './engine/database.ts'
import type { RedactionTable } from './schema/clients.ts'
import type { OrderTable, ReturnLabelTable, ShipmentTable } from './schema/orders.ts'

export async function insertRedaction(connection: Connection, row: RedactionTable): Promise<void> {
  await connection.insertInto('redactions').values(row).execute()
}

/** The oldest that is still to be done, but for those given. */
export async function nextRedaction(
  connection: Connection,
  exceptIds: readonly string[],
): Promise<RedactionTable | null> {
  const all = connection.selectFrom('redactions').selectAll().orderBy('created_at').orderBy('id')
  // an empty list is no SQL
  const left = exceptIds.length === 0 ? all : all.where('id', 'not in', exceptIds)
  return (await left.limit(1).executeTakeFirst()) ?? null
}

/** With it goes the address that it was asked for by. Answers false when it was done meanwhile. */
export async function deleteRedaction(connection: Connection, id: string): Promise<boolean> {
  const result = await connection.deleteFrom('redactions').where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows === 1n
}

const personColumns = [
  'id',
  'external_reference',
  'shipping_email',
  'shipping_contactperson',
  'shipping_address',
] as const satisfies readonly (keyof OrderTable)[]

/** What an order says of a person, and what names the order. */
export type PersonOrder = Pick<OrderTable, (typeof personColumns)[number]>

/** Where somebody is named, or may be. */
export interface Mentions {
  readonly orders: readonly PersonOrder[]
  readonly shipments: readonly ShipmentTable[]
  readonly labels: readonly ReturnLabelTable[]
}

/** By what mentions the e-mail address, in lower case, anywhere in it: more than are meant. */
export async function mentionsOf(
  connection: Connection,
  customerId: string,
  email: string,
): Promise<Mentions> {
  // no LIKE: it refuses long patterns, and `_` is a letter of many addresses
  const mentioned = (column: string) => sql<boolean>`instr(lower(${sql.ref(column)}), ${email}) > 0`
  const orders = await connection
    .selectFrom('orders')
    .select(personColumns)
    .where('customer_id', '=', customerId)
    .where((row) => row.or([mentioned('shipping_email'), mentioned('shipping_address')]))
    .execute()
  const shipments = await connection
    .selectFrom('shipments')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where(mentioned('shipping_address'))
    .execute()
  const labels = await connection
    .selectFrom('return_labels')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where(mentioned('sender_address'))
    .execute()
  return { orders, shipments, labels }
}

/** The customer's shipments of orders with those external references. */
export async function shipmentsOfOrders(
  connection: Connection,
  customerId: string,
  externalReferences: ReadonlySet<string>,
): Promise<ShipmentTable[]> {
  const found: ShipmentTable[] = []
  for (const portion of portions([...externalReferences].map((reference) => ({ reference }))))
    found.push(
      ...(await connection
        .selectFrom('shipments')
        .selectAll()
        .where('customer_id', '=', customerId)
        .where(
          'order_external_reference',
          'in',
          portion.map(({ reference }) => reference),
        )
        .execute()),
    )
  return found
}

/** The customer's orders with those external references. */
export async function ordersBearing(
  connection: Connection,
  customerId: string,
  externalReferences: ReadonlySet<string>,
): Promise<PersonOrder[]> {
  const found: PersonOrder[] = []
  for (const portion of portions([...externalReferences].map((reference) => ({ reference }))))
    found.push(
      ...(await connection
        .selectFrom('orders')
        .select(personColumns)
        .where('customer_id', '=', customerId)
        .where(
          'external_reference',
          'in',
          portion.map(({ reference }) => reference),
        )
        .execute()),
    )
  return found
}

/** Return labels of those shipments. */
export async function labelsOfShipments(
  connection: Connection,
  shipmentIds: ReadonlySet<string>,
): Promise<ReturnLabelTable[]> {
  const found: ReturnLabelTable[] = []
  for (const portion of portions([...shipmentIds].map((id) => ({ id }))))
    found.push(
      ...(await connection
        .selectFrom('return_labels')
        .selectAll()
        .where(
          'shipment_id',
          'in',
          portion.map(({ id }) => id),
        )
        .execute()),
    )
  return found
}

/** Writes what is left of the persons; nothing else of the rows. */
export async function overwritePersons(
  connection: Connection,
  { orders, shipments, labels }: Mentions,
  modifiedAt: string,
): Promise<void> {
  for (const { id, shipping_address, shipping_email, shipping_contactperson } of orders)
    await connection
      .updateTable('orders')
      .set({ shipping_address, shipping_email, shipping_contactperson, modified_at: modifiedAt })
      .where('id', '=', id)
      .execute()
  for (const { id, shipping_address } of shipments)
    await connection
      .updateTable('shipments')
      .set({ shipping_address, modified_at: modifiedAt })
      .where('id', '=', id)
      .execute()
  for (const { id, sender_address } of labels)
    await connection
      .updateTable('return_labels')
      .set({ sender_address, modified_at: modifiedAt })
      .where('id', '=', id)
      .execute()
}

/** Documents on which those persons stand: of their orders, their shipments and their labels. */
export async function documentsNaming(
  connection: Connection,
  { orders, shipments, labels }: Mentions,
): Promise<string[]> {
  const ids: string[] = labels.flatMap(({ document_id }) => document_id ?? [])
  for (const { id } of orders) {
    const rows = await connection
      .selectFrom('order_documents')
      .select('document_id')
      .where('order_id', '=', id)
      .execute()
    ids.push(...rows.map((row) => row.document_id))
  }
  for (const { id } of shipments) {
    const rows = await connection
      .selectFrom('shipment_documents')
      .select('document_id')
      .where('shipment_id', '=', id)
      .execute()
    ids.push(...rows.map((row) => row.document_id))
  }
  return ids
}
