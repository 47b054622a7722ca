import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { MiddlewareOptions } from '#middleware/app.ts'
import { workItem } from '#shared/wire/warehouse.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { makeMovingWorld } from '#support/small-moves.ts'
import { connectWarehouse, type WarehouseClient } from '#support/warehouse-client.ts'
import {
  dropTestDatabase,
  isOnPostgres,
  queryBeside,
  testPlace,
  watchStatements,
} from '#support/test-database.ts'

type Item = z.output<typeof workItem>

let server: TestServer
let warehouse: WarehouseClient
afterEach(() => server.close())

/** Starts a server. Returns the cursor of the last work item of its initial data. */
async function start(options: Partial<MiddlewareOptions> = {}): Promise<number> {
  server = await startTestServer({ world: makeMovingWorld(), ...options })
  const login = { username: 'warehouse', password: 'warehouse-secret-word' }
  warehouse = await connectWarehouse({ url: server.url, wms: 'DEV', ...login })
  const all = await allPages(0)
  return all.flat().at(-1)?.cursor ?? 0
}

async function page(after: number): Promise<Item[]> {
  const reply = await warehouse.read(`/warehouse/work/?after=${after}&limit=200`)
  expect(reply.status).toBe(200)
  return z.array(workItem).parse(reply.body)
}

/**
 * Reads the work list as the software of a warehouse does: each page begins after the cursor of the last item, until a
 * page is empty.
 */
async function allPages(after: number): Promise<Item[][]> {
  const pages: Item[][] = []
  for (let cursor = after; ;) {
    const items = await page(cursor)
    if (items.length === 0) return pages
    pages.push(items)
    cursor = items.at(-1)?.cursor ?? cursor
  }
}

/**
 * Creates an order with the given number of lines, each of 18,000 characters. Each line has a different variant,
 * because equal lines would be merged.
 */
async function makeLargeOrder(lines: number): Promise<string> {
  const variants = Array.from({ length: lines }, () => ({ article_code: randomUUID() }))
  const article = { method: 'POST', body: { name: 'large', variants } }
  expect((await server.call('/wms/articles/', article)).status).toBe(201)
  const body = newOrder({
    external_reference: randomUUID(),
    order_lines: variants.map((variant) => ({ ...variant, quantity: 1, description: 'd'.repeat(18_000) })),
  })
  const reply = await server.call('/wms/orders/', { method: 'POST', body })
  expect(reply.status).toBe(201)
  return z.object({ id: z.string() }).parse(reply.body).id
}

/**
 * Starts a server with a database file of its own, which is removed after the test. Returns the file and the last
 * cursor.
 */
async function startOnFile(): Promise<{ databaseFile: string; last: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-work-'))
  const databaseFile = join(folder, 'middleware.db')
  onTestFinished(async () => {
    await dropTestDatabase(await testPlace(databaseFile))
    rmSync(folder, { recursive: true })
  })
  const last = await start({ databaseFile })
  expect(last).toBeGreaterThan(0)
  return { databaseFile, last }
}

describe('a cursor of the work list', () => {
  it('up to the highest number of a stored row is accepted, also if the database has lost the number that it issued last, as after a logical replication', async () => {
    const { databaseFile, last } = await startOnFile()
    const lose = isOnPostgres
      ? "select setval(pg_get_serial_sequence('warehouse_work', 'sequence'), 1, false)"
      : "delete from sqlite_sequence where name = 'warehouse_work'"
    await queryBeside(databaseFile, lose)
    expect(await page(last)).toEqual([])
    expect((await warehouse.read(`/warehouse/work/?after=${last + 1}`)).status).toBe(412)
  })

  it('above the last number that the data ever had is refused with 412, because the data was restored, and the last number is not, also if its row does not exist', async () => {
    const { databaseFile, last } = await startOnFile()
    const refused = await warehouse.read(`/warehouse/work/?after=${last + 1}`)
    expect(refused.status).toBe(412)
    expect(refused.body).toEqual({
      code: 412,
      message:
        'This server has no such cursor, for example because its data was restored: read the list from its beginning, without "after".',
    })
    await queryBeside(databaseFile, 'delete from warehouse_work')
    expect(await page(last)).toEqual([])
    expect((await warehouse.read(`/warehouse/work/?after=${last + 1}`)).status).toBe(412)
    await makeLargeOrder(1)
    expect(await page(last)).toHaveLength(1)
  })
})

describe('a page of the work list', () => {
  it('ends before a resource that would exceed the size limit of the page, and contains only the id of a resource that alone exceeds this limit', async () => {
    const after = await start({ responseLimits: { mostCharacters: 60_000 } })
    const ids = [
      await makeLargeOrder(2),
      await makeLargeOrder(2),
      // the orders of 4 and 8 lines are too large for a response; the order of 8 lines also exceeds the reading limit
      // of a call
      await makeLargeOrder(4),
      await makeLargeOrder(1),
      await makeLargeOrder(8),
      await makeLargeOrder(1),
    ]
    const pages = await allPages(after)
    expect(pages.map((items) => items.map(({ id }) => ids.indexOf(id)))).toEqual([
      [0],
      [1],
      [2],
      [3],
      [4],
      [5],
    ])
    const items = pages.flat()
    expect(items.map((item) => item.too_large)).toEqual([false, false, true, false, true, false])
    for (const item of items.filter((each) => each.too_large)) expect(item.resource).toEqual({ id: item.id })
    expect(items[5]?.resource).toMatchObject({ order_lines: [{ quantity: 1 }] })
  })

  it('is created with one read of a resource, even if several items refer to this resource', async () => {
    const after = await start()
    const id = await makeLargeOrder(1)
    for (const customer_note of ['1', '2', '3'])
      await server.call(`/wms/orders/${id}/`, { method: 'PATCH', body: { customer_note } })
    const statements = watchStatements()
    const items = await page(after)
    const reads = statements.texts().filter((text) => text.includes('from "order_lines"'))
    statements.end()
    expect(items.map((item) => item.id)).toEqual([id, id, id, id])
    expect(reads).toHaveLength(1)
  })
})
