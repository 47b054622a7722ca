import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Database } from '#middleware/data/engine/database.ts'
import { inboundStatuses, canMoveOrder, orderStatuses } from '#shared/domain/resource-states.ts'
import { workItem } from '#shared/wire/warehouse.ts'
import { warehouseRoutes } from '#shared/wire/warehouse-routes.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId } from '#support/small-id.ts'
import { makeMovingWorld, smallMoves } from '#support/small-moves.ts'
import { smallOrders } from '#support/small-orders.ts'
import { smallIds } from '#support/small-world.ts'
import { connectWarehouse, type WarehouseClient } from '#support/warehouse-client.ts'

let server: TestServer
let warehouse: WarehouseClient
beforeEach(async () => {
  const world = makeMovingWorld()
  const own = world.users.filter(({ isWarehouse }) => isWarehouse)
  const second = own.map((user) => ({
    ...user,
    id: smallId(600),
    username: 'second',
    password: 'second-secret-word',
  }))
  server = await startTestServer({ world: { ...world, users: [...world.users, ...second] } })
  warehouse = await connect('warehouse')
})
afterEach(() => server.close())

function connect(username: string): Promise<WarehouseClient> {
  return connectWarehouse({ url: server.url, wms: 'DEV', username, password: `${username}-secret-word` })
}

const order = smallOrders.byStatus('plannable')
const modification = smallGoods.modifications[2] ?? ''
const transfer = smallMoves.transfers[1] ?? ''
const inboundIn = (status: (typeof inboundStatuses)[number]): string =>
  smallMoves.inbounds[inboundStatuses.indexOf(status)] ?? ''

/** A valid body for each call of the warehouse that changes something. */
const bodies = {
  moveOrder: { status: 'planned' },
  shipOrder: { lines: [{ variant: smallGoods.shirtRed, quantity: 1, serial_numbers: ['SN-77'] }] },
  trackShipment: {
    labels: [{ label_code: 'L', tracking_code: 'T', tracking_url: 'https://t.example.org/T' }],
  },
  arrive: {
    customer: smallIds.alder,
    is_return: true,
    lines: [{ variant: smallGoods.shirtRed, quantity: 1 }],
  },
  moveInbound: { status: 'on_hold' },
  receive: {
    lines: [
      {
        variant: smallGoods.shirtRed,
        quantity: 3,
        location: smallGoods.shelf,
        serial_numbers: ['SN-81', 'SN-82', 'SN-83'],
      },
    ],
    complete: true,
  },
  controlQuality: {
    pallet_count: '1.5',
    was_delivery_appointment: true,
    had_packing_list: true,
    was_correct_quantity: false,
    had_proper_markings: true,
    box_condition: 'Dry',
  },
  approveModification: undefined,
  disapproveModification: undefined,
  beginTransfer: undefined,
  acceptTransfer: undefined,
  denyTransfer: undefined,
  correctStock: { variant: smallGoods.shirtRed, location: smallGoods.shelf, quantity: -1 },
  moveLot: { batch: smallGoods.batches[2], quantity: 2, to_location: smallGoods.backRoom },
  nameLocation: { code: 'C-09-01', pickable: true },
  removeArticle: undefined,
  removeVariant: undefined,
} as const

type Write = keyof typeof bodies
const writes = (Object.keys(bodies) as Write[]).map((name) => ({ name, route: warehouseRoutes[name] }))

function write(
  name: Write,
  options: { id?: string; body?: unknown; key?: string | null; by?: WarehouseClient } = {},
): Promise<Reply> {
  const { id = smallId(999), body = bodies[name], by = warehouse, ...rest } = options
  const { method, path } = warehouseRoutes[name]
  return by.command(path.replace(':id', id), { method, body, ...rest })
}

const statusOf = async (path: string): Promise<unknown> =>
  z.object({ status: z.string() }).parse((await server.call(path)).body).status

async function pieces(): Promise<number> {
  const rows = z
    .array(z.object({ article_code: z.string(), stock_physical: z.number() }))
    .parse((await server.call('/wms/stock/?limit=1000')).body)
  return rows.find(({ article_code }) => article_code === 'A-1')?.stock_physical ?? -1
}

