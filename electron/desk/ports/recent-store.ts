import type { Batch } from '#shared/wire/batch.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'

/** What recent.db holds: the service's newest records. A cache that may vanish at any time and is then filled anew. */

export interface StoredShipment {
  readonly shipment: Shipment
  /** When the service said so. */
  readonly asOf: number
}

export interface StoredReturnLabel {
  readonly label: ReturnLabel
  readonly asOf: number
}

/** Which stretch of creation times is held without a gap; null before the first page. */
export interface IndexState {
  readonly newest: number
  readonly oldest: number
  /** The first fill reached its goal: nothing older is wanted. */
  readonly complete: boolean
  readonly syncedAt: number
}

/** What the walk through one of the service's lists needs of the place where it is kept. */
export interface IndexStore<Row> {
  count(): number
  state(): IndexState | null
  /** One page and the stretch it leads to, at once. */
  put(rows: readonly Row[], asOf: number, state: IndexState | null): void
}

export interface ShipmentIndexStore extends IndexStore<Shipment> {
  /** Newest first: one order reference may have several shipments. `code` in the form of normaliseCode. */
  find(code: string): StoredShipment[]
  get(shipmentId: string): StoredShipment | null
}

/** Return labels as the service lists them, whoever made them. */
export interface LabelIndexStore extends IndexStore<ReturnLabel> {
  /** By tracking code, label code, or the external reference of a requested label; `code` as normaliseCode has it. */
  byCode(code: string): StoredReturnLabel | null
  get(serverId: string): StoredReturnLabel | null
  /**
   * Part of a reference, a tracking code or the sender's name, whatever the case and the accents; newest first.
   * Empty text: the newest. `found` counts all, `labels` holds at most `limit`.
   */
  search(text: string, limit: number): { labels: StoredReturnLabel[]; found: number }
}

/** The lots of a variant as the service listed them last. */
export interface LotsStore {
  kept(variantId: string): { readonly batches: readonly Batch[]; readonly asOf: number } | null
  keep(variantId: string, batches: readonly Batch[], asOf: number): void
}
