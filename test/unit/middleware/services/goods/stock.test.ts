import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StockFilters } from '#middleware/data/goods/stock.ts'
import { listArticles } from '#middleware/services/goods/articles.ts'
import { listBatches, listStock } from '#middleware/services/goods/stock.ts'
import { watchStatements } from '#support/test-database.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

const none: StockFilters = { articleCode: null, ean: null, sku: null, search: null, changedFrom: null }
const count = 1_700

let bench: WarehouseBench
beforeAll(async () => {
  bench = await startWarehouseBench()
  // all variants have one of only three names, so the last variant of each portion that the service reads has the same
  // name as many other variants
  await bench.rows(`insert into variants (id, article_id, customer_id, created_at, modified_at, stock_modified_at,
      expirable, using_serial_numbers, article_code, name)
    with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ${count})
    select printf('v-%05d', numbers.value * 7919 % ${count}), article_id, customer_id,
      printf('2026-01-%02dT00:00:00.000Z', 1 + numbers.value % 28), modified_at,
      printf('2026-02-%02dT00:00:00.000Z', 1 + numbers.value % 27), 0, 0, 'code-' || numbers.value, 'Name ' || (numbers.value % 3)
    from (select * from variants where customer_id = '${bench.alder.id}' limit 1), numbers`)
})
afterAll(() => bench.close())

/** Returns the ids of the variants on all pages of the list. */
async function idsOf(
  filters: StockFilters,
  query: Omit<Parameters<typeof listStock>[2]['query'], 'page' | 'limit'>,
): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const call = { filters, query: { ...query, page, limit: 400 } }
    const records = await listStock(bench.context, bench.alder, call)
    ids.push(...records.map(({ variant }) => variant.id))
    if (records.length < 400) return ids
  }
}

describe('the list of stock with a filter over many variants', () => {
  const sorts = ['id', 'createdAt', 'modifiedAt', 'name', 'articleCode'] as const
  const cases = sorts.flatMap((sort) => (['asc', 'desc'] as const).map((direction) => ({ sort, direction })))

  it.each(cases)('contains each matching variant once, ordered by $sort $direction', async (query) => {
    const all = await idsOf(none, query)
    expect(all.length).toBeGreaterThan(count)
    // all article codes contain this text
    expect(await idsOf({ ...none, search: '-' }, query)).toEqual(all)
    // more variants have this code than one statement sorts
    await bench.rows(`update variants set ean = 'SAME' where id like 'v-%'`)
    const same = { ...none, ean: 'SAME' }
    expect(await idsOf(same, query)).toEqual(all.filter((id) => id.startsWith('v-')))
    await bench.rows(`update variants set ean = null where id like 'v-%' and name <> 'Name 1'`)
    const one = await bench.rows(`select id from variants where name = 'Name 1'`)
    const oneIds = new Set(one.map(({ id }) => id))
    expect(await idsOf(same, query)).toEqual(all.filter((id) => oneIds.has(id)))
    const changed = await bench.rows(`select id from variants where stock_modified_at >= '2026-02-20'`)
    const changedIds = new Set(changed.map(({ id }) => id))
    const changedFrom = '2026-02-20T00:00:00.000Z'
    expect(await idsOf({ ...none, changedFrom }, query)).toEqual(all.filter((id) => changedIds.has(id)))
    const found = await idsOf(
      { ...none, changedFrom, search: 'NAME 2' },
      { ...query, from: '2026-01-10', to: '2026-01-20' },
    )
    const rows =
      await bench.rows(`select id from variants where name = 'Name 2' and stock_modified_at >= '2026-02-20'
      and created_at between '2026-01-10' and '2026-01-21'`)
    const expected = new Set(rows.map(({ id }) => id))
    expect(expected.size).toBeGreaterThan(10)
    expect(found).toEqual(all.filter((id) => expected.has(id)))
  })
})

