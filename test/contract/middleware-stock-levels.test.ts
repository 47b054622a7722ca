import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { World } from '#middleware/warehouse/world.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeSmallWorld, smallId } from '#support/small-world.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer({ world: stockedWorld() })
})
afterEach(() => server.close())

/**
 * Returns test data without orders. The red shirt has 7 pieces on a shelf, 5 in bulk and 3 in quarantine; tea has 5
 * pieces, and the blue shirt has none.
 */
function stockedWorld(): World {
  const world = makeSmallWorld()
  const [, , red] = world.batches
  if (red === undefined) throw new Error('The small world has three lots')
  const quarantine = { id: smallId(63), code: 'QUAR-01', pickable: false }
  const createdAt = '2026-02-05T09:00:00Z'
  return {
    ...world,
    locations: [...world.locations, quarantine],
    batches: [
      ...world.batches,
      { ...red, id: smallId(85), locationId: smallGoods.backRoom, quantity: 5 },
      { ...red, id: smallId(86), locationId: quarantine.id, quantity: 3, createdAt },
    ],
    orders: [],
  }
}

const records = z.array(z.object({ article_code: z.string() }).loose())

async function codes(query: string, customer = 'ALDER'): Promise<string[]> {
  const reply = await server.call(`/wms/stock/${query}`, { customer })
  expect(reply.status).toBe(200)
  return records.parse(reply.body).map(({ article_code }) => article_code)
}

async function redShirt(): Promise<unknown> {
  return records.parse((await server.call('/wms/stock/?article_code=A-1')).body)[0]
}

const red = {
  id: smallGoods.shirtRed,
  article_code: 'A-1',
  ean: '8712345678906',
  sku: 'SKU-A-1',
  stock_physical: 15,
  stock_salable: 12,
  stock_available: 12,
  stock_quarantine: 3,
  stock_pickable: 7,
  modified_at: '2026-02-05T09:00:00+00:00',
}

describe('GET /wms/stock/', () => {
  it('returns one record for each variant, sorted by name, even for a variant without stock', async () => {
    const nothing = {
      stock_physical: 0,
      stock_salable: 0,
      stock_available: 0,
      stock_quarantine: 0,
      stock_pickable: 0,
    }
    const tea = { ...nothing, stock_physical: 5, stock_salable: 5, stock_available: 5, stock_pickable: 5 }
    const reply = await server.call('/wms/stock/')
    expect(reply.body).toEqual([
      {
        ...tea,
        id: smallGoods.teaBox,
        article_code: 'A-0',
        ean: null,
        sku: 'SKU-A-0',
        modified_at: '2026-02-03T09:00:00+00:00',
      },
      red,
      {
        ...nothing,
        id: smallGoods.shirtBlue,
        article_code: 'A-2',
        ean: '4006381333931',
        sku: null,
        modified_at: '2026-01-02T08:00:00+00:00',
      },
    ])
  })

  it('returns the fields of the variant if Expand names the group variant', async () => {
    const variant = (await server.call(`/wms/variants/${smallGoods.shirtRed}/`)).body
    const reply = await server.call('/wms/stock/?article_code=A-1', { expand: 'variant' })
    expect(reply.body).toEqual([{ ...red, variant }])
  })

  it.each([
    ['?direction=desc', ['A-2', 'A-1', 'A-0']],
    ['?sort=articleCode', ['A-0', 'A-1', 'A-2']],
    ['?sort=articleCode&direction=desc', ['A-2', 'A-1', 'A-0']],
    ['?sort=id', ['A-1', 'A-2', 'A-0']],
    ['?sort=createdAt', ['A-1', 'A-2', 'A-0']],
    ['?sort=modifiedAt', ['A-2', 'A-0', 'A-1']],
    ['?limit=2', ['A-0', 'A-1']],
    ['?limit=2&page=0', ['A-0', 'A-1']],
    ['?limit=2&page=2', ['A-2']],
    ['?from=2026-01-02&to=2026-01-02', ['A-2']],
    ['?article_code=A-2', ['A-2']],
    ['?ean=8712345678906', ['A-1']],
    ['?sku=SKU-A-0', ['A-0']],
    ['?sku=SKU-A-0&article_code=A-1', []],
    ['?search=a-', ['A-0', 'A-1', 'A-2']],
    ['?search=BOX', ['A-0']],
    ['?search=sku-a', ['A-0', 'A-1']],
    ['?search=40063', ['A-2']],
    ['?search=%25', []],
    ['?search=A_1', []],
    ['?search=%5C', []],
    ['?search=%00', []],
    ['?search=A-%00', []],
    ['?modified_gte=2026-02-03', ['A-0', 'A-1']],
    ['?modified_gte=2026-02-03 09:01', ['A-1']],
    ['?modified_gte=2026-02-05T09:00:00%2B00:00', ['A-1']],
    ['?modified_gte=2026-02-05T09:00:01%2B00:00', []],
    ['?modified_gte=2026-02-05T10:00:00%2B01:00', ['A-1']],
    ['?', ['A-0', 'A-1', 'A-2']],
  ])('returns the records that match the query %s in the requested sequence', async (query, expected) => {
    expect(await codes(query)).toEqual(expected)
  })

  it.each(['?sort=sku', '?modified_gte=lately', '?modified_gte=2026-13-01 00:00', '?limit=1001', '?page=x'])(
    'refuses the query %s with an error under the name of the parameter',
    async (query) => {
      const field = (/\w+/.exec(query)?.[0] ?? '').replace('modified_gte', 'modifiedGte')
      const reply = await server.call(`/wms/stock/${query}`)
      expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [expect.any(String)] } } })
    },
  )

  it('finds a part of a name regardless of the case of its ASCII letters', async () => {
    const variants = [{ article_code: 'E-1' }]
    const body = { name: 'Étui LÉGER', variants }
    expect((await server.call('/wms/articles/', { method: 'POST', body })).status).toBe(201)
    for (const part of ['Étui', 'Étui lÉg', 'TUI L']) {
      const search = encodeURIComponent(part)
      expect(await codes(`?search=${search}`)).toEqual(['E-1'])
    }
  })

  it('returns no stock of another customer', async () => {
    expect(await codes('', 'BIRCH')).toEqual(['B-1'])
    for (const query of ['?article_code=A-1', '?search=A-', '?sku=SKU-A-1'])
      expect(await codes(query, 'BIRCH')).toEqual([])
    // The customers ALDER and BIRCH both have goods with this EAN.
    expect(await codes('?ean=8712345678906', 'BIRCH')).toEqual(['B-1'])
  })
})

