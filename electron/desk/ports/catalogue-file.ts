import type { LocationType } from '#shared/wire/location-type.ts'
import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import type { Variant } from '#shared/wire/variant.ts'
import type { SkippedRow } from './api.ts'

/** What the file that the desk reads knows of itself; times by the service's clock. */
export interface CatalogueFacts {
  /** Every variant was read at least once. */
  readonly complete: boolean
  /** Changes up to here are in it. */
  readonly watermark: number | null
  /** When everything was last read from the beginning. */
  readonly fullReadAt: number | null
}

/** A read of everything that is under way, as the unfinished file remembers it. */
export interface FillState {
  /** When its first page was read, by the service's clock. */
  readonly startedAt: number
  readonly limit: number
  /** The last page whose rows are in the file. */
  readonly page: number
  /** Rows of a full page: fewer than `limit` where the service gives fewer. */
  readonly pageLength: number
}

export interface VariantRows {
  readonly rows: readonly Variant[]
  readonly skipped: readonly SkippedRow[]
  readonly asOf: number
}

/** Where the sync thread writes: the file in use, and the one that will take its place. */
export interface CatalogueFiles {
  facts(): CatalogueFacts
  putMethods(rows: readonly ShippingMethod[], asOf: number): void
  putLocationTypes(rows: readonly LocationType[], asOf: number): void
  /** One page of changes, at once. */
  change(page: VariantRows): void
  /** All changes up to here are in the file. */
  settle(watermark: number): void
  readonly next: NextFile
}

/** The unfinished file of a read of everything. */
export interface NextFile {
  /** The fill that an earlier run began, or null. */
  resume(): FillState | null
  /** Drops what an earlier run left. */
  begin(): void
  /** Rows and state are written together, many pages at a time. */
  add(page: VariantRows, state: FillState): void
  /** Everything was added: makes the codes findable. Changes may follow. */
  index(): void
  change(page: VariantRows): void
  /** Complete up to the watermark: the desk may take it as the file in use. Lists come along from the old one. */
  publish(watermark: number, fullReadAt: number): void
}
