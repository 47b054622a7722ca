import {
  CompiledQuery,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type RootOperationNode,
  sql,
  type UnknownRow,
} from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  countDeliveries,
  isReplayPending,
  listDeliveries,
  nextOfEntity,
  walkDue,
  walkUntried,
  webhooksDue,
  webhooksToTell,
} from '#middleware/data/deliveries.ts'
import { keysAfter } from '#middleware/data/exports/define-export.ts'
import { lotsAfter } from '#middleware/data/exports/stock.ts'
import { listArticles } from '#middleware/data/goods/articles.ts'
import { listBundles } from '#middleware/data/goods/bundles.ts'
import {
  anyLot,
  lastLotToTake,
  listBatches,
  lotLike,
  lotsToTake,
  pickableLots,
} from '#middleware/data/goods/batches.ts'
import { type Database, openDatabase } from '#middleware/data/engine/database.ts'
import { listInbounds } from '#middleware/data/moves/inbounds.ts'
import { listModifications } from '#middleware/data/moves/modifications.ts'
import { listOrders, moveInvalidAddresses, type OrderFilters } from '#middleware/data/orders/orders.ts'
import type { Page } from '#middleware/data/engine/listing.ts'
import { endOldestLogins } from '#middleware/data/access/logins.ts'
import {
  countOtherRedactions,
  newestPlace,
  nextRedaction,
  recordsBehind,
} from '#middleware/data/redactions.ts'
import {
  listReturnLabels,
  newestLabelOfShipment,
  takenLabelReferences,
} from '#middleware/data/shipments/return-labels.ts'
import { listShipments } from '#middleware/data/shipments/shipments.ts'
import { listTransfers } from '#middleware/data/moves/transfers.ts'
import {
  inboundsIn,
  lotsAt,
  olderShipments,
  ordersIn,
  piecesOutsideQuarantine,
  piecesPromised,
  returnableShipments,
  shipmentNamed,
  transfersIn,
  undecidedModifications,
  untrackedShipments,
  waitingOrders,
} from '#middleware/data/warehouse-due.ts'
import { listStockedVariants } from '#middleware/data/goods/stock.ts'
import { listVariants } from '#middleware/data/goods/variants.ts'

let database: Database
beforeAll(() => {
  database = openDatabase(':memory:')
})
afterAll(() => database.destroy())

interface Plan {
  readonly sql: string
  /** The steps of the engine, one line per step. */
  readonly steps: string
}

