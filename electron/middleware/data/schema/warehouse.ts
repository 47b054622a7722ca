import type { Generated } from 'kysely'
import type { WarehouseWorkKind } from '#shared/domain/warehouse-work.ts'

/** Why pieces moved, or orders came to speak for them. */
export const stockEntryKinds = [
  'opening',
  'inbound',
  'order',
  'shipment',
  'modification',
  'transfer',
  'correction',
  'move',
] as const
export type StockEntryKind = (typeof stockEntryKinds)[number]

/** The ledger: every change of a lot (`batch_id`) or of what an order speaks for (`order_id`); never changed, never deleted. */
export interface StockEntryTable {
  id: Generated<number>
  variant_id: string
  batch_id: string | null
  order_id: string | null
  /** Added; negative: taken away. */
  pieces: number
  kind: StockEntryKind
  /** Id of the inbound, order, modification, transfer or shipment; null: the warehouse's own correction or move. */
  cause_id: string | null
  created_at: string
}

/** What an order speaks for now: the sum of its entries. */
export interface ReservationTable {
  order_id: string
  variant_id: string
  pieces: number
}

/** What clients changed, for the warehouse to look at; in the order of `sequence`. */
export interface WarehouseWorkTable {
  sequence: Generated<number>
  kind: WarehouseWorkKind
  customer_id: string
  entity_id: string
  created_at: string
}

/** The first answer to each idempotency key of a warehouse's user. */
export interface WarehouseCallTable {
  user_id: string
  key: string
  /** SHA-256 of method, path and body: the same key with another call is refused. */
  fingerprint: string
  /** JSON. */
  answer: string
  created_at: string
}
