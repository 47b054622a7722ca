import { sql } from 'kysely'
import { type Connection, portions } from '../engine/database.ts'
import { anyContains, type Page, readPage } from '../engine/listing.ts'
import type { VariantTable } from '../schema/goods.ts'
import { bears, type Identifiers, namesAnything, shownDescription, shownVariantColumns } from './variants.ts'

export interface StockFilters extends Identifiers {
  /** Part of a code, an identifier or the name. The case of ASCII letters does not matter. Null: no restriction. */
  readonly search: string | null
  /** A time in its stored format. */
  readonly changedFrom: string | null
}

/** Returns a page of the customer's variants that are not deleted, filtered and sorted for the list of their stock. */
export async function listStockedVariants(
  connection: Connection,
  customerId: string,
  filters: StockFilters,
  page: Page,
): Promise<VariantTable[]> {
  let query = connection
    .selectFrom('variants')
    .select([...shownVariantColumns, shownDescription()])
    .where('customer_id', '=', customerId)
    .where('deleted_at', 'is', null)
  if (namesAnything(filters)) query = query.where(bears(filters))
  if (filters.changedFrom !== null) query = query.where('stock_modified_at', '>=', filters.changedFrom)
  if (filters.search !== null)
    query = query.where(anyContains(['article_code', 'ean', 'sku', 'name'], filters.search))
  return readPage(query, page)
}

/** The stock of one variant, in pieces. */
export interface StockRecord<Variant = VariantTable> {
  readonly variant: Variant
  readonly physical: number
  readonly salable: number
  readonly available: number
  readonly quarantine: number
  readonly pickable: number
}

/** Returns the stock of the given variants, in their order. */
export async function stockOf<Variant extends { readonly id: string }>(
  connection: Connection,
  variants: readonly Variant[],
): Promise<StockRecord<Variant>[]> {
  const ids = variants.map(({ id }) => id)
  const lots = new Map((await sumLots(connection, ids)).map((sums) => [sums.variant_id, sums]))
  const reserved = await sumReserved(connection, ids)
  return variants.map((variant) => {
    const { physical, pickable, quarantine } = lots.get(variant.id) ?? none
    const salable = physical - quarantine
    const available = Math.max(0, salable - (reserved.get(variant.id) ?? 0))
    return { variant, physical, salable, available, quarantine, pickable }
  })
}

const none = { physical: 0, pickable: 0, quarantine: 0 }

interface LotSums {
  readonly variant_id: string
  readonly physical: number
  readonly pickable: number
  readonly quarantine: number
}

/** Returns the pieces of each variant: all, those at pickable locations, and those at `QUAR…` locations. */
async function sumLots(connection: Connection, variantIds: readonly string[]): Promise<LotSums[]> {
  if (variantIds.length === 0) return []
  const rows = await connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .select([
      'batches.variant_id',
      sql<number>`SUM(batches.quantity)`.as('physical'),
      sql<number>`SUM(batches.quantity * locations.pickable)`.as('pickable'),
      sql<number>`SUM(CASE WHEN locations.code LIKE 'QUAR%' THEN batches.quantity ELSE 0 END)`.as(
        'quarantine',
      ),
    ])
    .where('batches.variant_id', 'in', variantIds)
    .groupBy('batches.variant_id')
    .execute()
  return rows
}

/** Returns the pieces of each variant that orders have reserved and that were not shipped yet. */
async function sumReserved(
  connection: Connection,
  variantIds: readonly string[],
): Promise<Map<string, number>> {
  if (variantIds.length === 0) return new Map()
  const rows = await connection
    .selectFrom('reservations')
    .select(['variant_id', sql<number>`SUM(pieces)`.as('reserved')])
    .where('variant_id', 'in', variantIds)
    .groupBy('variant_id')
    .execute()
  return new Map(rows.map((row) => [row.variant_id, row.reserved]))
}

/** Notes a change of the stock or the available stock of the variants. */
export async function touchStock(
  connection: Connection,
  variantIds: ReadonlySet<string>,
  changedAt: string,
): Promise<void> {
  for (const portion of portions([...variantIds].map((id) => ({ id }))))
    await connection
      .updateTable('variants')
      .set({ stock_modified_at: changedAt })
      .where(
        'id',
        'in',
        portion.map(({ id }) => id),
      )
      .execute()
}
