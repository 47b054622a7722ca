import type { Connection } from '../data/engine/database.ts'
import {
  labelsOfShipments,
  type Mentions,
  mentionsOf,
  ordersBearing,
  type PersonOrder,
  shipmentsOfOrders,
} from '../data/redactions.ts'
import type { ReturnLabelTable, ShipmentTable } from '../data/schema/orders.ts'
import { findShipments } from '../data/shipments/shipments.ts'
import { readShippingAddress } from '../data/engine/stored-json.ts'

/**
 * The customer's records that name the person with that e-mail address, in lower case: those that bear it, and of the
 * same order, its shipments and their return labels those that bear no other. An address need not say an e-mail, and
 * what was ordered by one person went to one door.
 */
export async function recordsOfPerson(
  connection: Connection,
  customerId: string,
  email: string,
): Promise<Mentions> {
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
