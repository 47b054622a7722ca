import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import type { Cell, ExportScope, Read } from '#middleware/data/exports/define-export.ts'
import { locationValues } from '#middleware/data/exports/stock.ts'
import { openLot, postPieces, presentMoment } from '#middleware/data/goods/ledger.ts'

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

const everything: ExportScope = { customerId: 'c', from: null, to: null, search: null, moment: null }

/** `meanwhile` runs before each read. */
async function linesOf(
  scope: Partial<ExportScope>,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<{ lines: (readonly Cell[])[]; reads: number }> {
  let reads = 0
  const read: Read = async (work) => {
    await meanwhile()
    reads += 1
    return work(database)
  }
  const lines: (readonly Cell[])[] = []
  const moment = await presentMoment(database)
  const columns = ['location', 'variants', 'pieces', 'value']
  for await (const some of locationValues.lines(read, { ...everything, moment, ...scope }, columns))
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

it('an export of locations contains each piece once, although pieces move between two of its reads', async () => {
  const posting = { kind: 'move', causeId: null, now: '2026-06-01T12:00:00.000Z' } as const
  const lot = { customer_id: 'c', variant_id: 'v0', expiration_date: null, inbound_id: null, created_at: '' }
  const whole = (await linesOf({})).lines
  let moves = 0
  const { lines } = await linesOf({}, async () => {
    moves += 1
    // pieces move between A, which is read first, and C, which is read last, and from C to a new lot at D
    const pieces = moves % 2 === 1 ? 2 : -2
    await postPieces(database, { id: '00000', variant_id: 'v0' }, -pieces, posting)
    await postPieces(database, { id: '02501', variant_id: 'v1' }, pieces, posting)
    if (moves > 1) return
    await postPieces(database, { id: '02501', variant_id: 'v1' }, -1, posting)
    await openLot(database, { ...lot, id: 'new', location_id: 'D', quantity: 1 }, posting)
  })
  expect(moves).toBeGreaterThanOrEqual(3)
  expect(lines).toEqual(whole)
  // the next file contains the changes of the stock that were made during the previous export
  expect((await linesOf({})).lines.at(-1)).toEqual(['D', 1, 1, 0.5])
})
