import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { LocationType } from '#shared/wire/location-type.ts'
import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import type { Variant } from '#shared/wire/variant.ts'
import type { ApiOutcome } from './api.ts'

/** The lists of which the catalogue contains all rows, by their names in the paths of the service. */
export type CatalogueList = 'variants' | 'shippingmethods' | 'locationtypes' | 'batches'

export interface StoredVariant {
  readonly variant: Variant
  /** When the service last confirmed the data of this variant, milliseconds since 1970. */
  readonly asOf: number
}

export interface StoredList<Row> {
  readonly rows: readonly Row[]
  /** When the list was last read, milliseconds since 1970; null: never. */
  readonly asOf: number | null
}

export interface CatalogueState {
  /** Whether every variant of the service was read at least once. */
  readonly complete: boolean
  readonly variants: number
  readonly shippingMethods: number
  readonly locationTypes: number
  /**
   * The catalogue contains all changes up to this moment, milliseconds since 1970; null: the catalogue is not complete
   * yet.
   */
  readonly asOf: number | null
  /** Number of unreadable rows in all lists of the service, including lots. */
  readonly skipped: number
}

/** An unreadable row of the service. */
export interface SkippedEntry {
  readonly list: CatalogueList
  /** Id of the unreadable row; null if the id is unreadable too. */
  readonly id: string | null
  readonly problem: string
  readonly seenAt: Instant
}

/** Details of the catalogue that are rarely needed. */
export interface CatalogueDetails {
  /** When the last complete read of all variants began; null: no such read has ended. */
  readonly fullReadAt: Instant | null
  /** Number of rows in the longest page that the service returns; null: not known yet. */
  readonly pageRows: number | null
  readonly lots: {
    readonly count: number
    /** When the last complete pass over all lots began; null: no pass has ended. */
    readonly asOf: number | null
  }
  /** The newest rows of the service's lists that could not be read, at most a hundred. */
  readonly skippedRows: readonly SkippedEntry[]
}

export interface FoundVariants {
  readonly variants: readonly StoredVariant[]
  /**
   * Whether more variants match than `variants` contains. Also true if more variants may match, because the search
   * reached the limit of its work.
   */
  readonly more: boolean
}

/**
 * Variants, shipping methods and location types of the service, in a file that only the sync thread writes. The methods
 * never throw because of an unreadable file: the file counts as empty and is rebuilt.
 */
export interface CatalogueStore {
  /** Returns a variant of the catalogue, or of an earlier response of the service (see `keep`). */
  variant(id: string): StoredVariant | null
  /**
   * Returns the variants with a code. `key`: the code in the form of codeKey. Matches by EAN come first, then by SKU,
   * then by article code. Matches of the same kind begin with the most recently modified variant. If more than fifty
   * variants have the code, returns only fifty of them, and leaves out matches by article code first.
   */
  byCode(key: string): StoredVariant[]
  /**
   * Returns the variants that match every part of the text. A part matches if a word or a code begins with it, ignoring
   * case and accents. Variants with an equal code come first, then variants with a code that begins with the text, then
   * matches by name in the order of their creation.
   */
  search(text: string, limit: number): FoundVariants
  /**
   * Keeps variants from responses of the service in recent.db, because the catalogue may not contain these variants
   * yet.
   */
  keep(variants: readonly Variant[], asOf: number): void
  /** Returns at most 2,000 methods, each text with at most 255 characters. */
  methods(): StoredList<ShippingMethod>
  /** Returns the code of a shipping method without a read of the other methods. Null: the method is not stored. */
  methodCode(id: string): string | null
  locationTypes(): StoredList<LocationType>
  state(): CatalogueState
  details(): CatalogueDetails
  /**
   * Reads the service's lists in a separate thread, one read at a time. Notifies the listener until `ended` resolves.
   */
  sync(listener: SyncListener, options: SyncOptions): SyncRun
}

export interface SyncOptions {
  /** Maximum age of the last read of all lots, in milliseconds. If it is older, all lots are read again. */
  readonly lotsEveryMs: Milliseconds
}

/** The state of the pass over all lots. */
export interface LotsNews {
  /** Number of rows that the pass over all lots has read so far; null: no pass is under way. */
  readonly rows: number | null
  /** Why the service does not return the lots; null: it returns them. */
  readonly failure: Failure | null
}

/** The progress of a read of all variants. */
export interface SyncProgress {
  readonly rows: number
  /** Expected number of variants; null: not known yet. */
  readonly expected: number | null
  readonly rowsPerSecond: number
}

/**
 * For each list, why a round could not read it; null: the round has read it. `variants`: why the articles are not up to
 * date. `fullRead`: why the articles could not be read completely. If `variants` is null and `fullRead` is not, the
 * articles are up to date, but may still contain articles that the service has removed.
 */
export type ListFailures = Readonly<Record<Exclude<CatalogueList, 'batches'> | 'fullRead', Failure | null>>

export type SyncEnd =
  | { readonly kind: 'done' }
  /**
   * `lists`: the failures of single lists, of which `failure` is one; the round has read its other lists. Without
   * `lists` the round ended early, for example because a call did not reach the service; then `failure` is the reason.
   */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly lists?: ListFailures }
  | { readonly kind: 'stopped' }

/** Callbacks of a running sync. */
export interface SyncListener {
  /**
   * Reports the outcome of each call to the service, without the rows of the response. `tookMs`: the duration of the
   * call, in milliseconds. A point in time would be useless, because the monotonic clock of another thread has another
   * start. A call that `stop` has aborted is not reported.
   */
  called(outcome: ApiOutcome<null>, tookMs: Milliseconds): void
  /** Returns a token for a call. `refused`: the token that the service has refused with 401; null: none. */
  access(
    refused: string | null,
  ): Promise<
    { readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: Failure }
  >
  /** Reports the progress of a read of all variants, at most five times a second; null: no such read is under way. */
  progress(progress: SyncProgress | null): void
  /**
   * Reports the state of the lots. A round reads lots for a limited time. If `rows` of the last report of a round is
   * not null, the next round continues the pass.
   */
  lots(news: LotsNews): void
  /** Reports that the catalogue has new data. */
  changed(): void
}

export interface SyncRun {
  readonly ended: Promise<SyncEnd>
  /** Stops the sync between two pages. The rows that were stored are kept, and the next sync continues. */
  stop(): Promise<void>
}
