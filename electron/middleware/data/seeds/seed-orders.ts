import type { World } from '../../warehouse/world.ts'
import { startSerialAfter } from '../engine/meta.ts'
import type { Connection } from '../engine/database.ts'
import type { OrderTable } from '../schema/orders.ts'
import { flag, insertAll, lastNumber, storedTime } from './seed-rows.ts'

/** Stores orders with their lines and documents. The goods and shipping methods must already be stored. */
export async function seedOrders(connection: Connection, { orders }: World): Promise<void> {
  await insertAll(connection, 'orders', orders.map(orderRow))
  await insertAll(
    connection,
    'order_lines',
    orders.flatMap((order) =>
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
    ),
  )
  await seedDocuments(connection, orders)
  await startSerialAfter(connection, 'order', lastNumber(orders))
}

function orderRow(order: World['orders'][number]): OrderTable {
  return {
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
  }
}

async function seedDocuments(connection: Connection, orders: World['orders']): Promise<void> {
  await insertAll(
    connection,
    'documents',
    orders.flatMap((order) =>
      order.documents.map((document) => ({
        id: document.id,
        customer_id: order.customerId,
        content: Buffer.from(document.content),
        title: document.title,
        mime_type: document.mimeType,
        document_type: document.isShippingLabel ? ('shipping_label' as const) : ('order_document' as const),
        created_at: storedTime(order.createdAt),
      })),
    ),
  )
  await insertAll(
    connection,
    'order_documents',
    orders.flatMap((order) =>
      order.documents.map((document, position) => ({
        order_id: order.id,
        position,
        document_id: document.id,
        quantity: document.quantity,
        is_shipping_label: flag(document.isShippingLabel),
        order_price: document.orderPrice,
        label_type: document.labelType,
      })),
    ),
  )
}

/**
 * Stores shipments with their lines, which get the codes of their variants. The orders must already be stored. Throws
 * if the world does not contain the variant of a line.
 */
export async function seedShipments(connection: Connection, { shipments, variants }: World): Promise<void> {
  const variantOf = new Map(variants.map((variant) => [variant.id, variant]))
  await insertAll(
    connection,
    'shipments',
    shipments.map((shipment) => ({
      id: shipment.id,
      customer_id: shipment.customerId,
      reference: shipment.reference,
      po_number: shipment.poNumber,
      order_id: null,
      order_external_reference: shipment.orderExternalReference,
      shipment_external_reference: shipment.shipmentExternalReference,
      shipping_method_id: shipment.shippingMethodId,
      shipping_email: null,
      shipping_address: JSON.stringify(shipment.shippingAddress),
      labels: JSON.stringify(shipment.labels),
      created_at: storedTime(shipment.createdAt),
      modified_at: storedTime(shipment.createdAt),
    })),
  )
  await insertAll(
    connection,
    'shipment_lines',
    shipments.flatMap((shipment) =>
      shipment.lines.map((line, position) => {
        const variant = variantOf.get(line.variantId)
        if (variant === undefined) throw new Error(`No variant for shipment ${shipment.id}`)
        return {
          shipment_id: shipment.id,
          position,
          variant_id: line.variantId,
          quantity: line.quantity,
          article_code: variant.articleCode,
          ean: variant.ean,
          sku: variant.sku,
          serial_numbers: JSON.stringify(line.serialNumbers),
        }
      }),
    ),
  )
  await startSerialAfter(connection, 'shipment', lastNumber(shipments))
}
