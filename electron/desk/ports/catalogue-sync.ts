import type { Scope } from '#shared/domain/scope.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { LocationType } from '#shared/wire/location-type.ts'
import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import type { Variant } from '#shared/wire/variant.ts'
import type { SkippedRow } from './api.ts'
import type { LotsNews, SyncEnd, SyncOptions, SyncProgress } from './catalogue-store.ts'
import type { StoredLot } from './recent-store.ts'

/**
 * Most rows of one list that are read. A list with more has no end, or none that this desk could hold: the read ends with
 * `catalogue.too_large`.
 */
export const mostWalkRows = 2_000_000

/** What the file that the desk reads knows of itself; times by the service's clock. */
export interface CatalogueFacts {
  /** Every variant was read at least once. */
  readonly complete: boolean
  /** Changes up to here are in it. */
  readonly watermark: number | null
  /** When everything was last read from the beginning. */
  readonly fullReadAt: number | null
  /** The longest page that the service gave; null: not known yet. */
  readonly pageRows: number | null
  /** How many variants there are, or were; null: not known. */
  readonly variants: number | null
}

/** A read of everything that is under way, as the unfinished file remembers it. */
export interface FillState {
  /** When its first page was read, by the service's clock. */
  readonly startedAt: number
  /** Rows of a full page. */
  readonly limit: number
  /** The last page whose rows are in the file: pages are read from the last one down to the first. */
  readonly page: number
  /** Rows that the service had when the read began. */
  readonly expected: number
}

export interface VariantRows {
  readonly rows: readonly Variant[]
  readonly skipped: readonly SkippedRow[]
  readonly asOf: number
}

/** A small list, whole. */
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
 * Where the sync thread writes: the file in use, and the one that will take its place. Where the disk has too little room,
 * or a file grows too large, what adds rows throws CataloguedError `catalogue.low_disk` or `catalogue.too_large`.
 */
export interface CatalogueFiles {
  facts(): CatalogueFacts
  putMethods(list: ListRows<ShippingMethod>): void
  putLocationTypes(list: ListRows<LocationType>): void
  /** One page of changes, at once. */
  change(page: VariantRows): void
  /** All changes up to here are in the file. */
  settle(watermark: number): void
  keepPageRows(rows: number): void
  readonly next: NextFile
  readonly lots: LotsFile
}

/** The file of a pass over all lots, and what the one in use knows of itself. */
export interface LotsFile {
  facts(): {
    /** When the last whole pass began. */
    readonly asOf: number | null
    readonly pageRows: number | null
    readonly count: number | null
  }
  /** The pass that an earlier run began, with the rows that it kept, or null. */
  resume(): (FillState & { readonly rows: number }) | null
  keepPageRows(rows: number): void
  /** Drops what an earlier run left. */
  begin(): void
  /** Removes the unfinished file. */
  drop(): void
  /** Answers how many of the rows were not in the file yet. */
  add(page: LotRows, state: FillState): number
  /** The pass has ended: the desk may take the file into use. */
  publish(asOf: number): void
}

/** The unfinished file of a read of everything. */
export interface NextFile {
  /** The fill that an earlier run began, or null. */
  resume(): FillState | null
  /** Drops what an earlier run left. */
  begin(): void
  /** Removes the unfinished file. */
  drop(): void
  /** Rows and state are written together, many pages at a time. */
  add(page: VariantRows, state: FillState): void
  /** Everything was added: makes the codes findable. Changes may follow. */
  index(): void
  change(page: VariantRows): void
  /**
   * Complete up to the watermark: the desk may take it as the file in use. From the old one come the lists, and the rows
   * that the service has now in a form that cannot be read.
   */
  publish(watermark: number, fullReadAt: number): void
}

/** What main and the sync thread say to each other; plain data, copied from one to the other. */

/** How the service is reached from a thread that inherits nothing. */
export interface ServiceReach {
  readonly scope: Scope
  /** Where the embedded middleware listens, or null. */
  readonly embeddedUrl: string | null
  readonly proxy: string | null
  /** Certificate authorities (PEM) to trust: main's choice does not reach other threads. Null: Node's own. */
  readonly authorities: readonly string[] | null
  readonly timeouts: {
    readonly connectMs: number
    readonly headersMs: number
    readonly idleMs: number
    readonly totalMs: number
  }
}

/** A cache file, and its next version on the way. */
export interface FilePaths {
  /** The one in use. */
  readonly current: string
  /** A read of everything that is under way. */
  readonly next: string
  /** A finished one that waits to be taken into use; nobody has it open. */
  readonly ready: string
  /** The last one that was of no use, until its successor is whole. */
  readonly damaged: string
}

/** What the thread starts with. */
export interface SyncOrder extends SyncOptions {
  readonly files: { readonly goods: FilePaths; readonly lots: FilePaths }
  /** The file in use is of no use: make it anew. Nobody else has it open. */
  readonly rebuild: boolean
  readonly fullEveryMs: number
  readonly reach: ServiceReach
}

export type ThreadToMain =
  | { readonly kind: 'access'; readonly refused: string | null }
  | { readonly kind: 'progress'; readonly progress: SyncProgress | null }
  | { readonly kind: 'lots'; readonly news: LotsNews }
  | { readonly kind: 'changed' }
  /** The file in use was made anew and may be read again. */
  | { readonly kind: 'remade' }
  /** The file in use is damaged. */
  | { readonly kind: 'damaged'; readonly problem: string }
  | { readonly kind: 'skipped'; readonly rows: readonly SkippedRow[] }
  | { readonly kind: 'ended'; readonly end: SyncEnd }

export type MainToThread =
  | {
      readonly kind: 'access'
      readonly access:
        { readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: Failure }
    }
  | { readonly kind: 'stop' }
