import type { ServerLabelId } from '#shared/domain/ids.ts'
import type { BriefLabel } from '#shared/domain/label-codes.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'

/** What recent.db holds: the service's newest records. A cache that may vanish at any time and is then filled anew. */

export interface StoredShipment {
  readonly shipment: Shipment
  /** When the service said so. */
  readonly asOf: number
}

export interface StoredReturnLabel {
  readonly label: BriefLabel
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
  /**
   * Writes one page, a few rows at a time, so that it never holds up this thread; pages follow each other in the order of
   * the calls. `reached` returns the stretch that the page leads to. It is called when all rows are written, and its result
   * is stored together with the last of them; null: the stretch stays as it is. Where the file is lost meanwhile, the rest
   * of the page is left out and `reached` is not called.
   */
  put(rows: readonly Row[], asOf: number, reached: (() => IndexState | null) | null): Promise<void>
  /**
   * Removes at most so many rows made before that moment, except what the service has said again since `said`: that
   * was asked for. The stretch begins no earlier then. Returns how many were removed; 0: none is left.
   */
  trim(before: number, said: number, most: number): number
  /**
   * While the cache is larger than it may be, removes at most so many of its oldest rows: variants and lots of answers
   * first, then other scopes' lists, then of this scope's lists, whichever has the oldest. Returns how many were removed; 0: it is small enough.
   */
  makeRoom(most: number): number
  /** Since the start, rows made before that moment were removed to make room; null: none were. */
  keptFrom(): number | null
}

export interface ShipmentIndexStore extends IndexStore<Shipment> {
  /** Newest first, `most` of 20 at most: one order reference may have several shipments. `code` in the form of normaliseCode. */
  find(code: string, most?: number): StoredShipment[]
  /** By the serial number of something in it; else like `find`. */
  findSerial(code: string, most?: number): StoredShipment[]
  get(shipmentId: string): StoredShipment | null
}

/** Return labels as the service lists them, whoever made them. */
export interface LabelIndexStore extends IndexStore<ReturnLabel> {
  /** By tracking code, label code, or the external reference of a requested label; `code` as normaliseCode has it. */
  byCode(code: string): StoredReturnLabel | null
  get(serverId: ServerLabelId): StoredReturnLabel | null
  /** The newest label of a shipment. */
  newestOf(shipmentId: string): StoredReturnLabel | null
  /**
   * Part of a reference, a tracking code or the sender's name, whatever the case and the accents; newest first.
   * Empty text: the newest. `found` counts all, `labels` holds at most `limit`.
   */
  search(text: string, limit: number): { labels: StoredReturnLabel[]; found: number }
}

/** Most lots of one variant that are shown; one more is read and kept, so that it can be told that there are more. */
export const mostLots = 1_000

/** A lot as the desk keeps it. */
export interface StoredLot {
  readonly id: string
  readonly quantity: number
  /** `YYYY-MM-DD`. */
  readonly expirationDate: string | null
  readonly inboundReference: string | null
  /** ISO time. */
  readonly receivedAt: string | null
}

export interface KeptLots {
  /** At most one more than `mostLots`. */
  readonly lots: readonly StoredLot[]
  /** When the service said so; of a pass over all lots: when it began. */
  readonly asOf: number
}

export interface ExpiringLot {
  readonly variantId: string
  readonly lot: StoredLot
  readonly asOf: number
}

/** Stock figures of one variant, in pieces. */
export interface KeptStock {
  /** What may be sold. */
  readonly salable: number
  readonly quarantine: number
  /** When the service said so. */
  readonly asOf: number
}

/** Stock figures as the service gave them at the last look. */
export interface StockStore {
  kept(variantId: string): KeptStock | null
  keep(variantId: string, stock: KeptStock): void
}

/** Lots as the service listed them last: of one variant at a look, or all of them in a pass of the sync thread. */
export interface LotsStore {
  /** The newer of the two. */
  kept(variantId: string): KeptLots | null
  /** Written a few lots at a time, so that it never holds up this thread. */
  keep(variantId: string, lots: readonly StoredLot[], asOf: number): Promise<void>
  /** The variant that a lot is of, by an index; null: the lot is not kept here. */
  variantOf(lotId: string): string | null
  /** The newest looks and the pass, up to some thousand lots: with pieces in them and a date up to `until` (`YYYY-MM-DD`), soonest first, of the variants that are accepted. */
  expiring(
    until: string,
    limit: number,
    accepts: (variantId: string) => boolean,
  ): { readonly lots: readonly ExpiringLot[]; readonly more: boolean }
}
