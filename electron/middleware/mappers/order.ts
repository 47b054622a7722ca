import type { Order, OrderDocument, OrderLine } from '#shared/wire/order.ts'
import type { OrderDocumentRow } from '../data/orders/order-documents.ts'
import type { ListedOrder } from '../data/orders/orders.ts'
import { readMetaData, readSerialNumbers, readShippingAddress } from '../data/engine/stored-json.ts'
import type { OrderRecord } from '../services/orders/orders.ts'
import { toWireAddress } from './address.ts'
import { toWireTime } from './time.ts'
import { toWireVariant } from './variant.ts'

/** Expand groups of one order; `variants` adds nothing, for a line always shows its whole variant. */
export const orderGroups = [
  'shipping_address',
  'order_lines',
  'documents',
  'serial_numbers',
  'variants',
  'meta_data',
  'order_line_meta_data',
] as const
export type OrderGroup = (typeof orderGroups)[number]

/** The fields every answer has, and a list's only ones (api.md, Order). */
export function toWireOrderBase(row: ListedOrder): Order {
  return {
    id: row.id,
    reference: row.reference,
    created_at: toWireTime(row.created_at),
    customer: row.customer_id,
    external_id: row.external_id,
    external_reference: row.external_reference,
    po_number: row.po_number,
    // A day on input, a datetime in answers (api.md, Order).
    requested_delivery_date: toWireTime(row.requested_delivery_date),
    status: row.status,
    partial_delivery: row.partial_delivery === 1,
    business_to_business: row.business_to_business === 1,
    applied_business_rules: row.applied_business_rules === null ? null : row.applied_business_rules === 1,
    shipping_method: row.shipping_method_id,
    shipping_email: row.shipping_email,
    shipping_contactperson: row.shipping_contactperson,
    inco_terms: row.inco_terms,
    ioss_number: row.ioss_number,
    eori_number: row.eori_number,
    vat_number: row.vat_number,
    inbound_vat_number: row.inbound_vat_number,
    inbound_eori_number: row.inbound_eori_number,
    order_amount: row.order_amount,
    assured_amount: row.assured_amount,
    currency: row.currency,
    note: row.note,
    customer_note: row.customer_note,
    language: row.language,
  }
}

/** An order with the groups that were asked for. */
export function toWireOrder(record: OrderRecord, expand: ReadonlySet<OrderGroup>): Order {
  const { order, lines, documents } = record
  const address = expand.has('shipping_address') ? readShippingAddress(order.shipping_address) : null
  return {
    ...toWireOrderBase(order),
    ...(address && {
      shipping_address: { ...toWireAddress(address), invalid: order.address_invalid === 1 },
    }),
    ...(lines && { order_lines: lines.map((line) => toLine(line, expand)) }),
    ...(documents && { documents: documents.map(toWireOrderDocument) }),
    ...(expand.has('meta_data') && { meta_data: readMetaData(order.meta_data) }),
  }
}

function toLine(
  { line, variant }: NonNullable<OrderRecord['lines']>[number],
  expand: ReadonlySet<OrderGroup>,
): OrderLine {
  return {
    variant: toWireVariant(variant),
    quantity: line.quantity,
    description: line.description,
    price: line.price,
    processed: line.processed,
    packing_slip: line.packing_slip,
    ...(expand.has('serial_numbers') && { serial_numbers: readSerialNumbers(line.serial_numbers) }),
    ...(expand.has('order_line_meta_data') && { meta_data: readMetaData(line.meta_data) }),
  }
}

/** api.md, Order Document, without its file: that has an address of its own at /wms/documents/:id/. */
export function toWireOrderDocument(row: OrderDocumentRow): OrderDocument {
  return {
    id: row.document_id,
    title: row.title,
    mime_type: row.mime_type,
    quantity: row.quantity,
    is_shipping_label: row.is_shipping_label === 1,
    order_price: row.order_price,
    label_type: row.label_type,
  }
}
