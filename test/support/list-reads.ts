import type { Connection } from '#middleware/data/engine/database.ts'
import type { Page } from '#middleware/data/engine/listing.ts'
import { listArticles } from '#middleware/data/goods/articles.ts'
import { listBatches } from '#middleware/data/goods/batches.ts'
import { listBundles } from '#middleware/data/goods/bundles.ts'
import { listStockedVariants, type StockFilters } from '#middleware/data/goods/stock.ts'
import { listVariants } from '#middleware/data/goods/variants.ts'
import { type InboundFilters, listInbounds } from '#middleware/data/moves/inbounds.ts'
import { listModifications } from '#middleware/data/moves/modifications.ts'
import { listTransfers } from '#middleware/data/moves/transfers.ts'
import { listOrders, type OrderFilters } from '#middleware/data/orders/orders.ts'
import { listReturnLabels } from '#middleware/data/shipments/return-labels.ts'
import { listShipments } from '#middleware/data/shipments/shipments.ts'

/** A list with its sort columns and filters, for tests of the SQL statements that read the list. */
export interface List {
  readonly name: string
  /** The columns by which the list can be sorted. */
  readonly sorts: readonly string[]
  /** Filters whose columns are in the index of each sort column. */
  readonly filters: readonly object[]
  /** Filters that match only few records. */
  readonly narrow: readonly object[]
  readonly read: (connection: Connection, filter: object, page: Page) => Promise<unknown>
}

/** The id of the customer whose lists are read. */
export const listCustomer = 'customers-1'
export const listTimes = { from: '2026-01-02T00:00:00.000Z', to: '2026-01-09T00:00:00.000Z' } as const
/** The ranges of times that a list can be restricted to. */
export const listRanges: readonly Pick<Page, 'from' | 'to'>[] = combinations(listTimes)

export const listDirections = ['asc', 'desc'] as const

/** Returns a page that is not the first page of its list. */
export function listPage(sort: string, rest: Partial<Page> = {}): Page {
  return { from: null, to: null, sort, direction: 'asc', limit: 1000, offset: 500, ...rest }
}

/** Returns every combination of the given properties, each present or absent. */
export function combinations<Values extends Readonly<Record<string, unknown>>>(
  values: Values,
): { [Name in keyof Values]: Values[Name] | null }[] {
  type All = { [Name in keyof Values]: Values[Name] | null }
  return Object.entries<unknown>(values).reduce<Partial<All>[]>(
    (all, [name, value]) =>
      all.flatMap((each) => [
        { ...each, [name]: null },
        { ...each, [name]: value },
      ]),
    [{}],
  ) as All[]
}

const nothing = { articleCode: null, ean: null, sku: null }
const identifiers = [{ ean: 'x' }, { sku: 'x' }, { articleCode: 'x' }] as const
const deliverFrom = '2026-01-05'
const anyOrder: OrderFilters = {
  ...{ reference: null, externalReference: null, externalId: null },
  ...{ status: null, businessToBusiness: null, deliverFrom: null },
}
const anyInbound: InboundFilters = { reference: null, status: null, type: null }
const anyStock: StockFilters = { ...nothing, search: null, changedFrom: null }

/** The lists that may have very many records, or records with long texts. */
export const lists: readonly List[] = [
  {
    name: 'orders',
    sorts: ['created_at', 'modified_at', 'status', 'requested_delivery_date'],
    filters: [
      {},
      ...[{ status: 'created' }, { businessToBusiness: true }, { deliverFrom }],
      { status: 'created', businessToBusiness: true },
      { status: 'created', businessToBusiness: true, deliverFrom },
    ],
    narrow: combinations({
      ...{ reference: 'x', externalReference: 'x', externalId: 'x' },
      ...{ status: 'created', businessToBusiness: true, deliverFrom },
    }).filter(
      ({ reference, externalReference, externalId }) =>
        reference !== null || externalReference !== null || externalId !== null,
    ),
    read: (connection, filter, page) =>
      listOrders(connection, listCustomer, { ...anyOrder, ...filter }, page),
  },
  {
    name: 'inbounds',
    sorts: ['created_at', 'modified_at', 'status', 'inbound_date'],
    filters: [{}, { status: 'announced' }, { type: 'import' }, { status: 'announced', type: 'import' }],
    narrow: combinations({ status: 'announced', type: 'import' }).map((filter) => ({
      ...filter,
      reference: 'x',
    })),
    read: (connection, filter, page) =>
      listInbounds(connection, listCustomer, { ...anyInbound, ...filter }, page),
  },
  {
    name: 'modifications',
    sorts: ['created_at', 'reference'],
    filters: [{}, { status: 'created' }],
    narrow: [],
    read: (connection, filter, page) =>
      listModifications(connection, listCustomer, 'status' in filter ? 'created' : null, page),
  },
  {
    name: 'transfers',
    sorts: ['created_at', 'serial'],
    filters: [{}],
    narrow: [],
    read: (connection, _, page) => listTransfers(connection, listCustomer, page),
  },
  {
    name: 'shipments',
    sorts: ['created_at', 'reference'],
    filters: [{}, { references: ['a', 'b'] }],
    narrow: [],
    read: (connection, filter, page) =>
      listShipments(connection, listCustomer, 'references' in filter ? ['a', 'b'] : null, page),
  },
  {
    name: 'return labels',
    sorts: ['created_at', 'serial'],
    filters: [{}],
    narrow: [],
    read: (connection, _, page) => listReturnLabels(connection, listCustomer, page),
  },
  {
    name: 'variants',
    sorts: ['id', 'created_at', 'modified_at', 'name', 'article_code'],
    filters: [{}],
    narrow: [],
    read: (connection, _, page) => listVariants(connection, listCustomer, page),
  },
  {
    name: 'stock',
    sorts: ['id', 'created_at', 'stock_modified_at', 'name', 'article_code'],
    filters: [{}],
    narrow: identifiers.flatMap((each) => [
      each,
      { ...each, search: 's' },
      { ...each, changedFrom: listTimes.from },
    ]),
    read: (connection, filter, page) =>
      listStockedVariants(connection, listCustomer, { ...anyStock, ...filter }, page),
  },
  {
    name: 'articles',
    sorts: ['created_at', 'name'],
    filters: [{}],
    narrow: identifiers,
    read: (connection, filter, page) =>
      listArticles(connection, listCustomer, { ...nothing, ...filter }, page),
  },
  {
    name: 'batches',
    sorts: ['created_at', 'id'],
    filters: [{}, { positiveOnly: true }],
    narrow: identifiers.map((each) => ({ ...each, positiveOnly: true })),
    read: (connection, filter, page) =>
      listBatches(connection, listCustomer, { ...nothing, positiveOnly: false, ...filter }, page),
  },
  {
    name: 'bundles',
    sorts: ['created_at'],
    filters: [{}],
    narrow: [],
    read: (connection, _, page) => listBundles(connection, listCustomer, page),
  },
]

/** Returns the list of that name. */
export function listOf(name: string): List {
  const found = lists.find((list) => list.name === name)
  if (found === undefined) throw new Error(`There is no list of ${name}`)
  return found
}