describe('the Idempotency-Key header', () => {
  it.each(writes)('is required for $name', async ({ name }) => {
    for (const key of [null, 'with a space', 'x'.repeat(256)]) {
      const reply = await write(name, { key, id: order })
      expect(reply.status).toBe(400)
      expect(JSON.stringify(reply.body)).toContain('Idempotency-Key')
    }
  })

  it('prevents a second change by a repeated call, which gets the response of the first call', async () => {
    const before = await pieces()
    const key = randomUUID()
    const first = await write('arrive', { key })
    const again = await write('arrive', { key })
    expect(first.status).toBe(201)
    expect([again.status, again.body]).toEqual([first.status, first.body])
    for (let round = 0; round < 3; round += 1)
      expect((await write('correctStock', { key: 'once' })).status).toBe(204)
    expect(await pieces()).toBe(before - 1)
  })

  it('of a repeated call leads to the first response even if the body has the same values in another notation', async () => {
    const { lines, ...rest } = bodies.arrive
    const first = await write('arrive', { key: 'k', body: { ...rest, lines } })
    const again = await write('arrive', {
      key: 'k',
      body: { lines: [{ quantity: '1', variant: smallGoods.shirtRed }], note: '', ...rest },
    })
    expect(again).toMatchObject({ status: 201, body: first.body })
  })

  it('of a repeated call leads to no second change if the ids of the repeated call are in capitals', async () => {
    const before = await pieces()
    const named = await write('nameLocation')
    const { id } = z.object({ id: z.string() }).parse(named.body)
    const body = { ...bodies.correctStock, quantity: 2, location: id }
    expect((await write('correctStock', { key: 'k', body })).status).toBe(204)
    const again = { ...body, location: id.toUpperCase(), variant: body.variant.toUpperCase() }
    expect((await write('correctStock', { key: 'k', body: again })).status).toBe(204)
    expect(await pieces()).toBe(before + 2)
  })

  it('of an earlier call is refused with 422 in a different call, which changes nothing', async () => {
    const before = await pieces()
    expect((await write('correctStock', { key: 'k' })).status).toBe(204)
    const others = [
      write('correctStock', { key: 'k', body: { ...bodies.correctStock, quantity: -2 } }),
      write('moveLot', { key: 'k' }),
      write('moveOrder', { key: 'k', id: order }),
    ]
    for (const reply of await Promise.all(others))
      expect(reply).toMatchObject({ status: 422, body: { code: 422 } })
    expect(await pieces()).toBe(before - 1)
    expect(await statusOf(`/wms/orders/${order}/`)).toBe('plannable')
  })

  it('lets only one of many parallel calls with the same key run, and all these calls get its response', async () => {
    const before = await pieces()
    const arrivals = await Promise.all(Array.from({ length: 20 }, () => write('arrive', { key: 'together' })))
    expect(new Set(arrivals.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    await Promise.all(Array.from({ length: 20 }, () => write('correctStock', { key: 'also' })))
    expect(await pieces()).toBe(before - 1)
  })

  it('belongs to its user: an equal key of another user does not prevent a second change', async () => {
    const before = await pieces()
    const other = await connect('second')
    expect((await write('correctStock', { key: 'k' })).status).toBe(204)
    expect((await write('correctStock', { key: 'k', by: other })).status).toBe(204)
    expect(await pieces()).toBe(before - 2)
  })

  it('can be used again after the call with this key was refused', async () => {
    const id = inboundIn('announced')
    expect((await write('receive', { id, key: 'k' })).status).toBe(412)
    const processing = { status: 'processing' }
    expect((await write('moveInbound', { id, body: processing, key: 'other' })).status).toBe(204)
    expect((await write('receive', { id, key: 'k' })).status).toBe(204)
  })

  it('prevents a second change for 30 days', async () => {
    const before = await pieces()
    const days = 24 * 3600_000
    await write('correctStock', { key: 'k' })
    server.clock.advance(29 * days)
    await write('correctStock', { key: 'k', by: await connect('warehouse') })
    await server.logIn('everything', true)
    expect(await pieces()).toBe(before - 1)
    server.clock.advance(2 * days)
    const by = await connect('warehouse')
    await server.logIn('everything', true)
    // The login deletes old keys only after its response, so the test repeats the call. After the second change, the
    // key prevents a third one at once.
    await expect
      .poll(async () => {
        await write('correctStock', { key: 'k', by })
        return pieces()
      })
      .toBe(before - 2)
  })

  it('of an old call is deleted only after the response to a login or a refresh was sent, so that a failed deletion loses no token', async () => {
    await server.close()
    let opened: Database | undefined
    server = await startTestServer({
      world: makeMovingWorld(),
      onOpened: (database) => {
        opened = database
        return Promise.resolve()
      },
    })
    if (opened === undefined) throw new Error('No database was opened')
    const deleteFrom = opened.deleteFrom.bind(opened)
    let refused = 0
    const deletions = vi.spyOn(opened, 'deleteFrom').mockImplementation((from) => {
      if (from !== 'warehouse_calls') return deleteFrom(from)
      refused += 1
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    })
    const { tokens } = await connect('warehouse')
    const refreshed = await server.call('/warehouse/auth/refresh/', {
      method: 'POST',
      body: { refresh_token: tokens.refresh_token },
      token: null,
    })
    expect(refreshed.status).toBe(200)
    await expect.poll(() => refused).toBeGreaterThan(0)
    deletions.mockRestore()
  })

  it('is stored for 30 days; older keys are deleted, at most a hundred in one statement', async () => {
    await server.close()
    let opened: Database | undefined
    server = await startTestServer({
      world: makeMovingWorld(),
      onOpened: (database) => {
        opened = database
        return Promise.resolve()
      },
    })
    if (opened === undefined) throw new Error('No database was opened')
    const database: Database = opened
    const { id: user_id } = await database
      .selectFrom('users')
      .select('id')
      .where('username', '=', 'warehouse')
      .executeTakeFirstOrThrow()
    const rest = { user_id, fingerprint: 'f', answer: 'null' }
    const old = { ...rest, created_at: '2026-01-01T00:00:00.000Z' }
    const young = { ...rest, key: 'young', created_at: '2026-05-31T00:00:00.000Z' }
    const rows = Array.from({ length: 350 }, (_, at) => ({ ...old, key: `old-${at}` }))
    await database
      .insertInto('warehouse_calls')
      .values([young, ...rows])
      .execute()
    const kept = async (): Promise<string[]> =>
      (await database.selectFrom('warehouse_calls').select('key').execute()).map(({ key }) => key)
    const deletions = vi.spyOn(database, 'deleteFrom')
    await connect('warehouse')
    await expect.poll(kept).toEqual(['young'])
    expect(deletions.mock.calls.filter(([table]) => table === 'warehouse_calls')).toHaveLength(4)
  })
})

describe('GET /warehouse/work/', () => {
  const page = async (query = ''): Promise<z.output<typeof workItem>[]> => {
    const reply = await warehouse.read(`/warehouse/work/${query}`)
    expect(reply.status).toBe(200)
    return z.array(workItem).parse(reply.body)
  }
  const lastCursor = async (): Promise<number> => (await page('?limit=200')).at(-1)?.cursor ?? 0

  it('returns all records of the initial data page by page in the sequence of their cursors', async () => {
    const all = await page('?limit=200')
    expect(new Set(all.map(({ kind }) => kind))).toEqual(
      new Set(['order', 'inbound', 'modification', 'transfer']),
    )
    const read: number[] = []
    for (let after = 0; ; after = read.at(-1) ?? 0) {
      const items = await page(`?after=${after}&limit=3`)
      if (items.length === 0) break
      read.push(...items.map(({ cursor }) => cursor))
    }
    expect(read).toEqual(all.map(({ cursor }) => cursor))
    expect(read).toEqual(read.toSorted((a, b) => a - b))
  })

  it('returns each item with the customer and the current fields of its resource', async () => {
    const after = await lastCursor()
    const made = await server.call('/wms/orders/', { method: 'POST', body: newOrder() })
    const id = z.object({ id: z.string() }).parse(made.body).id
    await server.call(`/wms/orders/${id}/cancel/`, { method: 'PATCH', body: {} })
    const items = await page(`?after=${after}`)
    expect(items).toHaveLength(2)
    for (const item of items)
      expect(item).toMatchObject({
        kind: 'order',
        id,
        customer: { code: 'ALDER' },
        resource: { id, status: 'cancelled', order_lines: [{ quantity: 2 }] },
      })
  })

  it('returns a transfer with the variants of both customers, and a modification with its lines', async () => {
    const all = await page('?limit=200')
    const resourceOf = (id: string): unknown => all.find((item) => item.id === id)?.resource
    expect(resourceOf(transfer)).toMatchObject({
      status: 'requested',
      customer_to_customer_transfer_lines: [
        { from_variant: { article_code: 'A-1' }, to_variant: { article_code: 'B-1' } },
      ],
    })
    expect(resourceOf(modification)).toMatchObject({ modification_lines: [{ quantity: -2 }] })
  })

  it.each(['?limit=0', '?limit=201', '?after=-1', '?after=x'])('refuses the query %s', async (query) => {
    expect((await warehouse.read(`/warehouse/work/${query}`)).status).toBe(400)
  })
})

describe('calls of the warehouse', () => {
  it('change the status of an order until it is shipped, and then add labels to its shipment', async () => {
    for (const status of ['planned', 'processing'])
      expect((await write('moveOrder', { id: order, body: { status } })).status).toBe(204)
    const made = await write('shipOrder', { id: order })
    expect(made).toMatchObject({
      status: 201,
      body: { reference: expect.stringMatching(/^SHP\d{11}$/) as unknown },
    })
    expect(await statusOf(`/wms/orders/${order}/`)).toBe('shipped')
    const shipment = z.object({ id: z.string() }).parse(made.body).id
    expect((await write('trackShipment', { id: shipment })).status).toBe(204)
    const shown = await server.call(`/wms/shipments/${shipment}/`, { expand: 'shipment_labels' })
    expect(shown.body).toMatchObject({ shipment_labels: [{ tracking_code: 'T' }] })
  })

  it('move an inbound from its arrival to its completion, which increases the stock', async () => {
    const before = await pieces()
    const made = await write('arrive')
    const id = z.object({ id: z.string() }).parse(made.body).id
    expect(await statusOf(`/wms/inbounds/${id}/`)).toBe('process_no_announcement')
    expect((await write('moveInbound', { id, body: { status: 'processing' } })).status).toBe(204)
    expect((await write('controlQuality', { id })).status).toBe(201)
    expect((await write('receive', { id })).status).toBe(204)
    expect(await statusOf(`/wms/inbounds/${id}/`)).toBe('completed')
    expect(await pieces()).toBe(before + 3)
    const controls = await server.call(`/wms/inbounds/${id}/quality-controls/`)
    expect(controls.body).toMatchObject([{ pallet_count: '1.5', comments: '' }])
  })

  it('approve a modification and accept a transfer, and no second decision is possible', async () => {
    const before = await pieces()
    expect((await write('approveModification', { id: modification })).status).toBe(204)
    expect(await statusOf(`/wms/modifications/${modification}/`)).toBe('approved')
    expect(await pieces()).toBe(before - 2)
    expect((await write('disapproveModification', { id: modification })).status).toBe(412)
    expect((await write('beginTransfer', { id: transfer })).status).toBe(204)
    expect((await write('acceptTransfer', { id: transfer })).status).toBe(204)
    expect(await statusOf(`/wms/customer-to-customer-transfers/${transfer}/`)).toBe('accepted')
    expect(await pieces()).toBe(before - 2 - 5)
    expect((await write('denyTransfer', { id: transfer })).status).toBe(412)
  })

  it('move a lot, create and change a location, and delete an article without stock, but no variant with stock', async () => {
    expect((await write('moveLot')).status).toBe(204)
    const first = await write('nameLocation')
    const again = await write('nameLocation', { body: { code: 'C-09-01', pickable: false } })
    expect([first.status, again.body]).toEqual([200, first.body])
    const created = await server.call('/wms/articles/', {
      method: 'POST',
      body: { name: 'Lamp', variants: [{ article_code: 'L-1', name: 'Lamp' }] },
    })
    const id = z.object({ id: z.string() }).parse(created.body).id
    expect((await write('removeArticle', { id })).status).toBe(204)
    expect((await server.call(`/wms/articles/${id}/`)).status).toBe(404)
    // the variant still has stock, so it cannot be deleted
    expect((await write('removeVariant', { id: smallGoods.shirtRed })).status).toBe(412)
  })

  it('accept ids in capital letters', async () => {
    const body = {
      variant: smallGoods.shirtRed.toUpperCase(),
      location: smallGoods.shelf.toUpperCase(),
      quantity: 1,
    }
    expect((await write('correctStock', { body })).status).toBe(204)
  })
})

describe('a refused call of the warehouse', () => {
  it('changes nothing if it gives an order a status outside the table of transitions', async () => {
    for (const from of orderStatuses) {
      const id = smallOrders.byStatus(from)
      const { body: before } = await server.call(`/wms/orders/${id}/`, { expand: 'order_lines' })
      for (const to of orderStatuses) {
        if (to === from || canMoveOrder(from, to)) continue
        const reply = await write('moveOrder', { id, body: { status: to } })
        // `moveOrder` does not accept the statuses of shipping, so it returns 400 for them.
        const expected = ['shipped', 'partially_shipped'].includes(to) ? 400 : 412
        expect([from, to, reply.status]).toEqual([from, to, expected])
      }
      expect((await server.call(`/wms/orders/${id}/`, { expand: 'order_lines' })).body).toEqual(before)
    }
  })

  it.each([
    ['shipOrder', order, 412],
    ['receive', inboundIn('completed'), 412],
    ['moveInbound', inboundIn('cancelled'), 412],
    ['approveModification', smallGoods.modifications[1] ?? '', 412],
    ['acceptTransfer', smallMoves.transfers[0] ?? '', 412],
    ['shipOrder', smallId(999), 404],
    ['trackShipment', smallId(999), 404],
    ['receive', smallId(999), 404],
    ['approveModification', smallId(999), 404],
    ['denyTransfer', smallId(999), 404],
    ['removeArticle', smallId(999), 404],
    ['removeVariant', 'no-id', 404],
  ] as const)(
    'leaves the stock unchanged: the call %s for the id %s returns %i',
    async (name, id, status) => {
      const before = (await server.call('/wms/stock/?limit=1000')).body
      expect((await write(name, { id })).status).toBe(status)
      expect((await server.call('/wms/stock/?limit=1000')).body).toEqual(before)
    },
  )

  it('has an error for the field labels.0.trackingUrl if the tracking URL is neither http nor https', async () => {
    const body = { labels: [{ ...bodies.trackShipment.labels[0], tracking_url: 'javascript:alert(1)' }] }
    const errors = { 'labels.0.trackingUrl': ['This value should be an http or https URL.'] }
    expect(await write('trackShipment', { body })).toMatchObject({ status: 400, body: { errors } })
  })

  it('describes each wrong field of its body in a whole sentence', async () => {
    const line = { variant: 'none', quantity: 0.5, serial_numbers: 'SN-1', location: 5 }
    const body = { lines: [line, {}], labels: [{ tracking_code: 'x'.repeat(101) }], shipping_method: true }
    expect(await write('shipOrder', { body })).toMatchObject({
      status: 400,
      body: {
        errors: {
          'lines.0.variant': ['This value should be a UUID.'],
          'lines.0.quantity': ['This value should be a whole number.'],
          'lines.0.serialNumbers': ['This value should be a list.'],
          'lines.0.location': ['This value should be a text.'],
          'lines.1.variant': ['This value should not be blank.'],
          'lines.1.quantity': ['This value should not be blank.'],
          'labels.0.trackingCode': ['This value should have 100 characters or less.'],
          shippingMethod: ['This value should be a text.'],
        },
      },
    })
    const move = await write('moveInbound', { body: { status: 'lost' } })
    expect(JSON.stringify(move.body)).toContain('This value should be one of: announced, ')
  })

  it('has an error for the field `quantity` or `customer` if the value of this field is wrong', async () => {
    const body = { ...bodies.correctStock, quantity: -1000 }
    const message = expect.stringContaining('1000 pieces') as unknown
    expect(await write('correctStock', { body })).toMatchObject({
      status: 400,
      body: { errors: { quantity: [message] } },
    })
    const tooMany = await write('moveLot', { body: { ...bodies.moveLot, quantity: 1000 } })
    expect(tooMany).toMatchObject({ status: 400, body: { errors: { quantity: [message] } } })
    const lot = await write('moveLot', { body: { ...bodies.moveLot, quantity: 0 } })
    expect(lot).toMatchObject({ status: 400, body: { errors: { quantity: expect.any(Array) as unknown } } })
    const arrival = await write('arrive', { body: { ...bodies.arrive, customer: smallId(999) } })
    expect(arrival).toMatchObject({
      status: 400,
      body: { errors: { customer: expect.any(Array) as unknown } },
    })
  })
})
