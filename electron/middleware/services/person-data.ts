import { randomUUID } from 'node:crypto'
import { type Connection, eraseForGood } from '../data/engine/database.ts'
import { readShippingAddress, type StoredShippingAddress } from '../data/engine/stored-json.ts'
import { deleteEventsOf } from '../data/events.ts'
import { withdrawExports } from '../data/exports/stored-exports.ts'
import {
  deleteRedaction,
  documentsNaming,
  insertRedaction,
  labelsOfShipments,
  type Mentions,
  mentionsOf,
  nextRedaction,
  ordersBearing,
  overwritePersons,
  type PersonOrder,
  shipmentsOfOrders,
} from '../data/redactions.ts'
import type { RedactionTable } from '../data/schema/clients.ts'
import type { ReturnLabelTable, ShipmentTable } from '../data/schema/orders.ts'
import { findShipments } from '../data/shipments/shipments.ts'
import { type Customer, type ServiceContext, storedNow } from './context.ts'
import { discardDocument } from './documents/documents.ts'

/** Ten characters: as long as a street number may be (api.md, Limits). */
const redacted = '-redacted-'

/**
 * Promises to overwrite what the customer's orders, shipments and return labels say of the person with that e-mail
 * address, and to delete the documents that name the person, and the exports and notifications that may. The promise is stored
 * first and kept after the answer; a process that died keeps it at its next start.
 */
export async function redactPersonData(
  context: ServiceContext,
  customer: Customer,
  email: string,
): Promise<void> {
  const row = { id: randomUUID(), customer_id: customer.id, email, created_at: storedNow(context) }
  await insertRedaction(context.database, row)
  redactAfterwards(context)
}

/** Does what is still to be redacted, oldest first; one that fails waits for the next start and holds up no other. */
export function redactAfterwards(context: ServiceContext): void {
  context.afterwards.start('redactions', async () => {
    const failed: string[] = []
    for (;;) {
      // a carrier that is being asked writes its label when it answers
      await Promise.allSettled(context.requestsUnderWay.values())
      const redaction = await nextRedaction(context.database, failed)
      if (redaction === null) return
      try {
        await eraseForGood(context.database, () =>
          context.database
            .transaction()
            .execute((transaction) => redact(transaction, redaction, storedNow(context))),
        )
      } catch (error) {
        failed.push(redaction.id)
        context.logger.error({ err: error, redaction: redaction.id }, 'a redaction failed')
      }
    }
  })
}

async function redact(connection: Connection, redaction: RedactionTable, now: string): Promise<void> {
  if (!(await deleteRedaction(connection, redaction.id))) return
  const mentions = await recordsOfPerson(connection, redaction.customer_id, redaction.email.toLowerCase())
  const documents = await documentsNaming(connection, mentions)
  await overwritePersons(connection, withoutPersons(mentions), now)
  for (const id of documents) await discardDocument(connection, id, now)
  await withdrawExports(connection, redaction.customer_id, now)
  const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)
  await deleteEventsOf(connection, 'order', ids(mentions.orders))
  await deleteEventsOf(connection, 'shipment', ids(mentions.shipments))
}

function withoutPersons({ orders, shipments, labels }: Mentions): Mentions {
  const over = (text: string | null): string | null => (text === null ? null : redacted)
  return {
    orders: orders.map((order) => ({
      ...order,
      shipping_email: over(order.shipping_email),
      shipping_contactperson: over(order.shipping_contactperson),
      shipping_address: redactedAddress(order.shipping_address),
    })),
    shipments: shipments.map((shipment) => ({
      ...shipment,
      shipping_address: redactedAddress(shipment.shipping_address),
    })),
    labels: labels.map((label) => ({ ...label, sender_address: redactedAddress(label.sender_address) })),
  }
}

/** Every part that was there, but for the country. */
function redactedAddress(text: string): string {
  const { country, ...parts } = readShippingAddress(text)
  const over: Omit<StoredShippingAddress, 'country'> = parts
  const kept = Object.entries(over).map(([name, part]) => [name, part === null ? null : redacted] as const)
  return JSON.stringify({ ...Object.fromEntries(kept), country })
}

/**
 * The customer's records that name the person with that e-mail address, in lower case: those that bear it, and of the
 * same order, its shipments and their return labels those that bear no other. An address need not say an e-mail, and
 * what was ordered by one person went to one door.
 */
async function recordsOfPerson(connection: Connection, customerId: string, email: string): Promise<Mentions> {
  const { orders, shipments, labels } = await mentionsOf(connection, customerId, email)
  const has = (emails: readonly string[]): boolean => emails.includes(email)
  const bearing = {
    orders: orders.filter((order) => has(emailsOfOrder(order))),
    shipments: shipments.filter((shipment) => has(emailsOfShipment(shipment))),
    labels: labels.filter((label) => has(emailsOfLabel(label))),
  }
  return withRelated(connection, customerId, email, bearing)
}

async function withRelated(
  connection: Connection,
  customerId: string,
  email: string,
  { orders, shipments, labels }: Mentions,
): Promise<Mentions> {
  const isFree = (emails: readonly string[]): boolean => emails.every((each) => each === email)
  const labelled = await findShipments(connection, customerId, [
    ...new Set(labels.flatMap((label) => label.shipment_id ?? [])),
  ])
  const references = new Set([
    ...orders.map((order) => order.external_reference),
    ...[...shipments, ...labelled.values()].map((shipment) => shipment.order_external_reference),
  ])
  const shipped = await shipmentsOfOrders(connection, customerId, references)
  const allShipments = united(
    shipments,
    shipped.filter((shipment) => isFree(emailsOfShipment(shipment))),
  )
  const ordered = await ordersBearing(connection, customerId, references)
  const returned = await labelsOfShipments(connection, new Set(allShipments.map(({ id }) => id)))
  return {
    orders: united(
      orders,
      ordered.filter((order) => isFree(emailsOfOrder(order))),
    ),
    shipments: allShipments,
    labels: united(
      labels,
      returned.filter((label) => isFree(emailsOfLabel(label))),
    ),
  }
}

function united<Row extends { readonly id: string }>(one: readonly Row[], other: readonly Row[]): Row[] {
  return [...new Map([...one, ...other].map((row) => [row.id, row])).values()]
}

function emailsOfOrder(order: PersonOrder): string[] {
  return plain([order.shipping_email, readShippingAddress(order.shipping_address).emailAddress])
}

function emailsOfShipment(shipment: ShipmentTable): string[] {
  return plain([readShippingAddress(shipment.shipping_address).emailAddress])
}

function emailsOfLabel(label: ReturnLabelTable): string[] {
  return plain([readShippingAddress(label.sender_address).emailAddress])
}

/**
 * The e-mail addresses of these texts in lower case. Clients send more than an address: `Kim <kim@example.org>`,
 * `mailto:kim@example.org`, two addresses in one text. A text that holds no address at all counts as one.
 */
function plain(texts: readonly (string | null)[]): string[] {
  return texts.flatMap((text) => {
    const written = text?.trim().toLowerCase() ?? ''
    if (written === '') return []
    const addresses = written.split(/[\s<>()",;:]/).filter((part) => part.includes('@'))
    return addresses.length === 0 ? [written] : addresses
  })
}
