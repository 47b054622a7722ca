import type { OrderStatus, ReturnLabelState } from '#shared/domain/resource-states.ts'
import type { LabelLayout } from '../../warehouse/world.ts'
import { bytes, date, flag, instant, integer, json, real, type RowOf, table, text } from './table.ts'

const shipping_methods = table({
  id: text().primaryKey(),
  code: text().unique(),
  description: text(),
  shipper: text(),
  shipper_code: text(),
  shipping_software: text(),
  administration_code: text().nullable(),
  carrier: text(),
  supports_return_labels: flag(),
  label_layout: text<LabelLayout>(),
  created_at: instant(),
  modified_at: instant(),
})
export type ShippingMethodTable = RowOf<typeof shipping_methods>

const orders = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    reference: text().unique(),
    external_id: text().nullable(),
    external_reference: text(),
    po_number: text().nullable(),
    status: text<OrderStatus>(),
    requested_delivery_date: date(),
    partial_delivery: flag(),
    business_to_business: flag(),
    applied_business_rules: flag().nullable(),
    shipping_method_id: text().nullable().references('shipping_methods'),
    shipping_email: text().nullable(),
    shipping_contactperson: text().nullable(),
    shipping_address: json(),
    /** Whether the client reported the address as invalid. The status follows it. */
    address_invalid: flag(),
    inco_terms: text<'DAP' | 'DDP'>().nullable(),
    ioss_number: text().nullable(),
    eori_number: text().nullable(),
    vat_number: text().nullable(),
    inbound_vat_number: text().nullable(),
    inbound_eori_number: text().nullable(),
    /** In cents. */
    order_amount: integer().nullable(),
    assured_amount: integer().nullable(),
    currency: text().nullable(),
    note: text().nullable(),
    customer_note: text().nullable(),
    language: text().nullable(),
    /** JSON object. */
    meta_data: json(),
    created_at: instant(),
    modified_at: instant(),
  },
  {
    unique: [
      ['customer_id', 'external_id'],
      ['customer_id', 'external_reference'],
    ],
    indexes: {
      by_created_at: ['customer_id', 'created_at', 'id'],
      by_modified_at: ['customer_id', 'modified_at', 'id'],
      by_delivery_date: ['customer_id', 'requested_delivery_date', 'id'],
      by_status: ['customer_id', 'status', 'id'],
      by_status_and_time: ['customer_id', 'status', 'created_at', 'id'],
      by_due: ['status', 'modified_at', 'reference'],
      waiting: ['status', 'id'],
      invalid: { on: ['status', 'id'], where: `status = 'created' and address_invalid = 1` },
    },
  },
)
export type OrderTable = RowOf<typeof orders>

const order_lines = table(
  {
    order_id: text().references('orders'),
    position: integer(),
    variant_id: text().references('variants'),
    quantity: integer(),
    description: text(),
    price: real().nullable(),
    processed: integer(),
    packing_slip: integer(),
    serial_numbers: json(),
    /** JSON object. */
    meta_data: json(),
  },
  { primaryKey: ['order_id', 'position'], indexes: { by_variant: ['variant_id', 'order_id'] } },
)
export type OrderLineTable = RowOf<typeof order_lines>

const order_documents = table(
  {
    order_id: text().references('orders'),
    position: integer(),
    document_id: text().references('documents'),
    quantity: integer(),
    is_shipping_label: flag(),
    /** In cents. */
    order_price: integer().nullable(),
    label_type: text().nullable(),
  },
  { primaryKey: ['order_id', 'position'], indexes: { by_document: ['document_id'] } },
)
export type OrderDocumentTable = RowOf<typeof order_documents>

