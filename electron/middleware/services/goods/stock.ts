import type { Connection } from '../../data/engine/database.ts'
import type { VariantTable } from '../../data/schema/goods.ts'
import { listStockedVariants, type StockFilters, sumLots, sumReserved } from '../../data/goods/stock.ts'
import type { Customer, ServiceContext } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'

type StockSort = 'id' | 'createdAt' | 'modifiedAt' | 'name' | 'articleCode'

const listing: Listing<StockSort> = {
  columns: {
    id: 'id',
    createdAt: 'created_at',
    modifiedAt: 'stock_modified_at',
    name: 'name',
    articleCode: 'article_code',
  },
  sort: 'name',
  direction: 'asc',
}

/** Pieces of one variant. */
export interface StockRecord {
  readonly variant: VariantTable
  readonly physical: number
  readonly salable: number
  readonly available: number
  readonly quarantine: number
  readonly pickable: number
}

/**
 * What there is of each variant of the customer, none included. Salable is all but what stands in quarantine;
 * available is what of it no order has spoken for, and never fewer than none.
 */
export async function listStock(
  context: ServiceContext,
  customer: Customer,
  call: { filters: StockFilters; query: ListQuery<StockSort> },
): Promise<StockRecord[]> {
  const page = toPage(call.query, listing)
  const variants = await listStockedVariants(context.database, customer.id, call.filters, page)
  return stockOf(context.database, variants)
}

/** What there is of the given variants, in their order. */
export async function stockOf(
  database: Connection,
  variants: readonly VariantTable[],
): Promise<StockRecord[]> {
  const ids = variants.map(({ id }) => id)
  const lots = new Map((await sumLots(database, ids)).map((sums) => [sums.variant_id, sums]))
  const reserved = await sumReserved(database, ids)
  return variants.map((variant) => {
    const { physical, pickable, quarantine } = lots.get(variant.id) ?? none
    const salable = physical - quarantine
    const available = Math.max(0, salable - (reserved.get(variant.id) ?? 0))
    return { variant, physical, salable, available, quarantine, pickable }
  })
}

const none = { physical: 0, pickable: 0, quarantine: 0 }
