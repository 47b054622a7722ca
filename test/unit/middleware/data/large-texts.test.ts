import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import type { Page } from '#middleware/data/engine/listing.ts'
import type { ExportScope, Read } from '#middleware/data/exports/define-export.ts'
import { inboundsToExport } from '#middleware/data/exports/inbounds.ts'
import { ordersToExport } from '#middleware/data/exports/orders.ts'
import { findInbounds, linesOfInbounds, listInbounds } from '#middleware/data/moves/inbounds.ts'
import { listModifications } from '#middleware/data/moves/modifications.ts'
import { listTransfers } from '#middleware/data/moves/transfers.ts'
import { listOrders } from '#middleware/data/orders/orders.ts'
import { findPersons, walkPersons } from '#middleware/data/redactions.ts'
import { listShipments } from '#middleware/data/shipments/shipments.ts'
import { variantsBearing } from '#middleware/data/goods/variants.ts'
import { tables } from '#middleware/data/schema/schema.ts'
import type { ColumnFacts } from '#middleware/data/schema/table.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

/**
 * Length of the texts in characters. A page of a thousand such texts would not fit into memory, and lists do not show
 * these texts.
 */
const large = 2_000_000
const email = 'kim@example.org'

let database: Database
let inboundIds: string[]
let orderIds: string[]
beforeAll(async () => {
  database = openSqliteDatabase(':memory:')
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
const scope: ExportScope = {
  customerId: smallIds.alder,
  from: null,
  to: null,
  search: null,
  moment: null,
}
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

describe('a query on records with texts of megabytes', () => {
  it.each(Object.entries(readings))('does not read these texts for %s', async (_, read) => {
    const rows = await read()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows).length / rows.length).toBeLessThan(50_000)
  })
})

describe('variantsBearing()', () => {
  it('returns at most two variants for a code that many variants have', async () => {
    const bearing = (values: readonly string[]) => variantsBearing(database, smallIds.alder, 'ean', values)
    expect(await bearing(['SAME'])).toHaveLength(2)
    expect(await bearing(['OTHER', 'SAME', `o'"`])).toHaveLength(2)
    expect(await bearing([])).toEqual([])
  })
})

/** Names of text columns that may have thousands of characters. Columns of `json` and `bytes` are not listed. */
const longTexts = new Set([
  ...[
    'cancel_note',
    'comments',
    'content',
    'customer_note',
    'description',
    'external_id',
    'external_reference',
  ],
  ...['name', 'note', 'order_external_reference', 'po_number', 'shipping_email', 'title', 'url'],
])

function isLong(name: string, { type, isPrimaryKey }: ColumnFacts): boolean {
  return type === 'json' || type === 'bytes' || (longTexts.has(name) && !isPrimaryKey)
}

function isShort(name: string, { type, references }: ColumnFacts): boolean {
  return (
    references !== undefined ||
    ['status', 'state', 'reference'].includes(name) ||
    ['date', 'flag', 'instant', 'integer', 'real', 'sequence'].includes(type)
  )
}

describe('a table of the middleware', () => {
  it.each(Object.entries(tables))(
    'has its columns with long values last, because SQLite must read through them to reach a column after them: %s',
    (_, { columns }) => {
      const stored = Object.entries<{ readonly facts: ColumnFacts }>(columns).filter(
        ([, { facts }]) => facts.computedFrom === undefined,
      )
      const first = stored.findIndex(([name, { facts }]) => isLong(name, facts))
      const behind = first === -1 ? [] : stored.slice(first)
      expect(behind.flatMap(([name, { facts }]) => (isShort(name, facts) ? [name] : []))).toEqual([])
    },
  )
})

const longNote = 'n'.repeat(20_000)
const longPairs = JSON.stringify(
  Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at, 'm'.repeat(2_000)])),
)

/** The values that differ in the copies of a record: long texts, and values that must be unique. */
const longRecords: Readonly<Record<string, (copy: number) => Readonly<Record<string, unknown>>>> = {
  orders: (copy) => ({
    ...{ reference: `L-${copy}`, external_reference: `L-${copy}`, external_id: null },
    ...{ note: longNote, customer_note: longNote, meta_data: longPairs },
  }),
  inbounds: (copy) => ({ reference: `L-${copy}`, note: longNote, meta_data: longPairs }),
  modifications: (copy) => ({ reference: `L-${copy}`, note: longNote }),
  shipments: (copy) => ({ reference: `L-${copy}`, shipping_address: longPairs }),
  transfers: (copy) => ({
    ...{ customer_id: smallIds.alder, to_customer_id: smallIds.birch, external_reference: `L-${copy}` },
    ...{ serial: 1000 + copy, status: 'cancelled', cancel_note: longNote, modified_at: '2026' },
  }),
}

