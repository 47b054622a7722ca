import type { ModificationReason, ModificationStatus } from '#shared/domain/modification.ts'
import type { InboundStatus, InboundType, TransferStatus } from '#shared/domain/resource-states.ts'
import { date, flag, instant, integer, json, type RowOf, table, text } from './table.ts'

const inbounds = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    reference: text(),
    status: text<InboundStatus>(),
    type: text<InboundType>(),
    created_at: instant(),
    modified_at: instant(),
    inbound_date: date(),
    is_return: flag(),
    external_reference: text().nullable(),
    note: text().nullable(),
    /** Data that the client stored with the inbound, as a JSON object. */
    meta_data: json(),
  },
  {
    unique: [['customer_id', 'reference']],
    indexes: {
      // each sort order of the list has an index that includes the filter columns, so that a query finds the ids
      // without reading rows
      by_created_at: ['customer_id', 'created_at', 'id', 'status', 'type'],
      by_modified_at: ['customer_id', 'modified_at', 'id', 'created_at', 'status', 'type'],
      by_inbound_date: ['customer_id', 'inbound_date', 'id', 'created_at', 'status', 'type'],
      by_status: ['customer_id', 'status', 'id', 'created_at', 'type'],
      by_due: ['status', 'modified_at', 'reference', 'id'],
      returns: { on: ['customer_id', 'external_reference'], where: 'is_return = 1' },
    },
  },
)
export type InboundTable = RowOf<typeof inbounds>

const inbound_lines = table(
  {
    inbound_id: text().references('inbounds'),
    position: integer(),
    variant_id: text().references('variants'),
    quantity: integer(),
    processed: integer().nullable(),
    packing_slip: integer().nullable(),
    /** JSON array with one serial number for each piece, if the variant has serial numbers. */
    serial_numbers: json(),
    /** Data that the client stored with the line, as a JSON object. */
    meta_data: json(),
  },
  { primaryKey: ['inbound_id', 'position'], indexes: { by_variant: ['variant_id', 'inbound_id'] } },
)
export type InboundLineTable = RowOf<typeof inbound_lines>

/** The documents of inbounds. If a document is deleted, its row here is deleted too. */
const inbound_documents = table(
  {
    inbound_id: text().references('inbounds'),
    document_id: text().belongsTo('documents'),
  },
  { primaryKey: ['inbound_id', 'document_id'], indexes: { by_document: ['document_id'] } },
)

const quality_controls = table(
  {
    id: text().primaryKey(),
    inbound_id: text().references('inbounds'),
    created_at: instant(),
    was_delivery_appointment: flag(),
    had_packing_list: flag(),
    was_correct_quantity: flag(),
    had_proper_markings: flag(),
    pallet_count: text(),
    box_condition: text(),
    comments: text(),
  },
  { indexes: { by_inbound: ['inbound_id', 'created_at', 'id'] } },
)
export type QualityControlTable = RowOf<typeof quality_controls>

const quality_control_documents = table(
  {
    quality_control_id: text().references('quality_controls'),
    document_id: text().belongsTo('documents'),
  },
  { primaryKey: ['quality_control_id', 'document_id'], indexes: { by_document: ['document_id'] } },
)

/** Corrections of stock by a client. */
const modifications = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    reference: text().unique(),
    reason: text<ModificationReason>(),
    status: text<ModificationStatus>(),
    created_at: instant(),
    modified_at: instant(),
    note: text(),
  },
  {
    indexes: {
      // each sort order of the list has an index that includes the filter columns, so that a query finds the ids
      // without reading rows
      by_reference: ['customer_id', 'reference', 'id', 'created_at', 'status'],
      by_created_at: ['customer_id', 'created_at', 'id', 'status'],
      by_status: ['customer_id', 'status', 'reference', 'id', 'created_at'],
      by_status_and_time: ['customer_id', 'status', 'created_at', 'id'],
      by_due: ['status', 'created_at', 'reference'],
    },
  },
)
export type ModificationTable = RowOf<typeof modifications>

const modification_lines = table(
  {
    modification_id: text().references('modifications'),
    position: integer(),
    variant_id: text().references('variants'),
    location_id: text().references('locations'),
    quantity: integer(),
  },
  {
    primaryKey: ['modification_id', 'position'],
    indexes: { by_variant: ['variant_id', 'modification_id'] },
  },
)
export type ModificationLineTable = RowOf<typeof modification_lines>

/** Transfers of stock from one customer to another. */
const transfers = table(
  {
    id: text().primaryKey(),
    /** The number by which a list is sorted if the client requests the order of `reference`. */
    serial: integer().unique(),
    /** The customer from whose stock the goods are taken. */
    customer_id: text().references('customers'),
    to_customer_id: text().references('customers'),
    status: text<TransferStatus>(),
    created_at: instant(),
    modified_at: instant(),
    external_reference: text(),
    /** The reason of the cancellation. */
    cancel_note: text().nullable(),
  },
  {
    indexes: {
      by_serial: ['customer_id', 'serial', 'id', 'created_at'],
      by_created_at: ['customer_id', 'created_at', 'id'],
      by_due: ['status', 'modified_at', 'serial'],
    },
  },
)
export type TransferTable = RowOf<typeof transfers>

const transfer_lines = table(
  {
    id: text().primaryKey(),
    transfer_id: text().references('transfers'),
    position: integer(),
    from_variant_id: text().references('variants'),
    to_variant_id: text().references('variants'),
    quantity: integer(),
    finalized_quantity: integer(),
  },
  {
    unique: [['transfer_id', 'position']],
    indexes: {
      by_from_variant: ['from_variant_id', 'transfer_id'],
      by_to_variant: ['to_variant_id', 'transfer_id'],
    },
  },
)
export type TransferLineTable = RowOf<typeof transfer_lines>

/** The tables of inbounds, of modifications and of transfers between customers. */
export const moveTables = {
  inbounds,
  inbound_lines,
  inbound_documents,
  quality_controls,
  quality_control_documents,
  modifications,
  modification_lines,
  transfers,
  transfer_lines,
}
