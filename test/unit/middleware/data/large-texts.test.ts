import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#middleware/data/engine/database.ts'
import type { Page } from '#middleware/data/engine/listing.ts'
import type { ExportScope, Read } from '#middleware/data/exports/define-export.ts'
import { inboundsToExport } from '#middleware/data/exports/inbounds.ts'
import { ordersToExport } from '#middleware/data/exports/orders.ts'
import { findInbounds, linesOfInbounds, listInbounds } from '#middleware/data/moves/inbounds.ts'
import { listOrders } from '#middleware/data/orders/orders.ts'
import { findPersons, walkPersons } from '#middleware/data/redactions.ts'
import { variantsBearing } from '#middleware/data/goods/variants.ts'
import { tables } from '#middleware/data/schema/schema.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

/** In characters; a page of a thousand such texts would not fit into memory, and no list needs them. */
const large = 2_000_000
const email = 'kim@example.org'

let database: Database
let inboundIds: string[]
let orderIds: string[]
beforeAll(async () => {
  database = openDatabase(':memory:')
  const world = makeSmallWorld()
  await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'no hash'])))
  const pairs = JSON.stringify({ key: 'x'.repeat(large) })
  await database.updateTable('orders').set({ meta_data: pairs, shipping_email: email }).execute()
  await database.updateTable('inbounds').set({ meta_data: pairs }).execute()
  await database
    .updateTable('inbound_lines')
    .set({ meta_data: pairs, serial_numbers: JSON.stringify(['s'.repeat(large)]) })
    .execute()
  await database
    .updateTable('variants')
    .set({ description: 'd'.repeat(large), ean: 'SAME' })
    .execute()
  const inbounds = await database.selectFrom('inbounds').select('id').execute()
  inboundIds = inbounds.map(({ id }) => id)
  const orders = await database.selectFrom('orders').select('id').execute()
  orderIds = orders.map(({ id }) => id)
})
afterAll(() => database.destroy())

const page: Page = { from: null, to: null, sort: 'created_at', direction: 'asc', limit: 1000, offset: 0 }
const scope: ExportScope = { customerId: smallIds.alder, from: null, to: null, search: null }
const read: Read = (work) => work(database)
async function all<Row>(rows: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const found: Row[] = []
  for await (const some of rows) found.push(...some)
  return found
}
const anyOrder = {
  ...{ reference: null, externalReference: null, externalId: null },
  ...{ status: null, businessToBusiness: null, deliverFrom: null },
}
const anyInbound = { reference: null, status: null, type: null }

const readings: Record<string, () => Promise<readonly unknown[]>> = {
  'a list of orders': () => listOrders(database, smallIds.alder, anyOrder, page),
  'a list of inbounds': () => listInbounds(database, smallIds.alder, anyInbound, page),
  'the inbounds of a list of batches': async () => [...(await findInbounds(database, inboundIds)).values()],
  'the inbound lines of a list of batches': () => linesOfInbounds(database, inboundIds),
  'an export of orders': () => all(ordersToExport(read, scope)),
  'an export of inbounds': () => all(inboundsToExport(read, scope)),
  'the variants of one code': () => variantsBearing(database, smallIds.alder, 'ean', ['SAME']),
  'the orders that may name a person': () =>
    walkPersons(database, 'orders', smallIds.alder, { created_at: '', id: '' }, 1000),
  'the orders that name a person': () => findPersons(database, 'orders', orderIds),
}

describe('a query on texts of megabytes', () => {
  it.each(Object.entries(readings))('leaves the texts in the database in %s', async (_, read) => {
    const rows = await read()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows).length / rows.length).toBeLessThan(50_000)
  })
})

describe('variantsBearing()', () => {
  it('returns at most two variants of the same code, and looks each code up', async () => {
    const bearing = (values: readonly string[]) => variantsBearing(database, smallIds.alder, 'ean', values)
    expect(await bearing(['SAME'])).toHaveLength(2)
    expect(await bearing(['OTHER', 'SAME', `o'"`])).toHaveLength(2)
    expect(await bearing([])).toEqual([])
  })
})

describe('the table of variants', () => {
  it('has its long text in the last column, because SQLite reads it to reach a column behind it', () => {
    expect(Object.keys(tables.variants.columns).at(-1)).toBe('description')
  })
})
