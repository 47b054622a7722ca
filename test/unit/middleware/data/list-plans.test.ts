import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listArticles } from '#middleware/data/goods/articles.ts'
import { listBundles } from '#middleware/data/goods/bundles.ts'
import { listBatches } from '#middleware/data/goods/batches.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { listInbounds } from '#middleware/data/moves/inbounds.ts'
import { listModifications } from '#middleware/data/moves/modifications.ts'
import { listOrders, type OrderFilters } from '#middleware/data/orders/orders.ts'
import type { Page } from '#middleware/data/engine/listing.ts'
import { listReturnLabels, newestLabelOfShipment } from '#middleware/data/shipments/return-labels.ts'
import { listShipments } from '#middleware/data/shipments/shipments.ts'
import { listTransfers } from '#middleware/data/moves/transfers.ts'
import { listStockedVariants } from '#middleware/data/goods/stock.ts'
import { listVariants } from '#middleware/data/goods/variants.ts'
import { planOf, plansOf, walksAnIndex } from '#support/query-plans.ts'

let database: Database
beforeAll(() => {
  database = openSqliteDatabase(':memory:')
})
afterAll(() => database.destroy())

const plan = (read: (connection: Database) => Promise<unknown>): Promise<string> => planOf(database, read)

function page(sort: string, rest: Partial<Page> = {}): Page {
  return { from: null, to: null, sort, direction: 'asc', limit: 1000, offset: 500_000, ...rest }
}

const nothing = { articleCode: null, ean: null, sku: null }
const anyOrder: OrderFilters = {
  reference: null,
  externalReference: null,
  externalId: null,
  status: null,
  businessToBusiness: null,
  deliverFrom: null,
}
const directions = ['asc', 'desc'] as const

describe.each(directions)('the query of a list in the order %s', (direction) => {
  it.each(['id', 'created_at', 'modified_at', 'name', 'article_code'])(
    'walks an index: variants by %s',
    async (sort) => {
      walksAnIndex(await plan((connection) => listVariants(connection, 'c', page(sort, { direction }))))
    },
  )

  it.each(['created_at', 'name'])('walks an index: articles by %s', async (sort) => {
    walksAnIndex(
      await plan((connection) => listArticles(connection, 'c', nothing, page(sort, { direction }))),
    )
  })

  it.each(['created_at', 'id'])('walks an index: batches by %s', async (sort) => {
    const filters = { ...nothing, positiveOnly: false }
    walksAnIndex(await plan((connection) => listBatches(connection, 'c', filters, page(sort, { direction }))))
  })

  it.each(['created_at', 'modified_at', 'inbound_date', 'status'])(
    'walks an index: inbounds by %s',
    async (sort) => {
      const filters = { reference: null, status: null, type: null }
      walksAnIndex(
        await plan((connection) => listInbounds(connection, 'c', filters, page(sort, { direction }))),
      )
    },
  )

  it('walks an index: bundles', async () => {
    walksAnIndex(await plan((connection) => listBundles(connection, 'c', page('created_at', { direction }))))
  })

  it.each(['created_at', 'serial'])('walks an index: transfers by %s', async (sort) => {
    walksAnIndex(await plan((connection) => listTransfers(connection, 'c', page(sort, { direction }))))
  })

  it.each(['created_at', 'modified_at', 'status', 'requested_delivery_date'])(
    'walks an index: orders by %s',
    async (sort) => {
      walksAnIndex(
        await plan((connection) => listOrders(connection, 'c', anyOrder, page(sort, { direction }))),
      )
    },
  )

  it.each(['id', 'created_at', 'stock_modified_at', 'name', 'article_code'])(
    'walks an index: stock by %s',
    async (sort) => {
      const filters = { ...nothing, search: null, changedFrom: null }
      walksAnIndex(
        await plan((connection) => listStockedVariants(connection, 'c', filters, page(sort, { direction }))),
      )
    },
  )

  it.each(['created_at', 'reference'])('walks an index: modifications by %s', async (sort) => {
    for (const status of [null, 'created'] as const) {
      const steps = await plan((connection) =>
        listModifications(connection, 'c', status, page(sort, { direction })),
      )
      if (status === null || sort === 'reference') walksAnIndex(steps)
      else expect(steps).toMatch(/^SEARCH modifications USING COVERING INDEX/)
    }
  })
})

interface List {
  readonly name: string
  readonly sorts: readonly string[]
  readonly filters: readonly object[]
  readonly read: (connection: Database, filter: object, page: Page) => Promise<unknown>
}

