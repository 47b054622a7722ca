import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connection, Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { newestLabelOfShipment } from '#middleware/data/shipments/return-labels.ts'
import { listDirections, listOf, listPage, listRanges, lists } from '#support/list-reads.ts'
import { planOf, plansOf, walksAnIndex } from '#support/query-plans.ts'

let database: Database
beforeAll(() => {
  database = openSqliteDatabase(':memory:')
})
afterAll(() => database.destroy())

const plan = (read: (connection: Connection) => Promise<unknown>): Promise<string> => planOf(database, read)

describe.each(lists)('the list of $name', ({ sorts, filters, read }) => {
  it.each(sorts.flatMap((sort) => listDirections.map((direction) => ({ sort, direction }))))(
    'is read along an index when it is ordered by $sort $direction',
    async ({ sort, direction }) => {
      walksAnIndex(await plan((connection) => read(connection, {}, listPage(sort, { direction }))))
    },
  )

  const each = sorts.flatMap((sort) => filters.map((filter) => ({ sort, filter })))
  it.each(each)(
    'finds the ids of its page in an index, and then reads only these rows: $sort $filter',
    async ({ sort, filter }) => {
      for (const range of listRanges)
        for (const direction of listDirections) {
          const asked = listPage(sort, { direction, ...range })
          const [ids, rows] = await plansOf(database, (connection) => read(connection, filter, asked), [
            { id: 'x' },
          ])
          // this query selects only ids, so a sort of its rows needs no column outside the index
          expect(ids?.sql).toMatch(/^select id as "id" from /)
          expect(ids?.steps).toMatch(/^SEARCH \w+ USING COVERING INDEX \w+ \(customer_id=\?/)
          expect(ids?.steps).not.toContain('SCAN')
          expect(rows?.sql).toMatch(/ where id in \(\?\)$/)
          expect(rows?.steps).toMatch(/^SEARCH \w+ USING INDEX \w+ \(id=\?\)$/)
        }
    },
  )
})

describe.each(lists)('a page of $name behind many pages', ({ sorts, filters, read }) => {
  it.each(sorts)(
    'is read along an index from the remembered position where an earlier read ended: %s',
    async (sort) => {
      for (const filter of filters)
        for (const range of listRanges)
          for (const direction of listDirections) {
            const asked = listPage(sort, { direction, ...range, offset: 25_000 })
            const place = [{ id: 'x', value: 'y', state: 's' }]
            // the server searches and remembers the positions in a list only at the second read of the list
            const twice = async (connection: Connection): Promise<void> => {
              await read(connection, filter, asked)
              await read(connection, filter, asked)
            }
            const all = await plansOf(database, twice, place)
            const pages = all.filter(({ sql }) => sql.includes(' limit '))
            expect(pages).toHaveLength(4)
            for (const { steps } of pages) {
              expect(steps).toMatch(/^SEARCH \w+ USING COVERING INDEX \w+ \(customer_id=\?/)
              expect(steps).not.toContain('SCAN')
            }
            const behind = pages.slice(2)
            const walked = /^SEARCH .* AND (\(\w+,id\)[<>]\(\?,\?\)|(id|\w+)[<>]\?)/
            if (filter === filters[0]) for (const { steps } of behind) expect(steps).toMatch(walked)
          }
    },
  )
})

describe.each(lists.filter(({ narrow }) => narrow.length > 0))(
  'the list of $name with a narrow filter',
  ({ sorts, narrow, read }) => {
    it('reads no rows of other customers', async () => {
      for (const filter of narrow)
        for (const sort of sorts)
          for (const range of listRanges)
            for (const direction of listDirections) {
              const asked = listPage(sort, { ...range, direction })
              expect(await plan((connection) => read(connection, filter, asked))).toMatch(
                /^SEARCH \w+ USING (COVERING )?INDEX \w+ \((customer_id|reference|id|variant_id)=\?/,
              )
            }
    })
  },
)

describe('the query of a filtered list', () => {
  it.each([
    [{ ean: 'x' }, /SEARCH variants USING INDEX variants_by_ean \(customer_id=\? AND ean=\?\)/],
    [{ sku: 'x' }, /SEARCH variants USING INDEX variants_by_sku \(customer_id=\? AND sku=\?\)/],
    [
      { articleCode: 'x' },
      /SEARCH variants USING (COVERING )?INDEX \w+ \(customer_id=\? AND article_code=\?\)/,
    ],
  ])('begins with the variants that have %j', async (asked, found) => {
    const byId = /^SEARCH variants USING (COVERING )?INDEX \w+ \(id=\?\)$/
    const withPieces = { ...asked, positiveOnly: true }
    const expected = [
      { list: 'articles', filters: [asked], last: /^SEARCH articles USING INDEX \w+ \(id=\?\)/ },
      {
        list: 'batches',
        filters: [withPieces],
        last: /^SEARCH batches USING (COVERING )?INDEX \w+ \(variant_id=\?\)/,
      },
      {
        list: 'stock',
        filters: [asked, { ...asked, search: 's' }, { ...asked, changedFrom: 'd' }],
        last: /^SEARCH variants USING (COVERING )?INDEX \w+ \(id=\?\)/,
      },
    ]
    for (const { list, filters, last } of expected)
      for (const sort of listOf(list).sorts)
        for (const filter of filters) {
          const read = (connection: Connection) => listOf(list).read(connection, filter, listPage(sort))
          const [first, variants, page] = await plansOf(database, read, [{ id: 'x', article_id: 'x' }])
          expect(first?.steps).toMatch(found)
          expect(variants?.steps).toMatch(byId)
          expect(page?.steps).toMatch(last)
        }
  })

  it.each([
    [{ reference: 'x' }, /INDEX \w+ \(reference=\?\)/],
    [{ externalReference: 'x' }, /INDEX \w+ \(customer_id=\? AND external_reference=\?\)/],
    [{ externalId: 'x' }, /INDEX \w+ \(customer_id=\? AND external_id=\?\)/],
    [{ status: 'created' }, /INDEX orders_by_status_and_time \(customer_id=\? AND status=\?\)$/],
  ])('finds orders by %j without reading other orders', async (filter, found) => {
    const orders = await plan((connection) =>
      listOf('orders').read(connection, filter, listPage('created_at')),
    )
    expect(orders).toMatch(found)
  })

  it('uses an index and no sort for modifications filtered by status and ordered by reference', async () => {
    const filter = { status: 'created' }
    walksAnIndex(
      await plan((connection) => listOf('modifications').read(connection, filter, listPage('reference'))),
    )
  })

  it('finds the newest label of a shipment without reading other labels', async () => {
    const steps = await plan((connection) => newestLabelOfShipment(connection, 'c', 's'))
    expect(steps).toBe('SEARCH return_labels USING INDEX return_labels_by_shipment (shipment_id=?)')
  })
})

describe('walksAnIndex()', () => {
  it('fails for a query that sorts rows without an index', async () => {
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
