import type { TransferStatus } from '#shared/domain/transfer-state.ts'

export interface VariantBundleTable {
  id: string
  customer_id: string
  /** The variant that stands for the whole: of one bundle at most. */
  variant_id: string
  created_at: string
  modified_at: string
}

export interface VariantBundleItemTable {
  id: string
  bundle_id: string
  position: number
  variant_id: string
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

export interface InboundDocumentTable {
  inbound_id: string
  document_id: string
}

export interface QualityControlDocumentTable {
  quality_control_id: string
  document_id: string
}
