import type { OrderStatus } from '#shared/domain/order-state.ts'
import type { Flag } from './flag.ts'

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
