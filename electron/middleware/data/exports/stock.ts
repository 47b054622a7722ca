import { sql } from 'kysely'
import type { Connection } from '../engine/database.ts'
import { anyContains } from '../engine/listing.ts'
import { isLaterEntry, type LedgerMoment } from '../goods/ledger.ts'
import { stockOf, type StockRecord } from '../goods/stock.ts'
import type { VariantTable } from '../schema/goods.ts'
import { defineExport, type ExportScope, money, type Read, timeCell, walkRecords } from './define-export.ts'

const columns = ['id', 'article_code', 'name', 'ean', 'sku', 'stock_modified_at'] as const
type ExportedVariant = Pick<VariantTable, (typeof columns)[number]>

/** All variants of the customer that are not deleted, also those without stock. */
export const stock = defineExport<StockRecord<ExportedVariant>>(
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
  async function* (read, scope) {
    const walk = walkRecords<ExportedVariant>(read, scope, {
      table: 'variants',
      columns,
      searched: ['article_code', 'name', 'ean', 'sku'],
      only: sql<boolean>`deleted_at is null`,
    })
    for await (const variants of walk) yield await read((connection) => stockOf(connection, variants))
  },
)

/** A customer's stock at one location. */
interface Filling {
  readonly locationId: string
  lots: number
  readonly variantIds: Set<string>
  pieces: number
  /** Value of the goods in euro. Goods without a value count as zero. */
  value: number
}

interface FilledLocation {
  readonly code: string
  readonly pickable: 0 | 1
  readonly filling: Filling
}

/**
 * Yields the locations with stock, sorted by id. Only lots that were created between `from` and `to` are counted. The
 * lots are read in portions, because one location may have any number of lots. All portions have the pieces of one
 * moment: otherwise pieces that move meanwhile would be counted at two locations or at none.
 */
async function* filledLocations(read: Read, scope: ExportScope): AsyncGenerator<FilledLocation[]> {
  const moment = scope.moment ?? { newest: Number.MAX_SAFE_INTEGER, snapshot: null }
  let after = { location_id: '', id: '' }
  let fillings: Filling[] = []
  for (let isEnd = false; !isEnd;) {
    const lots: Lot[] = await read((connection) => lotsAfter(connection, scope.customerId, { after, moment }))
    for (const lot of lots.filter((each) => isCounted(each, scope))) {
      let filling = fillings.at(-1)
      if (filling?.locationId !== lot.location_id) {
        filling = { locationId: lot.location_id, lots: 0, variantIds: new Set(), pieces: 0, value: 0 }
        fillings.push(filling)
      }
      filling.lots += 1
      filling.variantIds.add(lot.variant_id)
      filling.pieces += lot.quantity
      filling.value += lot.quantity * (lot.value ?? 0)
    }
    isEnd = lots.length < lotsAtOnce
    after = lots.at(-1) ?? after
    // the last location is not yielded yet, because the next portion may contain further lots at that location
    const complete = isEnd ? fillings : fillings.slice(0, -1)
    fillings = fillings.slice(-1)
    if (complete.length > 0) yield await read((connection) => locationsOf(connection, scope.search, complete))
  }
}

interface Lot {
  readonly id: string
  readonly location_id: string
  readonly variant_id: string
  readonly quantity: number
  readonly created_at: string
  readonly value: number | null
}

/** Number of lots that one statement reads. */
const lotsAtOnce = 1000

/**
 * Returns the next lots in the order of their locations, with the pieces that they had at `moment`.
 * Empty lots are included, so that the query visits no more lots than it returns.
 */
export async function lotsAfter(
  connection: Connection,
  customerId: string,
  { after, moment }: { after: Pick<Lot, 'location_id' | 'id'>; moment: LedgerMoment },
): Promise<Lot[]> {
  const later = sql`select sum(pieces) from stock_entries where batch_id = batches.id and ${isLaterEntry(moment)}`
  return connection
    .selectFrom('batches')
    .innerJoin('variants', 'variants.id', 'batches.variant_id')
    .select([
      'batches.id',
      'batches.location_id',
      'batches.variant_id',
      sql<number>`batches.quantity - coalesce((${later}), 0)`.as('quantity'),
      'batches.created_at',
      'variants.value',
    ])
    .where('batches.customer_id', '=', customerId)
    .where(sql<boolean>`(batches.location_id, batches.id) > (${after.location_id}, ${after.id})`)
    .orderBy('batches.location_id')
    .orderBy('batches.id')
    .limit(lotsAtOnce)
    .execute()
}

function isCounted({ quantity, created_at: createdAt }: Lot, { from, to }: ExportScope): boolean {
  return quantity > 0 && (from === null || createdAt >= from) && (to === null || createdAt <= to)
}

/** Returns those of the given locations whose code contains the text `search`. Null: all of them. */
async function locationsOf(
  connection: Connection,
  search: string | null,
  fillings: readonly Filling[],
): Promise<FilledLocation[]> {
  const ids = fillings.map(({ locationId }) => locationId)
  let query = connection.selectFrom('locations').selectAll().where('id', 'in', ids)
  if (search !== null) query = query.where(anyContains(['code'], search))
  const found = new Map((await query.execute()).map((location) => [location.id, location]))
  return fillings.flatMap((filling) => {
    const location = found.get(filling.locationId)
    return location === undefined ? [] : [{ code: location.code, pickable: location.pickable, filling }]
  })
}

const ofMoment = { isOfMoment: true }

/** The locations that contain stock of the customer. */
export const locations = defineExport<FilledLocation>(
  {
    location: ({ code }) => code,
    pickable: ({ pickable }) => pickable === 1,
    lots: ({ filling }) => filling.lots,
    variants: ({ filling }) => filling.variantIds.size,
  },
  filledLocations,
  ofMoment,
)

/** The export with the number of lots and pieces at each location. */
export const fillings = defineExport<FilledLocation>(
  {
    location: ({ code }) => code,
    lots: ({ filling }) => filling.lots,
    pieces: ({ filling }) => filling.pieces,
  },
  filledLocations,
  ofMoment,
)

/** Values of the stock at each location, in euro. */
export const locationValues = defineExport<FilledLocation>(
  {
    location: ({ code }) => code,
    variants: ({ filling }) => filling.variantIds.size,
    pieces: ({ filling }) => filling.pieces,
    value: ({ filling }) => money(filling.value),
  },
  filledLocations,
  ofMoment,
)