const anyInbound = { reference: null, status: null, type: null }
const anyStock = { ...nothing, search: null, changedFrom: null }

/** The lists whose records have texts of any length, or are very many. */
const lists: readonly List[] = [
  {
    name: 'orders',
    sorts: ['created_at', 'modified_at', 'status', 'requested_delivery_date'],
    filters: [
      {},
      ...[{ status: 'created' }, { businessToBusiness: true }, { deliverFrom: 'd' }],
      { status: 'created', businessToBusiness: true },
      { status: 'created', businessToBusiness: true, deliverFrom: 'd' },
    ],
    read: (connection, filter, asked) => listOrders(connection, 'c', { ...anyOrder, ...filter }, asked),
  },
  {
    name: 'inbounds',
    sorts: ['created_at', 'modified_at', 'status', 'inbound_date'],
    filters: [{}, { status: 'announced' }, { type: 'x' }, { status: 'announced', type: 'x' }],
    read: (connection, filter, asked) => listInbounds(connection, 'c', { ...anyInbound, ...filter }, asked),
  },
  {
    name: 'modifications',
    sorts: ['created_at', 'reference'],
    filters: [{}, { status: 'created' }],
    read: (connection, filter, asked) =>
      listModifications(connection, 'c', 'status' in filter ? 'created' : null, asked),
  },
  {
    name: 'transfers',
    sorts: ['created_at', 'serial'],
    filters: [{}],
    read: (connection, _, asked) => listTransfers(connection, 'c', asked),
  },
  {
    name: 'shipments',
    sorts: ['created_at', 'reference'],
    filters: [{}, { references: ['a', 'b'] }],
    read: (connection, filter, asked) =>
      listShipments(connection, 'c', 'references' in filter ? ['a', 'b'] : null, asked),
  },
  {
    name: 'return labels',
    sorts: ['created_at', 'serial'],
    filters: [{}],
    read: (connection, _, asked) => listReturnLabels(connection, 'c', asked),
  },
  {
    name: 'variants',
    sorts: ['id', 'created_at', 'modified_at', 'name', 'article_code'],
    filters: [{}],
    read: (connection, _, asked) => listVariants(connection, 'c', asked),
  },
  {
    name: 'stock',
    sorts: ['id', 'created_at', 'stock_modified_at', 'name', 'article_code'],
    filters: [{}],
    read: (connection, filter, asked) =>
      listStockedVariants(connection, 'c', { ...anyStock, ...filter }, asked),
  },
  {
    name: 'articles',
    sorts: ['created_at', 'name'],
    filters: [{}],
    read: (connection, _, asked) => listArticles(connection, 'c', nothing, asked),
  },
  {
    name: 'batches',
    sorts: ['created_at', 'id'],
    filters: [{}],
    read: (connection, _, asked) => listBatches(connection, 'c', { ...nothing, positiveOnly: false }, asked),
  },
]

