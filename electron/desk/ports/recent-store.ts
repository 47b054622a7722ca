import type { ServerLabelId } from '#shared/domain/ids.ts'
import type { Instant, IsoInstant } from '#shared/domain/instants.ts'
import type { BriefLabel } from '#shared/domain/label-codes.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'

/**
 * The content of recent.db: the newest records of the service. It is a cache: the file may be lost at any time and is
 * then filled again.
 */

export interface StoredShipment {
  readonly shipment: Shipment
  /** When the service returned the record in this state. */
  readonly asOf: number
}

export interface StoredReturnLabel {
  readonly label: BriefLabel
  readonly asOf: number
}

/** A label of the service in the list of labels. Each text has 255 characters at most. */
export interface ListedLabel {
  readonly serverId: ServerLabelId
  readonly externalReference: string | null
  readonly trackingCode: string | null
  readonly shipmentReference: string | null
  readonly senderName: string | null
  readonly senderCity: string | null
  readonly requested: boolean
  readonly createdAt: IsoInstant
  readonly asOf: number
}

export interface FoundLabels {
  readonly labels: ListedLabel[]
  /** Whether the search ended before it had read all labels. */
  readonly isPartial: boolean
}

/** The range of creation times for which every row of the service's list is kept. */
export interface IndexState {
  readonly newest: Instant
  readonly oldest: Instant
  /** Whether the walks of this list have reached its oldest wanted row. */
  readonly complete: boolean
  readonly syncedAt: Instant
}

/** A list of which the desk keeps the newest rows, by its name in the service's URLs. */
export type IndexList = 'shipments' | 'return-labels'

/** The storage for the copy of one of the service's lists. A walk through the list fills it page by page. */
export interface IndexStore<Row> {
  count(): number
  state(): IndexState | null
  /**
   * Writes one page, a few rows at a time, so that it does not block this thread. Pages are written in the order of the
   * calls. When all rows of the page are written, `reached` is called. `reached` returns the new range without a gap,
   * which is stored together with the last row; null: the stored range stays unchanged. If the file is lost during the
   * write, the remaining rows are dropped and `reached` is not called.
   */
  put(rows: readonly Row[], asOf: number, reached: (() => IndexState | null) | null): Promise<void>
  /**
   * Removes at most `most` rows that were created before `before`. Keeps rows that the service has returned after
   * `said`, because an operator asked for these rows. The range of creation times in which no row is missing
   * (IndexState) then begins at `before` or later, unless the whole range is before `before`. Returns the number of
   * removed rows; 0: no row is left to remove.
   */
  trim(before: Instant, said: Instant, most: number): number
  /**
   * If the cache is larger than its limit, removes at most `most` of its oldest rows: first variants, stock figures and
   * lots, then the lists of other scopes, and then the oldest rows of the lists of this scope. Returns the number of
   * removed rows; 0: the cache is within its limit.
   */
  makeRoom(most: number): number
  /**
   * Returns a moment: rows that were created before this moment may be missing, because rows were removed since the
   * start of the desk to reduce the size of the cache. Null: no row of the lists of this scope was removed for this
   * reason.
   */
  keptFrom(): number | null
}

export interface ShipmentIndexStore extends IndexStore<Shipment> {
  /**
   * Returns shipments by a code, newest first, at most `most` (20 or fewer). One order reference may have several
   * shipments. `code` in the form of normaliseCode.
   */
  find(code: string, most?: number): StoredShipment[]
  /**
   * Returns shipments by the serial number of one of their items. The order, the maximum number and the form of `code`
   * are those of `find`.
   */
  findSerial(code: string, most?: number): StoredShipment[]
  get(shipmentId: string): StoredShipment | null
}

/** The service's list of return labels of all desks. */
export interface LabelIndexStore extends IndexStore<ReturnLabel> {
  /**
   * Returns the newest label with this tracking code or label code, or with this external reference if the label is
   * requested; `code` in the form of normaliseCode.
   */
  byCode(code: string): StoredReturnLabel | null
  get(serverId: ServerLabelId): StoredReturnLabel | null
  /** Returns the newest label of a shipment. */
  newestOf(shipmentId: string): StoredReturnLabel | null
  /**
   * Searches by part of a reference, of a tracking code or of the sender's name, ignoring case and accents. Returns the
   * newest labels first; an empty text finds all labels. The search reads some rows at a time, so that it does not
   * block this thread. The search ends after `limit` labels, after some hundred thousand rows, or when `isWanted`
   * returns false.
   */
  search(text: string, limit: number, isWanted: () => boolean): Promise<FoundLabels>
}

/**
 * Maximum number of lots to show of one variant. The desk reads and keeps one more lot, so that the screen can show
 * that there are more lots.
 */
export const mostLots = 1_000

/** A lot in the form that the desk keeps. */
export interface StoredLot {
  readonly id: string
  readonly quantity: number
  /** The expiration date as `YYYY-MM-DD`; null: the lot has none. */
  readonly expirationDate: string | null
  readonly inboundReference: string | null
  /** When the goods arrived, as ISO time; null: not known. */
  readonly receivedAt: IsoInstant | null
}

export interface KeptLots {
  /** The lots of the variant: at most one lot more than `mostLots`. */
  readonly lots: readonly StoredLot[]
  /** When the service returned the lots. If they are from a pass over all lots, the time when the pass began. */
  readonly asOf: number
}

export interface ExpiringLot {
  readonly variantId: string
  readonly lot: StoredLot
  readonly asOf: number
}

/** Stock figures of one variant, in pieces. */
export interface KeptStock {
  /** Number of pieces that may be sold. */
  readonly salable: number
  readonly quarantine: number
  /** When the service returned these figures. */
  readonly asOf: number
}

/** For each variant, the stock figures that the service returned last. */
export interface StockStore {
  kept(variantId: string): KeptStock | null
  keep(variantId: string, stock: KeptStock): void
}

/**
 * The lots that the service returned last: the lots of one variant after an operator opened the variant, and all lots
 * after a pass of the sync thread.
 */
export interface LotsStore {
  /**
   * Returns the newer of two lists of the variant's lots: the list from the last read of this variant, or the list from
   * the last pass over all lots.
   */
  kept(variantId: string): KeptLots | null
  /** Writes a few lots at a time, so that it does not block this thread. */
  keep(variantId: string, lots: readonly StoredLot[], asOf: number): Promise<void>
  /** Returns the id of the variant to which a lot belongs; null: this store does not contain the lot. */
  variantOf(lotId: string): string | null
  /**
   * Returns lots that have pieces and expire by `until` (`YYYY-MM-DD`), the earliest date first, of all variants. The
   * lots are from the newest reads of single variants and from the last pass over all lots. At most a few thousand lots
   * are read. `isCut`: whether some lots were not read because of this limit.
   */
  expiring(until: string): { readonly lots: readonly ExpiringLot[]; readonly isCut: boolean }
}