describe('the available stock', () => {
  async function order(rest: Record<string, unknown>): Promise<string> {
    const reply = await server.call('/wms/orders/', { method: 'POST', body: newOrder(rest) })
    return z.object({ id: z.string() }).loose().parse(reply.body).id
  }
  const lines = (quantity: number): unknown => [{ article_code: 'A-1', quantity, description: 'Red' }]

  it('is the salable stock without reserved pieces, and changes when an order is created, changed or cancelled', async () => {
    const id = await order({ order_lines: lines(4) })
    const now = { modified_at: '2026-06-01T12:00:00+00:00' }
    expect(await redShirt()).toEqual({ ...red, ...now, stock_available: 8 })
    const change = { method: 'PATCH', body: { order_lines: lines(5) } }
    server.clock.advance(1000)
    await server.call(`/wms/orders/${id}/`, change)
    expect(await redShirt()).toMatchObject({ stock_available: 7, modified_at: '2026-06-01T12:00:01+00:00' })
    await order({ external_reference: 'second', order_lines: lines(100) })
    expect(await redShirt()).toMatchObject({ stock_available: 0, stock_salable: 12, stock_physical: 15 })
    server.clock.advance(1000)
    expect((await server.call(`/wms/orders/${id}/cancel/`, { method: 'PATCH' })).status).toBe(204)
    expect(await redShirt()).toMatchObject({ stock_available: 0, modified_at: '2026-06-01T12:00:02+00:00' })
  })

  it('increases by the pieces that a PATCH removes from an order', async () => {
    const id = await order({ order_lines: lines(4) })
    server.clock.advance(60_000)
    const order_lines = [{ article_code: 'A-0', quantity: 1, description: 'Tea' }]
    await server.call(`/wms/orders/${id}/`, { method: 'PATCH', body: { order_lines } })
    expect(await redShirt()).toMatchObject({ stock_available: 12 })
    expect(await codes('?modified_gte=2026-06-01 12:01&sort=articleCode')).toEqual(['A-0', 'A-1'])
  })

  it('excludes the unsent pieces of orders in the status partially_shipped, but not those of orders in the status shipped, cancelled or restock', async () => {
    const world = stockedWorld()
    const [sold] = makeSmallWorld().orders
    if (sold === undefined) throw new Error('The small world has orders')
    const [line] = sold.lines
    if (line === undefined) throw new Error('An order has lines')
    const partly = [{ ...line, variantId: smallGoods.shirtRed, quantity: 6, processed: 4 }]
    const orders = (['partially_shipped', 'shipped', 'cancelled', 'restock'] as const).map(
      (status, index) => ({
        ...sold,
        id: smallId(300 + index),
        reference: `ORD0000000030${index}`,
        externalId: null,
        externalReference: `S-${index}`,
        status,
        lines: partly,
      }),
    )
    await server.close()
    server = await startTestServer({ world: { ...world, orders } })
    expect(await redShirt()).toMatchObject({ stock_available: 10 })
  })
})
