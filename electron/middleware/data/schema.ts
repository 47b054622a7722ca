import type { InboundStatus, InboundType } from '#shared/domain/inbound-state.ts'
import type { ExportStatus } from '#shared/domain/export-state.ts'
import type { ExportFamily } from '#shared/domain/export-types.ts'
import type { ModificationReason, ModificationStatus } from '#shared/domain/modification.ts'
import type { OrderStatus } from '#shared/domain/order-state.ts'
import type { ReturnLabelState } from '#shared/domain/return-label-state.ts'
import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { LabelLayout } from '../warehouse/world.ts'
import type {
  InboundDocumentTable,
  QualityControlDocumentTable,
  TransferLineTable,
  TransferTable,
  VariantBundleItemTable,
  VariantBundleTable,
} from './schema-moves.ts'

/**
 * Every table, as its columns read back. Booleans are 0 or 1, times are `YYYY-MM-DDTHH:MM:SS.mmmZ` (so that text order
 * is time order) and structures are JSON text: neither engine's driver then needs a conversion of its own.
 */
export interface Schema {
  meta: MetaTable
  counters: CounterTable
  customers: CustomerTable
  users: UserTable
  user_customers: UserCustomerTable
  refresh_tokens: RefreshTokenTable
  shipping_methods: ShippingMethodTable
  articles: ArticleTable
  variants: VariantTable
  locations: LocationTable
  location_types: LocationTypeTable
  inbounds: InboundTable
  inbound_lines: InboundLineTable
  inbound_documents: InboundDocumentTable
  quality_controls: QualityControlTable
  quality_control_documents: QualityControlDocumentTable
  variant_bundles: VariantBundleTable
  variant_bundle_items: VariantBundleItemTable
  transfers: TransferTable
  transfer_lines: TransferLineTable
  batches: BatchTable
  modifications: ModificationTable
  modification_lines: ModificationLineTable
  orders: OrderTable
  order_lines: OrderLineTable
  order_documents: OrderDocumentTable
  shipments: ShipmentTable
  shipment_lines: ShipmentLineTable
  shipment_documents: ShipmentDocumentTable
  redactions: RedactionTable
  return_labels: ReturnLabelTable
  documents: DocumentTable
  exports: ExportTable
  export_parts: ExportPartTable
  webhooks: WebhookTable
}

export type Flag = 0 | 1

export interface MetaTable {
  key: string
  value: string
}

export interface CounterTable {
  name: string
  value: number
}

export interface CustomerTable {
  id: string
  code: string
  name: string
  return_shipping_method_id: string | null
  return_address: string
  created_at: string
  modified_at: string
}

export interface UserTable {
  id: string
  username: string
  password_hash: string
  user_type: 'api' | 'employee'
  /** JSON array of role names without the wire prefix. */
  roles: string
  /** Access to customer-to-customer transfers is granted user by user, beside the roles. */
  transfers_granted: Flag
}

export interface UserCustomerTable {
  user_id: string
  customer_id: string
}

export interface RefreshTokenTable {
  /** SHA-256 in hex: a copied database yields no usable token. */
  hash: string
  user_id: string
  expires_at: string
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

export interface ArticleTable {
  id: string
  customer_id: string
  name: string
  created_at: string
  modified_at: string
}

export interface VariantTable {
  id: string
  article_id: string
  customer_id: string
  article_code: string
  name: string
  description: string | null
  ean: string | null
  sku: string | null
  hs_tariff_code: string | null
  height: number | null
  depth: number | null
  width: number | null
  weight: number | null
  expirable: Flag
  country_of_origin: string | null
  using_serial_numbers: Flag
  value: number | null
  created_at: string
  modified_at: string
  /** When its stock last changed: lots, and orders that speak for them. */
  stock_modified_at: string
}

export interface LocationTable {
  id: string
  code: string
  pickable: Flag
}

export interface BatchTable {
  id: string
  customer_id: string
  variant_id: string
  location_id: string
  quantity: number
  expiration_date: string | null
  inbound_id: string | null
  created_at: string
}

export interface LocationTypeTable {
  id: string
  code: string
  name: string
  transport: Flag
  pickable: Flag
  administration_code: string | null
  created_at: string
}

export interface InboundTable {
  id: string
  customer_id: string
  reference: string
  external_reference: string | null
  is_return: Flag
  status: InboundStatus
  type: InboundType
  /** YYYY-MM-DD. */
  inbound_date: string
  note: string | null
  /** JSON object. */
  meta_data: string
  created_at: string
  modified_at: string
}

export interface InboundLineTable {
  inbound_id: string
  position: number
  variant_id: string
  quantity: number
  processed: number | null
  packing_slip: number | null
  /** JSON array, one for each piece of goods that have them. */
  serial_numbers: string
  /** JSON object. */
  meta_data: string
}

export interface QualityControlTable {
  id: string
  inbound_id: string
  pallet_count: string
  was_delivery_appointment: Flag
  had_packing_list: Flag
  was_correct_quantity: Flag
  had_proper_markings: Flag
  box_condition: string
  comments: string
  created_at: string
}

export interface ModificationTable {
  id: string
  customer_id: string
  reference: string
  reason: ModificationReason
  status: ModificationStatus
  note: string
  created_at: string
  modified_at: string
}

export interface ModificationLineTable {
  modification_id: string
  position: number
  variant_id: string
  location_id: string
  quantity: number
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
  /** The client said so; the status follows. */
  address_invalid: Flag
  inco_terms: 'DAP' | 'DDP' | null
  ioss_number: string | null
  eori_number: string | null
  vat_number: string | null
  inbound_vat_number: string | null
  inbound_eori_number: string | null
  /** Cents. */
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
  /** Cents. */
  order_price: number | null
  label_type: string | null
}

export interface ShipmentTable {
  id: string
  customer_id: string
  reference: string
  po_number: string | null
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

/** The pickup label of a shipment, once somebody asked for it. */
export interface ShipmentDocumentTable {
  shipment_id: string
  document_id: string
}

/** A person of the customer whose traces are still to be overwritten. */
export interface RedactionTable {
  id: string
  customer_id: string
  email: string
  created_at: string
}

export interface ReturnLabelTable {
  id: string
  /** Never reused; the carrier's tracking code follows from it, so asking twice yields the same label. */
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

export interface DocumentTable {
  id: string
  customer_id: string
  content: Uint8Array
  title: string
  mime_type: string
  document_type: string
  created_at: string
}

export interface ExportTable {
  id: string
  customer_id: string
  family: ExportFamily
  type: string
  /** JSON, as sent. */
  filters: string
  fields: string
  status: ExportStatus
  created_at: string
  modified_at: string
}

export interface ExportPartTable {
  export_id: string
  position: number
  content: string
}

export interface WebhookTable {
  id: string
  customer_id: string
  url: string
  topic_group: WebhookGroup
  topic_action: string
  /** In the clear: notifications are signed with it. */
  hash_secret: string
  created_at: string
  modified_at: string
}
