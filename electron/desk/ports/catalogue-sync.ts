import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import type { Scope } from '#shared/domain/scope.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { LocationType } from '#shared/wire/location-type.ts'
import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import type { Variant } from '#shared/wire/variant.ts'
import type { ApiOutcome, SkippedRow } from './api.ts'
import type { CatalogueList, LotsNews, SyncEnd, SyncOptions, SyncProgress } from './catalogue-store.ts'
import type { StoredLot } from './recent-store.ts'

/**
 * Maximum number of rows to read from one list. The read of a longer list ends with `catalogue.too_large`, because the
 * list has no end or is too large for this desk.
 */
export const mostWalkRows = 2_000_000

/** Facts about the file in use, which are stored in this file. All times are by the service's clock. */
export interface CatalogueFacts {
  /** Whether every variant was read at least once. */
  readonly complete: boolean
  /** The file contains all changes up to this moment. */
  readonly watermark: number | null
  /** When the last complete read of all variants began; null: no such read has ended. */
  readonly fullReadAt: Instant | null
  /** Number of rows in the longest page that the service has returned; null: not known yet. */
  readonly pageRows: number | null
  /** The last known number of variants; null: not known. */
  readonly variants: number | null
}

/** The state of an unfinished read of all variants or lots. It is stored in the unfinished file. */
export interface FillState {
  /** When page 1 of the list was read, by the service's clock. */
  readonly startedAt: Instant
  /** Number of rows in a full page. */
  readonly limit: number
  /**
   * Number of the page that was added last; before the first page, a number after the last page of the list. The pages
   * are read from the last one down to the first.
   */
  readonly page: number
  /** Number of rows that the service had when the read began. */
  readonly expected: number
}

export interface VariantRows {
  readonly rows: readonly Variant[]
  readonly skipped: readonly SkippedRow[]
  readonly asOf: number
}

/** All rows of a small list, such as the shipping methods. */
export interface ListRows<Row> {
  readonly rows: readonly Row[]
  readonly skipped: readonly SkippedRow[]
  readonly asOf: number
}

export interface LotRows {
  readonly rows: readonly { readonly variantId: string; readonly lot: StoredLot }[]
  readonly skipped: readonly SkippedRow[]
  readonly asOf: number
}

/**
 * The files that the sync thread writes: the file in use, and the file that will replace it. A method that adds rows
 * throws CataloguedError `catalogue.low_disk` if the disk has too little space, and `catalogue.too_large` if a file
 * grows too large.
 */
export interface CatalogueFiles {
  facts(): CatalogueFacts
  putMethods(list: ListRows<ShippingMethod>): void
  putLocationTypes(list: ListRows<LocationType>): void
  /** Writes one page of changes in one transaction. */
  change(page: VariantRows): void
  /** Stores that the file contains all changes up to this moment. */
  settle(watermark: number): void
  keepPageRows(rows: number): void
  readonly next: NextFile
  readonly lots: LotsFile
}

/**
 * The unfinished file of a pass over all lots. `facts` describes the finished file that the desk uses now, except for
 * `pageRows`: after `resume`, this is the number that `keepPageRows` has stored in the unfinished file, if any.
 */
export interface LotsFile {
  facts(): {
    /** When the last complete pass over all lots began. */
    readonly asOf: number | null
    readonly pageRows: number | null
    readonly count: number | null
  }
  /** Returns the unfinished pass of an earlier run, with the number of its stored rows. Null: there is none. */
  resume(): (FillState & { readonly rows: number }) | null
  keepPageRows(rows: number): void
  /** Starts a new file and removes the file of an earlier run. */
  begin(): void
  /** Removes the unfinished file of this read. */
  drop(): void
  /** Adds a page. Returns how many of its rows were not in the file yet. */
  add(page: LotRows, state: FillState): number
  /** Ends the pass, so that the desk can take the file into use. */
  publish(asOf: number): void
}

/** The unfinished file of a read of all variants. */
export interface NextFile {
  /** Returns the unfinished read of an earlier run. Null: there is none. */
  resume(): FillState | null
  /** Starts a new file and removes the file of an earlier run. */
  begin(): void
  /** Removes the unfinished file of this read. */
  drop(): void
  /** Adds a page. Rows and state of many pages are written in one transaction. */
  add(page: VariantRows, state: FillState): void
  /** Builds the indexes of the file. Call it after the last call of `add` and before the first call of `change`. */
  index(): void
  change(page: VariantRows): void
  /**
   * Marks the file as complete up to the watermark, so that the desk can take it into use. Two kinds of rows are copied
   * from the old file: the small lists, and the rows of variants that are unreadable in the new read.
   */
  publish(watermark: number, fullReadAt: Instant): void
}

/** Messages between main and the sync thread. They contain only plain data, because threads exchange copies. */

/** What the sync thread needs to reach the service. A thread does not inherit these settings from main. */
export interface ServiceReach {
  readonly scope: Scope
  /** The address at which the embedded middleware listens, or the failure of its start; null: it does not listen. */
  readonly embedded: string | Failure | null
  readonly proxy: string | null
  /**
   * Certificate authorities (PEM) to trust. Main's setting of authorities does not apply in other threads. Null: the
   * authorities of Node.
   */
  readonly authorities: readonly string[] | null
  readonly timeouts: {
    readonly connectMs: Milliseconds
    readonly headersMs: Milliseconds
    readonly idleMs: Milliseconds
    readonly totalMs: Milliseconds
  }
}

/**
 * The paths of one cache file: of the version in use, of the versions that will replace it, and of the last unusable
 * version.
 */
export interface FilePaths {
  /** Path of the cache file in use. */
  readonly current: string
  /** The unfinished file of a read that is under way. */
  readonly next: string
  /** A finished file that waits to be taken into use; no thread has it open. */
  readonly ready: string
  /** The last file that was unusable. It is kept until the rebuilt file is complete. */
  readonly damaged: string
}

/** The settings with which the thread starts. */
export interface SyncOrder extends SyncOptions {
  readonly files: { readonly goods: FilePaths; readonly lots: FilePaths }
  /** Whether to rebuild the current file because it is damaged. If true, no other thread has it open. */
  readonly rebuild: boolean
  readonly fullEveryMs: Milliseconds
  readonly reach: ServiceReach
}

export type ThreadToMain =
  /** A call to the service has ended (`SyncListener.called`). */
  | { readonly kind: 'called'; readonly outcome: ApiOutcome<null>; readonly tookMs: Milliseconds }
  | { readonly kind: 'access'; readonly refused: string | null }
  | { readonly kind: 'progress'; readonly progress: SyncProgress | null }
  | { readonly kind: 'lots'; readonly news: LotsNews }
  | { readonly kind: 'changed' }
  /** The catalogue file in use was rebuilt and may be read again. */
  | { readonly kind: 'remade' }
  /** The catalogue file in use is damaged. */
  | { readonly kind: 'damaged'; readonly problem: string }
  | { readonly kind: 'skipped'; readonly list: CatalogueList; readonly rows: readonly SkippedRow[] }
  | { readonly kind: 'ended'; readonly end: SyncEnd }

export type MainToThread =
  | {
      readonly kind: 'access'
      readonly access:
        { readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: Failure }
    }
  | { readonly kind: 'stop' }
