import type { Generated } from 'kysely'
import type {
  InboundStatus,
  InboundType,
  TransferStatus,
  WarehouseWorkKind,
} from '#shared/domain/resource-states.ts'
import type { ModificationReason, ModificationStatus } from '#shared/domain/modification.ts'

/** The tables of goods, their locations and movements, and of the warehouse's work. */
export interface GoodsTables {
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
  stock_entries: StockEntryTable
  reservations: ReservationTable
  warehouse_work: WarehouseWorkTable
  warehouse_calls: WarehouseCallTable
}

/** A boolean as SQLite stores it. */
export type Flag = 0 | 1

export interface ArticleTable {
  id: string
  customer_id: string
  name: string
  created_at: string
  modified_at: string
  /** When the warehouse deleted the article. Clients see it only in older records. */
  deleted_at: string | null
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
  /** When the stock last changed: its lots, or the orders that reserve it. */
  stock_modified_at: string
  /** Like that of an article. */
  deleted_at: string | null
}

export interface VariantBundleTable {
  id: string
  customer_id: string
  /** The variant that represents the bundle. A variant represents at most one bundle. */
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

export interface LocationTable {
  id: string
  code: string
  pickable: Flag
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

/** Why pieces moved, or reservations changed. */
export type StockEntryKind =
  'opening' | 'inbound' | 'order' | 'shipment' | 'modification' | 'transfer' | 'correction' | 'move'

/**
 * The ledger: every change of a lot (`batch_id`) or of an order's reservation (`order_id`). Entries are never changed
 * or deleted.
 */
interface StockEntryTable {
  id: Generated<number>
  variant_id: string
  batch_id: string | null
  order_id: string | null
  /** Pieces that were added; negative: taken away. */
  pieces: number
  kind: StockEntryKind
  /** Id of the inbound, order, modification, transfer or shipment. Null: a correction or move by the warehouse. */
  cause_id: string | null
  created_at: string
}

/** The current reservation of an order: the sum of its entries. */
interface ReservationTable {
  order_id: string
  variant_id: string
  pieces: number
}

/** Changes by clients for the warehouse, in the order of `sequence`. */
export interface WarehouseWorkTable {
  sequence: Generated<number>
  kind: WarehouseWorkKind
  customer_id: string
  entity_id: string
  created_at: string
}

/** The first response to each idempotency key of a warehouse user. */
export interface WarehouseCallTable {
  user_id: string
  key: string
  /** SHA-256 of method, path and body. The same key with a different call is refused. */
  fingerprint: string
  /** The response as JSON. */
  answer: string
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
  /** JSON array with one number for each piece of goods with serial numbers. */
  serial_numbers: string
  /** JSON object. */
  meta_data: string
}

interface InboundDocumentTable {
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

interface QualityControlDocumentTable {
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
  /** The sort key for `reference`. */
  serial: number
  /** The source of the transfer. */
  customer_id: string
  to_customer_id: string
  external_reference: string
  status: TransferStatus
  /** The reason of the cancellation. */
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
