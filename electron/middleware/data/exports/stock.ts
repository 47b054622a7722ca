import { sql } from 'kysely'
import type { Connection } from '../engine/database.ts'
import { anyContains } from '../engine/listing.ts'
import { stockOf, type StockRecord } from '../goods/stock.ts'
import type { VariantTable } from '../schema/goods.ts'
import {
  type Cursor,
  cursorBehind,
  defineExport,
  type ExportScope,
  money,
  oldestFirst,
  type Portion,
  portionSize,
  timeCell,
} from './define-export.ts'

/** Returns all variants of the customer that are not deleted, also those without stock. */
async function variantsToExport(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<VariantTable>> {
  const all = connection.selectFrom('variants').selectAll().where('deleted_at', 'is', null)
  const rows = await oldestFirst(all, scope, after, ['article_code', 'name', 'ean', 'sku']).execute()
  return { rows, next: cursorBehind(rows) }
}

/** All variants, also those without stock. */
export const stock = defineExport<StockRecord>(
  {
    article_code: ({ variant }) => variant.article_code,
    name: ({ variant }) => variant.name,
    ean: ({ variant }) => variant.ean,
    sku: ({ variant }) => variant.sku,
    stock_physical: ({ physical }) => physical,
    stock_salable: ({ salable }) => salable,
    stock_available: ({ available }) => available,
    stock_quarantine: ({ quarantine }) => quarantine,
    stock_pickable: ({ pickable }) => pickable,
    modified_at: ({ variant }) => timeCell(variant.stock_modified_at),
  },
  async (connection, scope, after) => {
    const { rows, next } = await variantsToExport(connection, scope, after)
    return { rows: await stockOf(connection, rows), next }
  },
)

/** A customer's stock at one location. */
interface FilledLocation {
  readonly id: string
  readonly code: string
  readonly pickable: 0 | 1
  readonly lots: number
  readonly variants: number
  readonly pieces: number
  /** In euro. Goods without a value count as zero. */
  readonly value: number
}

/** Returns locations with stock, sorted by id. `from` and `to` restrict the creation time of the lots. */
async function filledLocations(
  connection: Connection,
  scope: ExportScope,
  after: Cursor | null,
): Promise<Portion<FilledLocation>> {
  let query = connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .innerJoin('variants', 'variants.id', 'batches.variant_id')
    .select([
      'locations.id',
      'locations.code',
      'locations.pickable',
      (select) => select.fn.countAll<number>().as('lots'),
      sql<number>`count(distinct batches.variant_id)`.as('variants'),
      sql<number>`sum(batches.quantity)`.as('pieces'),
      sql<number>`sum(batches.quantity * coalesce(variants.value, 0))`.as('value'),
    ])
    .where('batches.customer_id', '=', scope.customerId)
    .where('batches.quantity', '>', 0)
  if (scope.from !== null) query = query.where('batches.created_at', '>=', scope.from)
  if (scope.to !== null) query = query.where('batches.created_at', '<=', scope.to)
  if (scope.search !== null) query = query.where(anyContains(['locations.code'], scope.search))
  if (after !== null) query = query.where('locations.id', '>', after.id)
  const rows = await query
    .groupBy(['locations.id', 'locations.code', 'locations.pickable'])
    .orderBy('locations.id')
    .limit(portionSize)
    .execute()
  const last = rows.at(-1)
  const next = last === undefined || rows.length < portionSize ? null : { createdAt: '', id: last.id }
  return { rows, next }
}

/** Locations with stock of the customer. */
export const locations = defineExport<FilledLocation>(
  {
    location: ({ code }) => code,
    pickable: ({ pickable }) => pickable === 1,
    lots: ({ lots }) => lots,
    variants: ({ variants }) => variants,
  },
  filledLocations,
)

/** Number of lots and pieces at each location. */
export const fillings = defineExport<FilledLocation>(
  { location: ({ code }) => code, lots: ({ lots }) => lots, pieces: ({ pieces }) => pieces },
  filledLocations,
)

/** Values of the stock at each location, in euro. */
export const locationValues = defineExport<FilledLocation>(
  {
    location: ({ code }) => code,
    variants: ({ variants }) => variants,
    pieces: ({ pieces }) => pieces,
    value: ({ value }) => money(value),
  },
  filledLocations,
)
