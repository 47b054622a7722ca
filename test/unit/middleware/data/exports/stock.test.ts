import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import type { Cell, ExportScope, Read } from '#middleware/data/exports/define-export.ts'
import { locationValues } from '#middleware/data/exports/stock.ts'

let database: Database
beforeAll(async () => {
  database = openSqliteDatabase(':memory:')
  // stored without foreign keys, because the customers and articles of the goods do not exist
  await sql`pragma foreign_keys = off`.execute(database)
  for (const code of ['A', 'B', 'C', 'D'])
    await database.insertInto('locations').values({ id: code, code, pickable: 1 }).execute()
  await sql`with recursive n(at) as (select 0 union all select at + 1 from n where at < 9)
    insert into variants (id, article_id, customer_id, article_code, name, expirable, using_serial_numbers, value,
      created_at, modified_at, stock_modified_at)
    select 'v' || at, 'a', 'c', at, at, 0, 0, 0.5, '', '', '' from n`.execute(database)
  // location B has 2,500 lots, more than two reads return; A and C have one lot each, and D has only an empty lot
  await sql`with recursive n(at) as (select 0 union all select at + 1 from n where at < 2502)
    insert into batches (id, customer_id, variant_id, location_id, quantity, created_at)
    select printf('%05d', at), 'c', 'v' || (at % 10),
      case at when 0 then 'A' when 2501 then 'C' when 2502 then 'D' else 'B' end, iif(at = 2502, 0, 2), '' from n`.execute(
    database,
  )
})
afterAll(() => database.destroy())

const everything: ExportScope = { customerId: 'c', from: null, to: null, search: null }

async function linesOf(scope: Partial<ExportScope>): Promise<{ lines: (readonly Cell[])[]; reads: number }> {
  let reads = 0
  const read: Read = (work) => {
    reads += 1
    return work(database)
  }
  const lines: (readonly Cell[])[] = []
  const columns = ['location', 'variants', 'pieces', 'value']
  for await (const some of locationValues.lines(read, { ...everything, ...scope }, columns))
    lines.push(...some)
  return { lines, reads }
}

it('an export of locations contains the sums over the lots of each location, read in several steps', async () => {
  const { lines, reads } = await linesOf({})
  expect(lines).toEqual([
    ['A', 1, 2, 1],
    ['B', 10, 5000, 2500],
    ['C', 1, 2, 1],
  ])
  expect(reads).toBeGreaterThanOrEqual(3)
})

it('an export of locations contains only the locations whose code matches the search', async () => {
  expect((await linesOf({ search: 'b' })).lines).toEqual([['B', 10, 5000, 2500]])
  expect((await linesOf({ to: '2026', search: 'x' })).lines).toEqual([])
  expect((await linesOf({ from: '2026' })).lines).toEqual([])
})
