import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StockFilters } from '#middleware/data/goods/stock.ts'
import { listStock } from '#middleware/services/goods/stock.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

const none: StockFilters = { articleCode: null, ean: null, sku: null, search: null, changedFrom: null }
const count = 1_700

let bench: WarehouseBench
beforeAll(async () => {
  bench = await startWarehouseBench()
  // there are few names, so that at the end of a step many variants have the same name
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

describe('the list of stock with a filter that visits all variants', () => {
  const sorts = ['id', 'createdAt', 'modifiedAt', 'name', 'articleCode'] as const
  const cases = sorts.flatMap((sort) => (['asc', 'desc'] as const).map((direction) => ({ sort, direction })))

  it.each(cases)('has each selected variant once, in the order: $sort $direction', async (query) => {
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
