import type { OrderStatus, ReturnLabelState } from '#shared/domain/resource-states.ts'
import type { LabelLayout } from '../../warehouse/world.ts'
import { bytes, date, flag, instant, integer, json, real, type RowOf, table, text } from './table.ts'

const shipping_methods = table({
  id: text().primaryKey(),
  code: text().unique(),
  created_at: instant(),
  modified_at: instant(),
  supports_return_labels: flag(),
  label_layout: text<LabelLayout>(),
  shipper: text(),
  shipper_code: text(),
  shipping_software: text(),
  administration_code: text().nullable(),
  carrier: text(),
  description: text(),
})
export type ShippingMethodTable = RowOf<typeof shipping_methods>

/**
 * The columns with a filter of the list of orders that the indexes below contain, besides the status and the creation
 * time. The external reference and the external id have their own indexes.
 */
const filteredOrders = ['business_to_business', 'requested_delivery_date'] as const

const orders = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    reference: text().unique(),
    status: text<OrderStatus>(),
    created_at: instant(),
    modified_at: instant(),
    requested_delivery_date: date(),
    partial_delivery: flag(),
    business_to_business: flag(),
    applied_business_rules: flag().nullable(),
    /** Whether the address counts as invalid. If so, the order becomes `invalid_address` if its status allows this. */
    address_invalid: flag(),
    shipping_method_id: text().nullable().references('shipping_methods'),
    inco_terms: text<'DAP' | 'DDP'>().nullable(),
    /** The amount of the order in cents. */
    order_amount: integer().nullable(),
    assured_amount: integer().nullable(),
    external_id: text().nullable(),
    external_reference: text(),
    po_number: text().nullable(),
    currency: text().nullable(),
    language: text().nullable(),
    ioss_number: text().nullable(),
    eori_number: text().nullable(),
    vat_number: text().nullable(),
    inbound_vat_number: text().nullable(),
    inbound_eori_number: text().nullable(),
    shipping_email: text().nullable(),
    shipping_contactperson: text().nullable(),
    shipping_address: json(),
    note: text().nullable(),
    customer_note: text().nullable(),
    /** Data that the client stored with the order, as a JSON object. */
    meta_data: json(),
  },
  {
    unique: [
      ['customer_id', 'external_id'],
      ['customer_id', 'external_reference'],
    ],
    indexes: {
      // each sort order of the list has an index that includes the filter columns, so that a query finds the ids
      // without reading rows
      by_created_at: ['customer_id', 'created_at', 'id', 'status', ...filteredOrders],
      by_modified_at: ['customer_id', 'modified_at', 'id', 'created_at', 'status', ...filteredOrders],
      by_delivery_date: [
        ...(['customer_id', 'requested_delivery_date', 'id'] as const),
        ...(['created_at', 'status', 'business_to_business'] as const),
      ],
      by_status: ['customer_id', 'status', 'id', 'created_at', ...filteredOrders],
      by_status_and_time: ['customer_id', 'status', 'created_at', 'id', 'modified_at', ...filteredOrders],
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
    price: real().nullable(),
    processed: integer(),
    packing_slip: integer(),
    description: text(),
    serial_numbers: json(),
    /** Data that the client stored with the line, as a JSON object. */
    meta_data: json(),
  },
  { primaryKey: ['order_id', 'position'] },
)
export type OrderLineTable = RowOf<typeof order_lines>

const order_documents = table(
  {
    order_id: text().references('orders'),
    position: integer(),
    document_id: text().references('documents'),
    quantity: integer(),
    is_shipping_label: flag(),
    /** The `order_price` that the client sent with the document, in cents. */
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
    created_at: instant(),
    modified_at: instant(),
    /** The order of the shipment. Null: the shipment was seeded, or its order is not in this database. */
    order_id: text().nullable().references('orders'),
    shipping_method_id: text().references('shipping_methods'),
    order_external_reference: text(),
    shipment_external_reference: text().nullable(),
    po_number: text().nullable(),
    /** The `shipping_email` of the order when the shipment was created. Responses do not contain it. */
    shipping_email: text().nullable(),
    shipping_address: json(),
    /** The tracking data as a JSON array. The type of the column is text, because SQL statements compare the array. */
    labels: text(),
  },
  {
    indexes: {
      // each sort order of the list has an index that includes the filter columns, so that a query finds the ids
      // without reading rows
      by_reference: ['customer_id', 'reference', 'id', 'created_at', 'order_external_reference'],
      by_created_at: ['customer_id', 'created_at', 'id', 'order_external_reference'],
      by_order_external_reference: [
        ...(['customer_id', 'order_external_reference', 'id'] as const),
        ...(['created_at', 'reference'] as const),
      ],
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
    /** The codes that the variant had when the pieces were shipped. The variant may have other codes now. */
    article_code: text(),
    ean: text().nullable(),
    sku: text().nullable(),
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

/** A piece with a serial number that was shipped. The row is deleted when the piece is received again. */
const shipped_serials = table(
  {
    variant_id: text().references('variants'),
    serial: text(),
    /** Id of the last shipment of the piece. */
    shipment_id: text(),
  },
  { primaryKey: ['variant_id', 'serial'], isKeyedStorage: true },
)
export type ShippedSerialTable = RowOf<typeof shipped_serials>

/** Return labels. The external reference of a cancelled label can be used again. */
const return_labels = table(
  {
    id: text().primaryKey(),
    /**
     * The number of the label, which is never reused. The carrier computes its tracking code from this number, so a
     * repeated request to the carrier returns the same label.
     */
    serial: integer().unique(),
    customer_id: text().references('customers'),
    state: text<ReturnLabelState>(),
    created_at: instant(),
    modified_at: instant(),
    shipment_id: text().nullable().references('shipments'),
    shipping_method_id: text().references('shipping_methods'),
    document_id: text().nullable().references('documents'),
    /**
     * The external reference. No two labels of a customer have the same one, except cancelled labels. It is stored
     * without the suffix `.R`, which responses contain after the label was requested.
     */
    external_reference: text(),
    /** The `shipping_email` of the shipment whose address is the sender. Responses do not contain it. */
    sender_email: text().nullable(),
    sender_address: json(),
    tracking: json(),
  },
  {
    indexes: {
      living_reference: {
        on: ['customer_id', 'external_reference'],
        where: `state <> 'cancelled'`,
        isUnique: true,
      },
      requesting: { on: ['id'], where: `state = 'requesting'` },
      by_serial: ['customer_id', 'serial', 'id', 'created_at'],
      by_created_at: ['customer_id', 'created_at', 'id'],
      by_shipment: ['shipment_id', 'serial'],
      by_document: ['document_id'],
    },
  },
)
export type ReturnLabelTable = RowOf<typeof return_labels>

/**
 * PDFs and other documents. The total size of the documents that a customer sends with orders is limited. Labels and
 * documents that the service creates do not count towards this limit.
 */
const documents = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    created_at: instant(),
    document_type: text(),
    mime_type: text(),
    title: text(),
    content: bytes(),
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

/** Total bytes of the documents that a customer sent with orders. Triggers update it. */
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
