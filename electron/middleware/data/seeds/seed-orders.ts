import type { World } from '../../warehouse/world.ts'
import { startSerialAfter } from '../engine/counters.ts'
import type { Connection } from '../engine/database.ts'
import { portions } from '../engine/portions.ts'
import type { OrderDocumentTable, OrderLineTable, OrderTable } from '../schema/orders.ts'
import type { DocumentTable } from '../schema/shipments.ts'
import { flag } from './seed-goods.ts'
import { storedTime } from './seed-rows.ts'

/** Orders with their lines and documents; the sequence of their references goes on where the world's ends. */
export async function seedOrders(connection: Connection, world: World): Promise<void> {
  for (const rows of portions(orderRows(world))) await connection.insertInto('orders').values(rows).execute()
  for (const rows of portions(lineRows(world)))
    await connection.insertInto('order_lines').values(rows).execute()
  for (const rows of portions(documentRows(world)))
    await connection.insertInto('documents').values(rows).execute()
  for (const rows of portions(orderDocumentRows(world)))
    await connection.insertInto('order_documents').values(rows).execute()
  const last = Math.max(0, ...world.orders.map(({ reference }) => Number(reference.slice(3))))
  await startSerialAfter(connection, 'order', last)
}

function orderRows(world: World): OrderTable[] {
  return world.orders.map((order) => ({
    id: order.id,
    customer_id: order.customerId,
    reference: order.reference,
    external_id: order.externalId,
    external_reference: order.externalReference,
    po_number: order.poNumber,
    status: order.status,
    requested_delivery_date: order.requestedDeliveryDate,
    partial_delivery: flag(order.partialDelivery),
    business_to_business: flag(order.businessToBusiness),
    applied_business_rules: order.appliedBusinessRules === null ? null : flag(order.appliedBusinessRules),
    shipping_method_id: order.shippingMethodId,
    shipping_email: order.shippingAddress.emailAddress,
    shipping_contactperson: order.shippingAddress.contactPerson ?? order.shippingAddress.addressedTo,
    shipping_address: JSON.stringify(order.shippingAddress),
    address_invalid: flag(order.addressInvalid),
    inco_terms: order.incoTerms,
    ioss_number: null,
    eori_number: order.eoriNumber,
    vat_number: order.vatNumber,
    inbound_vat_number: null,
    inbound_eori_number: null,
    order_amount: order.orderAmount,
    assured_amount: null,
    currency: order.currency,
    note: order.note,
    customer_note: order.customerNote,
    language: order.language,
    meta_data: JSON.stringify(order.metaData),
    created_at: storedTime(order.createdAt),
    modified_at: storedTime(order.modifiedAt),
  }))
}

function lineRows(world: World): OrderLineTable[] {
  return world.orders.flatMap((order) =>
    order.lines.map((line, position) => ({
      order_id: order.id,
      position,
      variant_id: line.variantId,
      quantity: line.quantity,
      description: line.description,
      price: line.price,
      processed: line.processed,
      packing_slip: line.packingSlip,
      serial_numbers: JSON.stringify(line.serialNumbers),
      meta_data: JSON.stringify(line.metaData),
    })),
  )
}

function documentRows(world: World): DocumentTable[] {
  return world.orders.flatMap((order) =>
    order.documents.map((document) => ({
      id: document.id,
      customer_id: order.customerId,
      content: Buffer.from(document.content),
      title: document.title,
      mime_type: document.mimeType,
      document_type: document.isShippingLabel ? 'shipping_label' : 'order_document',
      created_at: storedTime(order.createdAt),
    })),
  )
}

function orderDocumentRows(world: World): OrderDocumentTable[] {
  return world.orders.flatMap((order) =>
    order.documents.map((document, position) => ({
      order_id: order.id,
      position,
      document_id: document.id,
      quantity: document.quantity,
      is_shipping_label: flag(document.isShippingLabel),
      order_price: document.orderPrice,
      label_type: document.labelType,
    })),
  )
}