const shipments = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    reference: text().unique(),
    po_number: text().nullable(),
    /** Null: the shipment was seeded, or its order is not in this database. */
    order_id: text().nullable().references('orders'),
    order_external_reference: text(),
    shipment_external_reference: text().nullable(),
    shipping_method_id: text().references('shipping_methods'),
    shipping_address: json(),
    /** JSON array. A text for the database, because it is compared. */
    labels: text(),
    created_at: instant(),
    modified_at: instant(),
  },
  {
    indexes: {
      by_reference: ['customer_id', 'reference', 'id'],
      by_created_at: ['customer_id', 'created_at', 'id'],
      by_order_external_reference: ['customer_id', 'order_external_reference', 'id'],
      by_order: ['order_id'],
      by_age: ['created_at', 'reference'],
      untracked: { on: ['created_at', 'reference'], where: `labels = '[]' and order_id is not null` },
    },
  },
)
export type ShipmentTable = RowOf<typeof shipments>

const shipment_lines = table(
  {
    shipment_id: text().references('shipments'),
    position: integer(),
    variant_id: text().references('variants'),
    quantity: integer(),
    serial_numbers: json(),
  },
  { primaryKey: ['shipment_id', 'position'] },
)
export type ShipmentLineTable = RowOf<typeof shipment_lines>

/** The pickup label of a shipment, created at the first request for it. */
const shipment_documents = table(
  {
    shipment_id: text().primaryKey().references('shipments'),
    document_id: text().references('documents'),
  },
  { indexes: { by_document: ['document_id'] } },
)
export type ShipmentDocumentTable = RowOf<typeof shipment_documents>

/** A piece that was shipped. The row is deleted when the piece is received again. */
const shipped_serials = table(
  {
    variant_id: text().references('variants'),
    serial: text(),
    /** The last shipment of the piece. */
    shipment_id: text(),
  },
  { primaryKey: ['variant_id', 'serial'], isKeyedStorage: true },
)
export type ShippedSerialTable = RowOf<typeof shipped_serials>

/** A cancelled label frees its external reference. */
const return_labels = table(
  {
    id: text().primaryKey(),
    /** Never reused. The carrier's tracking code is computed from it, so a repeated request returns the same label. */
    serial: integer().unique(),
    customer_id: text().references('customers'),
    /** Unique per customer, without the `.R` that a requested label shows. */
    external_reference: text(),
    state: text<ReturnLabelState>(),
    shipment_id: text().nullable().references('shipments'),
    shipping_method_id: text().references('shipping_methods'),
    sender_address: json(),
    tracking: json(),
    document_id: text().nullable().references('documents'),
    created_at: instant(),
    modified_at: instant(),
  },
  {
    indexes: {
      living_reference: {
        on: ['customer_id', 'external_reference'],
        where: `state <> 'cancelled'`,
        isUnique: true,
      },
      by_serial: ['customer_id', 'serial', 'id'],
      by_created_at: ['customer_id', 'created_at', 'id'],
      by_shipment: ['shipment_id', 'serial'],
      by_document: ['document_id'],
    },
  },
)
export type ReturnLabelTable = RowOf<typeof return_labels>

/**
 * PDFs and other papers. Clients have a limit on what they send with orders; labels and papers of the service do not
 * count.
 */
const documents = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    content: bytes(),
    title: text(),
    mime_type: text(),
    document_type: text(),
    created_at: instant(),
  },
  {
    triggers: {
      document_stored: {
        after: 'insert',
        when: `new.document_type in ('order_document', 'shipping_label')`,
        run: `insert into document_storage values (new.customer_id, octet_length(new.content))
          on conflict (customer_id) do update set bytes = document_storage.bytes + excluded.bytes`,
      },
      document_deleted: {
        after: 'delete',
        when: `old.document_type in ('order_document', 'shipping_label')`,
        run: `update document_storage set bytes = bytes - octet_length(old.content)
          where customer_id = old.customer_id`,
      },
    },
  },
)
export type DocumentTable = RowOf<typeof documents>

/** Total size of the documents that a customer sent with orders. Triggers update it. */
const document_storage = table({
  customer_id: text().primaryKey(),
  bytes: integer(),
})

/** Orders with their shipments and return labels, and the documents of all resources. */
export const orderTables = {
  shipping_methods,
  orders,
  order_lines,
  order_documents,
  shipments,
  shipment_lines,
  shipment_documents,
  shipped_serials,
  return_labels,
  documents,
  document_storage,
}
