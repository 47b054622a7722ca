import { randomUUID } from 'node:crypto'
import BetterSqlite from 'better-sqlite3'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { MiddlewareOptions } from '#middleware/app.ts'
import { workItem } from '#shared/wire/warehouse.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { makeMovingWorld } from '#support/small-moves.ts'
import { connectWarehouse, type WarehouseClient } from '#support/warehouse-client.ts'

type Item = z.output<typeof workItem>

let server: TestServer
let warehouse: WarehouseClient
afterEach(() => server.close())

/** Starts a server, and returns the cursor behind what its world began with. */
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

/** As a warehouse reads: each page from the cursor of the last item, until there is nothing more. */
async function allPages(after: number): Promise<Item[][]> {
  const pages: Item[][] = []
  for (let cursor = after; ;) {
    const items = await page(cursor)
    if (items.length === 0) return pages
    pages.push(items)
    cursor = items.at(-1)?.cursor ?? cursor
  }
}

/** An order of so many lines with 18,000 characters each, each of another variant: those of one would be put together. */
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

describe('a page of work', () => {
  it('ends before the resource that would make it too large; one that is too large alone has its id only', async () => {
    const after = await start({ answerLimits: { mostCharacters: 60_000 } })
    const ids = [
      await makeLargeOrder(2),
      await makeLargeOrder(2),
      // the answer would be too large, then also what is read for it
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

  it('reads a resource once, however often it lists it', async () => {
    const after = await start()
    const id = await makeLargeOrder(1)
    for (const customer_note of ['1', '2', '3'])
      await server.call(`/wms/orders/${id}/`, { method: 'PATCH', body: { customer_note } })
    const statements = vi.spyOn(BetterSqlite.prototype, 'prepare')
    const items = await page(after)
    const reads = statements.mock.calls.filter(([text]) => text.includes('from "order_lines"'))
    statements.mockRestore()
    expect(items.map((item) => item.id)).toEqual([id, id, id, id])
    expect(reads).toHaveLength(1)
  })
})
