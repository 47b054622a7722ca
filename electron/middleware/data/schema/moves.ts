import type { InboundStatus, InboundType } from '#shared/domain/inbound-state.ts'
import type { ModificationReason, ModificationStatus } from '#shared/domain/modification.ts'
import type { TransferStatus } from '#shared/domain/transfer-state.ts'
import type { Flag } from './flag.ts'

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

export interface InboundDocumentTable {
  inbound_id: string
  document_id: string
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

export interface QualityControlDocumentTable {
  quality_control_id: string
  document_id: string
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

export interface TransferTable {
  id: string
  /** What `reference` sorts by. */
  serial: number
  /** The source. */
  customer_id: string
  to_customer_id: string
  external_reference: string
  status: TransferStatus
  /** Why it was cancelled. */
  cancel_note: string | null
  created_at: string
  modified_at: string
}

export interface TransferLineTable {
  id: string
  transfer_id: string
  position: number
  from_variant_id: string
  to_variant_id: string
  quantity: number
  finalized_quantity: number
}