describe('the lists of articles and lots for a code that many variants have', () => {
  const few = 1_600
  const same = { articleCode: null, ean: 'MANY', sku: null }

  beforeAll(async () => {
    const numbers = `with recursive numbers(value) as
      (select 1 union all select value + 1 from numbers where value < ${few})`
    const time = `printf('2026-03-%02dT00:00:00.000Z', 1 + numbers.value % 28)`
    // the variants of every third article have no EAN, and every fifth article has a second variant
    await bench.rows(`insert into articles (id, customer_id, created_at, modified_at, name)
      ${numbers} select printf('a-%05d', value * 7919 % ${few}), '${bench.alder.id}', ${time}, ${time},
        'Name ' || (value % 3) from numbers`)
    for (const [name, part] of [
      ['first', 'true'],
      ['second', 'value % 5 = 0'],
    ] as const) {
      await bench.rows(`insert into variants (id, article_id, customer_id, created_at, modified_at,
          stock_modified_at, expirable, using_serial_numbers, article_code, ean, name)
        ${numbers} select printf('${name}-%05d', value), printf('a-%05d', value), '${bench.alder.id}',
          ${time}, ${time}, ${time}, 0, 0, printf('${name}-%05d', value),
          case when value % 3 = 0 then null else 'MANY' end, 'x'
        from numbers where ${part} and value < ${few}`)
      await bench.rows(`insert into batches (id, customer_id, variant_id, location_id, quantity, created_at)
        ${numbers} select printf('${name}-%05d', value * 7919 % ${few}), '${bench.alder.id}',
          printf('${name}-%05d', value), (select min(id) from locations), value % 2, ${time}
        from numbers where ${part} and value < ${few}`)
    }
  })

  /** Reads all pages of a list. Returns the ids. */
  async function pagesOf(
    read: (page: { page: number; limit: number }) => Promise<string[]>,
  ): Promise<string[]> {
    const ids: string[] = []
    for (let page = 1; ; page++) {
      const found = await read({ page, limit: 400 })
      ids.push(...found)
      if (found.length < 400) return ids
    }
  }

  it.each(['createdAt', 'name'] as const)('contain each article once, ordered by %s', async (sort) => {
    for (const direction of ['asc', 'desc'] as const) {
      const ids = await pagesOf(async (page) => {
        const query = { ...page, sort, direction }
        const records = await listArticles(bench.context, bench.alder, { identifiers: same, query })
        return records.map(({ article }) => article.id)
      })
      const column = sort === 'name' ? 'name' : 'created_at'
      const expected = await bench.rows(`select id from articles where deleted_at is null and id in
        (select article_id from variants where ean = 'MANY') order by ${column} ${direction}, id ${direction}`)
      expect(expected.length).toBeGreaterThan(700)
      expect(ids).toEqual(expected.map(({ id }) => id))
    }
  })

  it.each(['createdAt', 'id'] as const)('contain each lot once, ordered by %s', async (sort) => {
    for (const direction of ['asc', 'desc'] as const)
      for (const positiveOnly of [false, true]) {
        const ids = await pagesOf(async (page) => {
          const query = { ...page, sort, direction }
          const filters = { ...same, positiveOnly }
          const records = await listBatches(bench.context, bench.alder, { filters, query })
          return records.map(({ batch }) => batch.id)
        })
        const column = sort === 'id' ? 'id' : 'created_at'
        const expected = await bench.rows(`select id from batches where quantity >= ${positiveOnly ? 1 : 0}
          and variant_id in (select id from variants where ean = 'MANY')
          order by ${column} ${direction}, id ${direction}`)
        expect(expected.length).toBeGreaterThan(300)
        expect(ids).toEqual(expected.map(({ id }) => id))
      }
  })

  it('contain only rows of variants with both codes if two codes are given, and no query searches for both codes', async () => {
    await bench.rows(
      `update variants set sku = 'RARE' where id in ('first-00001', 'first-00002', 'first-00003')`,
    )
    const two = { ...none, ean: 'MANY', sku: 'RARE' }
    const watched = watchStatements()
    const articles = await listArticles(bench.context, bench.alder, { identifiers: two, query: {} })
    const lots = await listBatches(bench.context, bench.alder, {
      filters: { ...two, positiveOnly: false },
      query: {},
    })
    const stock = await listStock(bench.context, bench.alder, { filters: two, query: {} })
    const texts = watched.texts()
    watched.end()
    expect(articles.map(({ article }) => article.id).sort()).toEqual(['a-00001', 'a-00002'])
    expect(lots).toHaveLength(2)
    expect(stock.map(({ variant }) => variant.id).sort()).toEqual(['first-00001', 'first-00002'])
    const byCode = texts.filter((text) => text.includes('"ean" = ') || text.includes('"sku" = '))
    expect(byCode.length).toBeGreaterThan(0)
    expect(byCode.filter((text) => text.includes('"ean" = ') && text.includes('"sku" = '))).toEqual([])
  })
})