/** Adds 300 copies of a record with long texts, at different times. */
async function addLongRecords(target: Database, table: string): Promise<void> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}
    where customer_id = ${smallIds.alder} limit 1`.execute(target)
  await target.transaction().execute(async (transaction) => {
    for (let copy = 0; copy < 300; copy++) {
      const created_at = new Date(Date.UTC(2026, 0, 1) + copy * 3600_000).toISOString()
      const row = { ...rows[0], id: `${table}-${copy}`, created_at, ...longRecords[table]?.(copy) }
      await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
        values (${sql.join(Object.values(row))})`.execute(transaction)
    }
  })
}

/**
 * Overwrites the pages of the database that contain the ends of long texts. A statement that reads such a text then
 * fails.
 */
function breakLongTexts(databaseFile: string, pages: readonly number[], pageSize: number): void {
  const file = openSync(databaseFile, 'r+')
  for (const page of pages) writeSync(file, new Uint8Array(pageSize), 0, pageSize, (page - 1) * pageSize)
  closeSync(file)
}

describe('a list of 300 records with long texts', () => {
  let folder: string
  let long: Database
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'scandesk-long-'))
    const databaseFile = join(folder, 'middleware.db')
    const filled = openSqliteDatabase(databaseFile)
    const world = makeSmallWorld()
    await seedWorld(filled, world, new Map(world.users.map(({ id }) => [id, 'no hash'])))
    for (const table of Object.keys(longRecords)) await addLongRecords(filled, table)
    const { rows: pages } = await sql<{ pageno: number }>`select pageno from dbstat
      where pagetype = 'overflow' and name in (${sql.join(Object.keys(longRecords))})`.execute(filled)
    const { rows: sizes } = await sql<{ page_size: number }>`pragma page_size`.execute(filled)
    await filled.destroy()
    const pageSize = sizes[0]?.page_size ?? 0
    breakLongTexts(
      databaseFile,
      pages.map(({ pageno }) => pageno),
      pageSize,
    )
    long = openSqliteDatabase(databaseFile)
  }, 60_000)
  afterAll(async () => {
    await long.destroy()
    rmSync(folder, { recursive: true })
  })

  const alder = smallIds.alder
  const orderSorts = ['created_at', 'modified_at', 'status', 'requested_delivery_date']
  const inboundSorts = ['created_at', 'modified_at', 'status', 'inbound_date']
  const lists: readonly [string, readonly string[], (asked: Page) => Promise<unknown[]>][] = [
    ['orders', orderSorts, (asked) => listOrders(long, alder, anyOrder, asked)],
    [
      'orders of one status',
      orderSorts,
      (asked) => listOrders(long, alder, { ...anyOrder, status: 'created' }, asked),
    ],
    [
      'orders by all filters',
      orderSorts,
      (asked) => {
        const filters = { status: 'created', businessToBusiness: false, deliverFrom: '2020-01-01' } as const
        return listOrders(long, alder, { ...anyOrder, ...filters }, asked)
      },
    ],
    ['inbounds', inboundSorts, (asked) => listInbounds(long, alder, anyInbound, asked)],
    [
      'inbounds by all filters',
      inboundSorts,
      (asked) => listInbounds(long, alder, { ...anyInbound, status: 'announced', type: 'announced' }, asked),
    ],
    ['modifications', ['created_at', 'reference'], (asked) => listModifications(long, alder, null, asked)],
    ['shipments', ['created_at', 'reference'], (asked) => listShipments(long, alder, null, asked)],
    [
      'shipments of an order',
      ['created_at', 'reference'],
      (asked) => listShipments(long, alder, ['WEB-1'], asked),
    ],
    ['transfers', ['created_at', 'serial'], (asked) => listTransfers(long, alder, asked)],
  ]

  it.each(lists)('does not read the long texts of records on earlier pages: %s', async (_, sorts, list) => {
    const before = { limit: 1, offset: 100_000 }
    for (const sort of sorts)
      for (const direction of ['asc', 'desc'] as const)
        for (const range of [{}, { from: '2020' }, { to: '2030' }, { from: '2020', to: '2030' }])
          expect(await list({ ...page, ...before, sort, direction, ...range })).toEqual([])
  })

  it.each(Object.keys(longRecords))(
    'cannot be read with all columns, because the pages of the database file that contain the ends of the long texts are overwritten: %s',
    async (table) => {
      const all = sql`select * from ${sql.table(table)}`.execute(long)
      await expect(all).rejects.toThrow('malformed')
    },
  )
})
