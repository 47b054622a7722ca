import type { Failure } from '#shared/errors/catalogue.ts'
import type { LocationType } from '#shared/wire/location-type.ts'
import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import type { Variant } from '#shared/wire/variant.ts'

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
}

/**
 * Variants, shipping methods and location types of the service, kept in a file that only the sync thread writes. Never
 * throws: a file that cannot be read counts as empty and is made anew.
 */
export interface CatalogueStore {
  /** Of the catalogue, or kept from an answer of the service (`keep`). */
  variant(id: string): StoredVariant | null
  /** `key` in the form of codeKey. EANs before SKUs before article codes; within one kind the newest modified first. */
  byCode(key: string): StoredVariant[]
  /** Variants that the service named and that the catalogue may not hold yet; they stay in recent.db. */
  keep(variants: readonly Variant[], asOf: number): void
  methods(): StoredList<ShippingMethod>
  locationTypes(): StoredList<LocationType>
  state(): CatalogueState
  /** Reads the service's lists in a thread of its own; the listener hears of it until `ended`. One at a time. */
  sync(listener: SyncListener): SyncRun
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
  /** There is something new to read. */
  changed(): void
}

export interface SyncRun {
  readonly ended: Promise<SyncEnd>
  /** Stops it between two rows; what was read so far is kept for the next one. */
  stop(): Promise<void>
}
