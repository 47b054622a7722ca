import type { OrderStatus, ReturnLabelState } from '#shared/domain/resource-states.ts'
import type { LabelLayout } from '../../warehouse/world.ts'
import type { Flag } from './goods.ts'

/** The tables of orders, shipments and returns. */
export interface OrderTables {
  shipping_methods: ShippingMethodTable
  orders: OrderTable
  order_lines: OrderLineTable
  order_documents: OrderDocumentTable
  shipments: ShipmentTable
  shipment_lines: ShipmentLineTable
  shipment_documents: ShipmentDocumentTable
  shipped_serials: ShippedSerialTable
  return_labels: ReturnLabelTable
  documents: DocumentTable
  document_storage: DocumentStorageTable
}

export interface OrderTable {
  id: string
  customer_id: string
  reference: string
  external_id: string | null
  external_reference: string
  po_number: string | null
  status: OrderStatus
  /** YYYY-MM-DD. */
  requested_delivery_date: string
  partial_delivery: Flag
  business_to_business: Flag
  applied_business_rules: Flag | null
  shipping_method_id: string | null
  shipping_email: string | null
  shipping_contactperson: string | null
  shipping_address: string
  /** Whether the client reported the address as invalid. The status follows it. */
  address_invalid: Flag
  inco_terms: 'DAP' | 'DDP' | null
  ioss_number: string | null
  eori_number: string | null
  vat_number: string | null
  inbound_vat_number: string | null
  inbound_eori_number: string | null
  /** In cents. */
  order_amount: number | null
  assured_amount: number | null
  currency: string | null
  note: string | null
  customer_note: string | null
  language: string | null
  /** JSON object. */
  meta_data: string
  created_at: string
  modified_at: string
}

export interface OrderLineTable {
  order_id: string
  position: number
  variant_id: string
  quantity: number
  description: string
  price: number | null
  processed: number
  packing_slip: number
  serial_numbers: string
  /** JSON object. */
  meta_data: string
}

export interface OrderDocumentTable {
  order_id: string
  position: number
  document_id: string
  quantity: number
  is_shipping_label: Flag
  /** In cents. */
  order_price: number | null
  label_type: string | null
}

export interface ShippingMethodTable {
  id: string
  code: string
  description: string
  shipper: string
  shipper_code: string
  shipping_software: string
  administration_code: string | null
  carrier: string
  supports_return_labels: Flag
  label_layout: LabelLayout
  created_at: string
  modified_at: string
}

export interface ShipmentTable {
  id: string
  customer_id: string
  reference: string
  po_number: string | null
  /** Null: the shipment was seeded, or its order is not in this database. */
  order_id: string | null
  order_external_reference: string
  shipment_external_reference: string | null
  shipping_method_id: string
  shipping_address: string
  labels: string
  created_at: string
  modified_at: string
}

export interface ShipmentLineTable {
  shipment_id: string
  position: number
  variant_id: string
  quantity: number
  serial_numbers: string
}

/** A piece that was shipped. The row is deleted when the piece is received again. */
export interface ShippedSerialTable {
  variant_id: string
  serial: string
  /** The last shipment of the piece. */
  shipment_id: string
}

/** The pickup label of a shipment, created at the first request for it. */
export interface ShipmentDocumentTable {
  shipment_id: string
  document_id: string
}

export interface ReturnLabelTable {
  id: string
  /** Never reused. The carrier's tracking code is computed from it, so a repeated request returns the same label. */
  serial: number
  customer_id: string
  /** Unique per customer, without the `.R` that a requested label shows. */
  external_reference: string
  state: ReturnLabelState
  shipment_id: string | null
  shipping_method_id: string
  sender_address: string
  tracking: string
  document_id: string | null
  created_at: string
  modified_at: string
}

/** Total size of the documents that a customer sent with orders. Triggers update it. */
interface DocumentStorageTable {
  customer_id: string
  bytes: number
}

export interface DocumentTable {
  id: string
  customer_id: string
  content: Uint8Array
  title: string
  mime_type: string
  document_type: string
  created_at: string
}
