import {
  type BatchFilters,
  batchesInOrder,
  findBatch,
  listBatches as listBatchRows,
  visitBatches,
} from '../../data/goods/batches.ts'
import type { Page } from '../../data/engine/listing.ts'
import {
  listStockedVariants,
  stockedVariants,
  type StockFilters,
  stockOf,
  type StockRecord,
  visitVariants,
} from '../../data/goods/stock.ts'
import { findVariants } from '../../data/goods/variants.ts'
import {
  findInbounds,
  linesOfInbounds,
  type ListedInbound,
  type ListedInboundLine,
} from '../../data/moves/inbounds.ts'
import type { BatchTable, VariantTable } from '../../data/schema/goods.ts'
import type { Customer, ServiceContext } from '../context.ts'
import { idsOfVisitedPage, type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'

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

/**
 * Returns a page of the stock of the customer's variants that match the filters, including variants without stock.
 * Salable is all stock outside quarantine. Available is the salable stock that no order has reserved, and never less
 * than zero.
 */
export async function listStock(
  context: ServiceContext,
  customer: Customer,
  call: { filters: StockFilters; query: ListQuery<StockSort> },
): Promise<StockRecord[]> {
  const page = toPage(call.query, listing)
  return stockOf(context.database, await pageOfStock(context, customer, call.filters, page))
}

/**
 * Returns the variants on a page of the list of stock. If all variants of the customer have to be read, the reads run
 * in steps, and other calls have their turns between two steps.
 */
async function pageOfStock(
  { database }: ServiceContext,
  { id: customerId }: Customer,
  filters: StockFilters,
  page: Page,
): Promise<VariantTable[]> {
  const listed = await listStockedVariants(database, customerId, filters, page)
  if (listed !== null) return listed
  const ids = await idsOfVisitedPage(page, (after) =>
    visitVariants(database, customerId, { filters, page, after }),
  )
  return stockedVariants(database, ids)
}

const batchListing: Listing<'createdAt' | 'id'> = {
  columns: { createdAt: 'created_at', id: 'id' },
  sort: 'id',
  direction: 'desc',
}

export interface BatchRecord {
  readonly batch: BatchTable
  readonly variant: VariantTable
  readonly inbound: ListedInbound | null
  /** Lines of the inbound. Null: they were not requested. */
  readonly inboundLines: readonly ListedInboundLine[] | null
}

/** Returns a page of lots, each with the inbound in which it arrived and the lines of this inbound (API.md 4.1). */
export async function listBatches(
  context: ServiceContext,
  customer: Customer,
  call: { filters: BatchFilters; query: ListQuery<'createdAt' | 'id'> },
): Promise<BatchRecord[]> {
  const page = toPage(call.query, batchListing)
  return withParts(context, customer, await pageOfBatches(context, customer, call.filters, page), {
    lines: true,
  })
}

async function pageOfBatches(
  { database }: ServiceContext,
  { id: customerId }: Customer,
  filters: BatchFilters,
  page: Page,
): Promise<BatchTable[]> {
  const rows = await listBatchRows(database, customerId, filters, page)
  if (rows) return rows
  const ids = await idsOfVisitedPage(page, (after) =>
    visitBatches(database, customerId, { filters, page, after }),
  )
  return batchesInOrder(database, ids)
}

export async function getBatch(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; withLines: boolean },
): Promise<BatchRecord> {
  const row = await findBatch(context.database, customer.id, call.id)
  const [record] = row === null ? [] : await withParts(context, customer, [row], { lines: call.withLines })
  if (record === undefined) throw new Refusal('not_found', 'Batch not found.')
  return record
}

async function withParts(
  context: ServiceContext,
  customer: Customer,
  rows: readonly BatchTable[],
  parts: { lines: boolean },
): Promise<BatchRecord[]> {
  const { database } = context
  const variants = await findVariants(database, customer.id, [...new Set(rows.map((row) => row.variant_id))])
  const inboundIds = [...new Set(rows.flatMap((row) => row.inbound_id ?? []))]
  const inbounds = await findInbounds(database, inboundIds)
  const lines = parts.lines
    ? Map.groupBy(await linesOfInbounds(database, inboundIds), (line) => line.inbound_id)
    : null
  return rows.map((batch) => {
    const variant = variants.get(batch.variant_id)
    if (variant === undefined) throw new Error(`The variant of batch ${batch.id} is gone`)
    return {
      batch,
      variant,
      inbound: inbounds.get(batch.inbound_id ?? '') ?? null,
      inboundLines: lines === null ? null : (lines.get(batch.inbound_id ?? '') ?? []),
    }
  })
}