/** The plans of the queries of `read`. Each query finds the rows of `found` if given, which decide on later queries. */
async function plansOf(
  read: (connection: Database) => Promise<unknown>,
  found: readonly UnknownRow[] | null = null,
): Promise<Plan[]> {
  const asked: CompiledQuery[] = []
  const watch: KyselyPlugin = {
    transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
      asked.push(database.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: ({ result }) =>
      Promise.resolve(found === null ? result : { ...result, rows: [...found] }),
  }
  await read(database.withPlugin(watch))
  return Promise.all(
    asked.map(async (query) => {
      const explained = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${query.sql}`, [...query.parameters])
      const { rows } = await database.executeQuery<{ detail: string }>(explained)
      return { sql: query.sql, steps: rows.map(({ detail }) => detail).join('\n') }
    }),
  )
}

/** The steps of the first query. */
async function plan(read: (connection: Database) => Promise<unknown>): Promise<string> {
  const [first] = await plansOf(read)
  if (first === undefined) throw new Error('Nothing was asked')
  return first.steps
}

/** The steps of all queries. */
async function plans(read: (connection: Database) => Promise<unknown>): Promise<string[]> {
  return (await plansOf(read)).map(({ steps }) => steps)
}

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

/** Checks that a plan neither reads a whole table nor sorts its result. */
const walksAnIndex = (steps: string): void => {
  expect(steps).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX \w+ \(customer_id=\?/)
  expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
}

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

  it.each(each)('reads no row but those of its page: $sort $filter', async ({ sort, filter }) => {
    for (const range of ranges)
      for (const direction of directions) {
        const asked = page(sort, { direction, ...range })
        const [ids, rows] = await plansOf((connection) => read(connection, filter, asked), [{ id: 'x' }])
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
    expect(batches).toMatch(/SEARCH batches USING INDEX batches_by_variant \(variant_id=\?\)/)
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

describe('a movement of stock', () => {
  const at = { ...anyLot('v'), locationId: 'l' }
  it.each([
    ['takes from a location', (connection: Database) => lotsToTake(connection, at, 10), 2],
    [
      'takes lots of a date',
      (connection: Database) => lotsToTake(connection, { ...at, expirationDate: 'd' }, 10),
      1,
    ],
    [
      'picks at a location',
      (connection: Database) => lotsToTake(connection, { ...pickableLots('v', 'd'), locationId: 'l' }, 10),
      2,
    ],
    ['adds to the last lot', (connection: Database) => lastLotToTake(connection, at), 2],
    [
      'adds to a lot like it',
      (connection: Database) =>
        lotLike(connection, { variant_id: 'v', location_id: 'l', expiration_date: 'd', inbound_id: null }),
      1,
    ],
  ])('reads no lots of other variants, and sorts none: %s', async (_, read, count) => {
    const found = await plans(read)
    expect(found).toHaveLength(count)
    for (const steps of found) {
      expect(steps).toMatch(/SEARCH batches USING INDEX \w+ \(variant_id=\? AND location_id=\?/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER/)
    }
  })

  it.each([
    ['takes', anyLot('v')],
    ['picks', pickableLots('v', 'd')],
  ])('reads the lots of all locations in their order: %s', async (_, filter) => {
    for (const steps of await plans((connection) => lotsToTake(connection, filter, 10))) {
      expect(steps).toMatch(/SEARCH batches USING INDEX batches_to_take \(variant_id=\? AND expiration_date/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })
})

describe('a step of the simulated warehouse', () => {
  it.each([
    [
      'orders that move',
      (connection: Database) => ordersIn(connection, ['created', 'plannable'], 200),
      /^SEARCH orders USING (COVERING )?INDEX orders_by_due \(status=\?\)$/,
    ],
    [
      'orders that wait',
      (connection: Database) => waitingOrders(connection, ['backorder', 'invalid'], 'a', 200),
      /^SEARCH orders USING COVERING INDEX orders_waiting \(status=\? AND id>\?\)$/,
    ],
    [
      'inbounds',
      (connection: Database) => inboundsIn(connection, ['announced', 'transfer'], 200),
      /^SEARCH inbounds USING COVERING INDEX inbounds_by_due \(status=\?\)$/,
    ],
    [
      'transfers',
      (connection: Database) => transfersIn(connection, ['requested', 'processing'], 200),
      /^SEARCH transfers USING INDEX transfers_by_due \(status=\?\)$/,
    ],
    [
      'modifications',
      (connection: Database) => undecidedModifications(connection, 200),
      /^SEARCH modifications USING INDEX modifications_by_due \(status=\?\)$/,
    ],
    [
      'shipments without tracking data',
      (connection: Database) => untrackedShipments(connection, 200),
      /^SCAN shipments USING INDEX shipments_untracked$/,
    ],
    [
      'lots to put away',
      (connection: Database) => lotsAt(connection, 'l', 200),
      /^SEARCH batches USING INDEX batches_to_put_away \(location_id=\?\)$/,
    ],
    [
      'the shipment of a return',
      (connection: Database) => shipmentNamed(connection, 'c', 'r'),
      /^SEARCH shipments USING INDEX \w+ \((customer_id=\? AND )?reference=\?\)$/,
    ],
  ])('reads %s along an index, without sorting those that are due', async (_, read, found) => {
    const all = await plans(read)
    expect(all.length).toBeGreaterThan(0)
    for (const steps of all) expect(steps).toMatch(found)
  })

  it.each([
    ['pieces', (connection: Database) => piecesOutsideQuarantine(connection, ['v', 'w'], 'd'), 'batches'],
    [
      'reservations',
      (connection: Database) => piecesPromised(connection, ['v'], ['created'], 'o'),
      'reservations',
    ],
  ])('adds the %s of the given variants only', async (_, read, table) => {
    const steps = await plan(read)
    expect(steps).toMatch(new RegExp(`SEARCH ${table} USING INDEX \\w+ \\(variant_id=\\?\\)`))
    expect(steps).not.toMatch(/SCAN/)
  })
})

describe('the search for a shipment to return', () => {
  it('continues along an index', async () => {
    const first = await plan((connection) => olderShipments(connection, null, 200))
    expect(first).toMatch(/^SCAN shipments USING (COVERING )?INDEX shipments_by_age$/)
    const place = { created_at: 'a', reference: 'r' }
    const later = await plan((connection) => olderShipments(connection, place, 200))
    expect(later).toMatch(
      /^SEARCH shipments USING (COVERING )?INDEX shipments_by_age \(\(created_at,reference\)<\(\?,\?\)\)$/,
    )
  })

  it('reads the returns with the reference of a shipment', async () => {
    const steps = await plan((connection) => returnableShipments(connection, ['s', 't']))
    expect(steps).toMatch(/^SEARCH shipments USING INDEX \w+ \(id=\?\)/)
    expect(steps).toMatch(/inbounds_returns \(customer_id=\? AND external_reference=\?\)/)
    expect(steps).toMatch(/shipment_lines .*\(shipment_id=\?\)/)
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe('the derived reference of a label', () => {
  it('is found without reading the other labels of the customer', async () => {
    const steps = await plan((connection) => takenLabelReferences(connection, 'c', ['x', 'x-2']))
    expect(steps).toMatch(
      /^SEARCH \w+ USING (COVERING )?INDEX \w+_living_reference \(customer_id=\? AND external_reference=\?\)$/,
    )
  })
})

describe('the move of orders with an invalid address', () => {
  it('reads the order that was created', async () => {
    const steps = await plan((connection) => moveInvalidAddresses(connection, { id: 'o' }, 'now'))
    expect(steps).toMatch(/^SEARCH orders USING INDEX \w+ \(id=\?\)$/)
  })

  it('reads no valid order at the start', async () => {
    const steps = await plan((connection) => moveInvalidAddresses(connection, 'all', 'now'))
    expect(steps).toMatch(/^SEARCH orders USING (COVERING )?INDEX orders_invalid \(status=\?\)$/)
  })
})

describe('the list of the deliveries of a webhook', () => {
  it.each([
    [null, {}, /\(webhook_id=\?\)$/],
    ['given_up', {}, /\(webhook_id=\? AND state=\?\)$/],
    ['given_up', { from: 'a', to: 'b' }, /state=\? AND created_at>\? AND created_at<\?\)$/],
  ] as const)('counts and reads no other deliveries: %s %j', async (state, range, found) => {
    const counted = await plan((connection) =>
      countDeliveries(connection, 'w', state, { from: null, to: null, ...range }),
    )
    expect(counted).toMatch(/^SEARCH deliveries USING COVERING INDEX/)
    expect(counted).toMatch(found)
    for (const direction of directions) {
      const listed = await plan((connection) =>
        listDeliveries(connection, 'w', state, page('created_at', { direction, ...range })),
      )
      expect(listed).toMatch(/^SEARCH deliveries USING COVERING INDEX/)
      expect(listed).toMatch(found)
      expect(listed).not.toContain('B-TREE')
    }
  })
})

describe('the logins above the limit of a user', () => {
  it('are found along an index', async () => {
    const steps = await plan((connection) => endOldestLogins(connection, 'u', 199))
    expect(steps).toContain('SEARCH logins USING COVERING INDEX logins_by_user (user_id=?)')
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe('a redaction', () => {
  it('is found among those that wait without reading the others', async () => {
    for (const failed of [[], ['x']])
      expect(await plan((connection) => nextRedaction(connection, 'c', failed))).toBe(
        'SEARCH redactions USING INDEX redactions_by_created_at (customer_id=?)',
      )
    const redaction = { customer_id: 'c', email: 'x' }
    const counted = await plan((connection) => countOtherRedactions(connection, redaction))
    expect(counted).toMatch(/^SEARCH redactions USING COVERING INDEX \w+ \(customer_id=\?\)$/)
  })

  it.each([
    ['shipments', /shipments_by_reference \(customer_id=\? AND reference>\?\)/],
    ['return_labels', /return_labels_by_serial \(customer_id=\? AND serial>\?\)/],
  ] as const)('reads no more %s than those that were created since it began', async (table, found) => {
    expect(await plan((connection) => recordsBehind(connection, table, 'c', 1, 200))).toMatch(found)
    const newest = await plan((connection) => newestPlace(connection, table, 'c'))
    expect(newest).toMatch(/\(customer_id=\?\)/)
    expect(newest).not.toContain('B-TREE')
  })
})

describe('an export', () => {
  const tables = [
    ...(['exports', 'inbounds', 'modifications', 'orders', 'shipments'] as const),
    ...(['transfers', 'variants'] as const),
  ]
  it.each(tables)('reads the keys of %s along an index, and no others', async (table) => {
    for (const to of [null, 'b']) {
      const scope = { customerId: 'c', from: null, to, search: 'x' }
      const after = { created_at: 'a', id: 'i' }
      const steps = await plan((connection) => keysAfter(connection, scope, table, after))
      walksAnIndex(steps)
      expect(steps).toMatch(/_by_created_at \(customer_id=\? AND \(created_at,id\)>\(\?,\?\)/)
    }
  })

  it('reads the lots of locations along an index, and no others', async () => {
    const steps = await plan((connection) => lotsAfter(connection, 'c', { location_id: 'l', id: 'i' }))
    expect(steps).toMatch(
      /^SEARCH batches USING INDEX \w+ \(customer_id=\? AND \(location_id,id\)>\(\?,\?\)\)/,
    )
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe('the query for deliveries to send', () => {
  it.each([
    ['new', (connection: Database) => webhooksToTell(connection, 7), /PRIMARY KEY \(rowid>\?\)/],
    [
      'never tried by a webhook',
      (connection: Database) => walkUntried(connection, 'w', 7, 256),
      /next_at=\? AND (webhook_id=\? AND )?(rowid|id)>\?/,
    ],
    [
      'due',
      (connection: Database) => webhooksDue(connection, 'a', 'b'),
      /deliveries_due \(next_at>\? AND next_at<\?\)/,
    ],
    [
      'due of a webhook',
      (connection: Database) => walkDue(connection, 'w', { nextAt: 'a', id: 7 }, 'b', 256),
      /deliveries_waiting \(webhook_id=\? AND next_at>\? AND next_at<\?\)/,
    ],
    [
      'next of a resource',
      (connection: Database) => nextOfEntity(connection, 'w', 'e', 'b'),
      /deliveries_of_entity \(webhook_id=\? AND entity_id=\?\)/,
    ],
    [
      'still to be sent again',
      (connection: Database) => isReplayPending(connection, 'w', 'a'),
      /\(next_at=\? AND webhook_id=\?\)/,
    ],
  ])('reads only the deliveries that are %s', async (_, read, found) => {
    const steps = await plan(read)
    expect(steps).toMatch(found)
    expect(steps).not.toMatch(/^SCAN/m)
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
