import type { Failure } from '#shared/errors/catalogue.ts'
import type { LocationType } from '#shared/wire/location-type.ts'
import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import type { Variant } from '#shared/wire/variant.ts'

/** The service's lists that are kept as a whole, by the names of their paths. */
export type CatalogueList = 'variants' | 'shippingmethods' | 'locationtypes' | 'batches'

export interface StoredVariant {
  readonly variant: Variant
  /** When the service is known to have had it so, milliseconds since 1970. */
  readonly asOf: number
}

export interface StoredList<Row> {
  readonly rows: readonly Row[]
  /** Null: never read. */
  readonly asOf: number | null
}

export interface CatalogueState {
  /** Every variant of the service was read at least once. */
  readonly complete: boolean
  readonly variants: number
  readonly shippingMethods: number
  readonly locationTypes: number
  /** The newest moment for which all of it is known to be true. */
  readonly asOf: number | null
  /** Rows of the service, lots among them, that cannot be read. */
  readonly skipped: number
}

/** A row of the service that cannot be read. */
export interface SkippedEntry {
  readonly list: CatalogueList
  /** Null: not even the id can be read. */
  readonly id: string | null
  readonly problem: string
  readonly seenAt: number
}

/** What is seldom asked for. */
export interface CatalogueDetails {
  /** When everything was last read from the beginning. */
  readonly fullReadAt: number | null
  /** Rows in one page, the most that the service takes; null: not known yet. */
  readonly pageRows: number | null
  readonly lots: {
    readonly count: number
    /** When the last whole pass over all lots began; null: none has ended. */
    readonly asOf: number | null
  }
  /** The newest hundred. */
  readonly skippedRows: readonly SkippedEntry[]
}

export interface FoundVariants {
  readonly variants: readonly StoredVariant[]
  /** There are more that match. */
  readonly more: boolean
}

/**
 * Variants, shipping methods and location types of the service, kept in a file that only the sync thread writes. Never
 * throws: a file that cannot be read counts as empty and is made anew.
 */
export interface CatalogueStore {
  /** Of the catalogue, or kept from an answer of the service (`keep`). */
  variant(id: string): StoredVariant | null
  /**
   * `key` in the form of codeKey. EANs before SKUs before article codes; within one kind the newest modified first. Of a
   * code that more than fifty variants share, any fifty of the best kinds.
   */
  byCode(key: string): StoredVariant[]
  /**
   * Variants of which every part of the text is the beginning of a word or a code, whatever the case and the accents:
   * whole codes first, then what begins so, then names in the order in which the articles were made.
   */
  search(text: string, limit: number): FoundVariants
  /** Variants that the service named and that the catalogue may not hold yet; they stay in recent.db. */
  keep(variants: readonly Variant[], asOf: number): void
  methods(): StoredList<ShippingMethod>
  locationTypes(): StoredList<LocationType>
  state(): CatalogueState
  details(): CatalogueDetails
  /** Reads the service's lists in a thread of its own; the listener hears of it until `ended`. One at a time. */
  sync(listener: SyncListener, options: SyncOptions): SyncRun
}

export interface SyncOptions {
  /** All lots are read again when that is so long ago, in milliseconds. */
  readonly lotsEveryMs: number
}

/** How the pass over all lots is doing. */
export interface LotsNews {
  /** Rows so far; null: none is under way. */
  readonly rows: number | null
  /** Why the service gives no lots. */
  readonly failure: Failure | null
}

/** How far a read of all variants is. */
export interface SyncProgress {
  readonly rows: number
  /** Null: not known yet. */
  readonly expected: number | null
  readonly rowsPerSecond: number
}

export type SyncEnd =
  | { readonly kind: 'done' }
  /** The reason; it may be a call that never reached the service. */
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'stopped' }

/** What a sync asks and tells while it runs. */
export interface SyncListener {
  /** A token to call with; `refused` is the one that the service would not take (401). */
  access(
    refused: string | null,
  ): Promise<
    { readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: Failure }
  >
  /** At most five times a second; null once no read of everything is under way. */
  progress(progress: SyncProgress | null): void
  /** A round reads lots for a while only: with rows in the last news the pass goes on in the next round. */
  lots(news: LotsNews): void
  /** There is something new to read. */
  changed(): void
}

export interface SyncRun {
  readonly ended: Promise<SyncEnd>
  /** Stops it between two rows; what was read so far is kept for the next one. */
  stop(): Promise<void>
}