describe.each(lists)('the list of $name', ({ sorts, filters, read }) => {
  const ranges = [{}, { from: 'a' }, { to: 'b' }, { from: 'a', to: 'b' }]
  const each = sorts.flatMap((sort) => filters.map((filter) => ({ sort, filter })))

  it.each(each)('reads only the rows of its page: $sort $filter', async ({ sort, filter }) => {
    for (const range of ranges)
      for (const direction of directions) {
        const asked = page(sort, { direction, ...range })
        const [ids, rows] = await plansOf(database, (connection) => read(connection, filter, asked), [
          { id: 'x' },
        ])
        // a sort of these ids has no other column than those of the index
        expect(ids?.sql).toMatch(/^select id as "id" from /)
        expect(ids?.steps).toMatch(/^SEARCH \w+ USING COVERING INDEX \w+ \(customer_id=\?/)
        expect(ids?.steps).not.toContain('SCAN')
        expect(rows?.sql).toMatch(/ where id in \(\?\)$/)
        expect(rows?.steps).toMatch(/^SEARCH \w+ USING INDEX \w+ \(id=\?\)$/)
      }
  })
})

describe('the query of a filtered list', () => {
  it.each([
    [{ ean: 'x' }, /SEARCH variants USING INDEX variants_by_ean \(customer_id=\? AND ean=\?\)/],
    [{ sku: 'x' }, /SEARCH variants USING INDEX variants_by_sku \(customer_id=\? AND sku=\?\)/],
    [{ articleCode: 'x' }, /SEARCH variants USING INDEX \w+ \(customer_id=\? AND article_code=\?\)/],
  ])('starts from the variants that have %j', async (asked, found) => {
    const identifiers = { ...nothing, ...asked }
    const articles = await plan((connection) => listArticles(connection, 'c', identifiers, page('name')))
    expect(articles).toMatch(found)
    expect(articles).toMatch(/^SEARCH articles USING INDEX \w+ \(id=\?\)/m)
    const filters = { ...identifiers, positiveOnly: true }
    const batches = await plan((connection) => listBatches(connection, 'c', filters, page('id')))
    expect(batches).toMatch(found)
    expect(batches).toMatch(/SEARCH batches USING COVERING INDEX batches_to_take_at \(variant_id=\?\)/)
    for (const sort of ['id', 'created_at', 'stock_modified_at', 'name', 'article_code'])
      for (const rest of [{}, { search: 's' }, { changedFrom: 'd' }]) {
        const wanted = { ...anyStock, ...asked, ...rest }
        const read = (connection: Database) => listStockedVariants(connection, 'c', wanted, page(sort))
        const [named, ids] = await plansOf(database, read, [{ id: 'x' }])
        expect(named?.steps).toMatch(found)
        expect(ids?.steps).toMatch(/^SEARCH variants USING (COVERING )?INDEX \w+ \(id=\?\)/)
      }
  })

  it.each([
    [{ reference: 'x' }, /INDEX \w+ \(reference=\?\)/],
    [{ externalReference: 'x' }, /INDEX \w+ \(customer_id=\? AND external_reference=\?\)/],
    [{ externalId: 'x' }, /INDEX \w+ \(customer_id=\? AND external_id=\?\)/],
    [{ status: 'created' as const }, /INDEX orders_by_status_and_time \(customer_id=\? AND status=\?\)$/],
  ])('finds orders by %j without reading the others', async (asked, found) => {
    const filters = { ...anyOrder, ...asked }
    const orders = await plan((connection) => listOrders(connection, 'c', filters, page('created_at')))
    expect(orders).toMatch(found)
  })

  /** Returns each combination of the values, and of their absence. */
  function combinations<Values extends Readonly<Record<string, unknown>>>(
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

  it.each([
    [
      'inbounds',
      ['created_at', 'modified_at', 'inbound_date', 'status'],
      combinations({ reference: 'x', status: 'processing', type: 'import' } as const).map(
        (filters) => (connection: Database, shown: Page) => listInbounds(connection, 'c', filters, shown),
      ),
    ],
    [
      'modifications',
      ['created_at', 'reference'],
      combinations({ status: 'created' } as const).map(
        ({ status }) =>
          (connection: Database, shown: Page) =>
            listModifications(connection, 'c', status, shown),
      ),
    ],
    [
      'orders',
      ['created_at', 'modified_at', 'status', 'requested_delivery_date'],
      combinations({
        ...{ reference: 'x', externalReference: 'x', externalId: 'x' },
        ...({ status: 'created', businessToBusiness: true, deliverFrom: '2026-01-01' } as const),
      }).map((filters) => (connection: Database, shown: Page) => listOrders(connection, 'c', filters, shown)),
    ],
    [
      'transfers',
      ['created_at', 'serial'],
      [(connection: Database, shown: Page) => listTransfers(connection, 'c', shown)],
    ],
  ])('reads no rows of other customers, with all filters, orders and times: %s', async (_, sorts, reads) => {
    for (const read of reads)
      for (const sort of sorts)
        for (const range of combinations({ from: 'a', to: 'b' }))
          for (const direction of directions)
            expect(await plan((connection) => read(connection, page(sort, { ...range, direction })))).toMatch(
              /^SEARCH \w+ USING (COVERING )?INDEX \w+ \((customer_id|reference|id)=\?/,
            )
  })

  it('finds the newest label of a shipment without reading the others', async () => {
    const steps = await plan((connection) => newestLabelOfShipment(connection, 'c', 's'))
    expect(steps).toBe('SEARCH return_labels USING INDEX return_labels_by_shipment (shipment_id=?)')
  })
})

describe('the check for an index walk', () => {
  it('fails for a query that sorts', async () => {
    const steps = await plan((connection) =>
      connection
        .selectFrom('variants')
        .selectAll()
        .where('customer_id', '=', 'c')
        .orderBy(sql`weight`)
        .execute(),
    )
    expect(() => {
      walksAnIndex(steps)
    }).toThrow()
  })
})
