import type { ModificationReason, ModificationStatus } from '#shared/domain/modification.ts'
import type { LabelLayout } from '../warehouse/world.ts'

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
  batches: BatchTable
  modifications: ModificationTable
  modification_lines: ModificationLineTable
  shipments: ShipmentTable
  shipment_lines: ShipmentLineTable
  return_labels: ReturnLabelTable
  documents: DocumentTable
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
  status: string
  /** YYYY-MM-DD. */
  inbound_date: string
  note: string | null
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

/** `requesting`: the carrier is being asked; nobody else may change the row meanwhile. */
export type ReturnLabelState = 'unrequested' | 'requesting' | 'requested' | 'cancelled'

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
