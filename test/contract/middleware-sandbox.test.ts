import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  canMoveInbound,
  inboundStatuses,
  canMoveOrder,
  orderStatuses,
} from '#shared/domain/resource-states.ts'
import { sandboxRoutes } from '#shared/wire/warehouse-routes.ts'
import { tellInTransaction } from '#middleware/app.ts'
import { towardsCounting, towardsPicking } from '#middleware/services/warehouse/sandbox.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId } from '#support/small-id.ts'
import { makeMovingWorld, notGranted, smallMoves } from '#support/small-moves.ts'
import { smallOrders } from '#support/small-orders.ts'
import { watchStatements } from '#support/test-database.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer({ world: makeMovingWorld() })
})
afterEach(() => server.close())

function tell(path: string, customer = 'ALDER', body: unknown = {}): Promise<Reply> {
  return server.call(`/sandbox/${path}`, { method: 'POST', body, customer })
}

const modification = smallGoods.modifications[2] ?? ''
const requested = smallMoves.transfers[1] ?? ''

describe('a call of the sandbox', () => {
  it('returns 404 on a server with real labels', async () => {
    const real = await startTestServer({ world: makeMovingWorld(), sandbox: false })
    try {
      for (const { path } of Object.values(sandboxRoutes)) {
        const reply = await real.call(path.replace(':id', modification), { method: 'POST', body: {} })
        expect([path, reply.status]).toEqual([path, 404])
      }
    } finally {
      await real.close()
    }
  })

  it('returns 404 for a record of another customer', async () => {
    for (const [, { path }] of Object.entries(sandboxRoutes).filter(([name]) => name !== 'advanceWarehouse'))
      for (const id of [smallOrders.byStatus('created'), smallMoves.inbounds[0], modification, requested]) {
        const reply = await tell(path.replace('/sandbox/', '').replace(':id', id ?? ''), 'BIRCH')
        expect([path, reply.status]).toEqual([path, 404])
      }
  })

  it('that decides on a transfer returns 403 to a user without access to transfers', async () => {
    const token = await server.logIn(notGranted)
    for (const what of ['accept', 'deny'])
      expect(
        (await server.call(`/sandbox/transfers/${requested}/${what}`, { method: 'POST', token })).status,
      ).toBe(403)
  })
})

describe('a step of the simulated warehouse', () => {
  it('makes at most eight changes before the server responds to a waiting call', async () => {
    let changes = 0
    const arrivals = new Map<string, number>()
    const waited: number[] = []
    const busy = await startTestServer({
      tellBy: (context) => {
        const tellOfUnit = tellInTransaction(context)
        return (unit) => {
          changes++
          return tellOfUnit(unit)
        }
      },
      beforeRoutes: (app) => {
        app.addHook('onRequest', (request, _reply, done) => {
          arrivals.set(request.id, changes)
          done()
        })
        app.addHook('onResponse', ({ id, url }, _reply, done) => {
          if (url === '/wms/orders/') waited.push(changes - (arrivals.get(id) ?? 0))
          done()
        })
        return Promise.resolve()
      },
    })
    try {
      const orders = Array.from({ length: 60 }, (_, index) => ({ external_reference: `busy-${index}` }))
      for (const order of orders) await busy.call('/wms/orders/', { method: 'POST', body: newOrder(order) })
      waited.splice(0)
      const before = changes
      const advance = { reply: null as Reply | null }
      void busy
        .call('/sandbox/advance', { method: 'POST', body: { steps: 2 } })
        .then((reply) => (advance.reply = reply))
      while (advance.reply === null) await busy.call('/wms/orders/')
      expect(advance.reply).toMatchObject({ status: 200 })
      expect(changes - before).toBeGreaterThan(60)
      expect(waited.length).toBeGreaterThan(5)
      expect(Math.max(...waited)).toBeLessThanOrEqual(8)
    } finally {
      await busy.close()
    }
  })
})

describe('POST /sandbox/orders/:id/…', () => {
  it('ships an order only by transitions that the table of transitions allows', () => {
    for (const [from, to] of Object.entries(towardsPicking))
      expect([from, to, canMoveOrder(from as (typeof orderStatuses)[number], to)]).toEqual([from, to, true])
  })

  it('ships an order completely, or not at all, and creates no second shipment in a repeated call', async () => {
    const body = newOrder({ shipping_method: undefined })
    const made = await server.call('/wms/orders/', { method: 'POST', body })
    const id = z.object({ id: z.string() }).parse(made.body).id
    const withoutMethod = await tell(`orders/${id}/ship`)
    expect(withoutMethod).toMatchObject({ status: 400 })
    // The refusal also rolled back the earlier status changes of the same call.
    expect((await server.call(`/wms/orders/${id}/`)).body).toMatchObject({ status: 'created' })
    const order = smallOrders.byStatus('created')
    const shipped = { status: 200, body: { id: order, status: 'shipped', order_lines: [{ processed: 1 }] } }
    expect(await tell(`orders/${order}/ship`)).toMatchObject(shipped)
    expect(await tell(`orders/${order}/ship`)).toMatchObject(shipped)
    const shipments = await server.call('/wms/shipments/?order_external_reference=ORDER-5')
    expect(shipments.body).toHaveLength(1)
  })

  it('ships an order from every status except cancelled if there is enough stock', async () => {
    for (const status of orderStatuses) {
      // there are only seven red shirts in stock, which are too few for all orders
      const stock = { method: 'POST', body: {} }
      await server.call(`/sandbox/inbounds/${smallMoves.inbounds[0] ?? ''}/complete`, stock)
      await server.call(`/sandbox/inbounds/${smallMoves.inbounds[1] ?? ''}/complete`, stock)
      await server.call(`/sandbox/inbounds/${smallMoves.inbounds[2] ?? ''}/complete`, stock)
      const reply = await tell(`orders/${smallOrders.byStatus(status)}/ship`)
      expect([status, reply.status]).toEqual([status, status === 'cancelled' ? 412 : 200])
    }
  })
})

describe('POST /sandbox/inbounds/:id/…', () => {
  it('completes an inbound only by transitions that the table of transitions allows', () => {
    for (const [from, to] of Object.entries(towardsCounting))
      expect([from, to, canMoveInbound(from as (typeof inboundStatuses)[number], to)]).toEqual([
        from,
        to,
        true,
      ])
  })

  it('leaves an inbound unchanged if its pieces need more than 10,000 serial numbers', async () => {
    const body = {
      external_reference: 'IN-MANY',
      inbound_date: '2026-09-02',
      inbound_lines: [{ article_code: 'A-1', quantity: 10_001 }],
    }
    const made = await server.call('/wms/inbounds/', { method: 'POST', body })
    const id = z.object({ id: z.string() }).parse(made.body).id
    expect(await tell(`inbounds/${id}/complete`)).toMatchObject({ status: 400 })
    expect((await server.call(`/wms/inbounds/${id}/`)).body).toMatchObject({ status: 'announced' })
  })

  it('completes an inbound from every status except cancelled', async () => {
    for (const [index, status] of inboundStatuses.entries()) {
      const path = `inbounds/${smallMoves.inbounds[index] ?? ''}/complete`
      const reply = await tell(path)
      expect([status, reply.status]).toEqual([status, status === 'cancelled' ? 412 : 200])
      if (reply.status === 200) expect(reply.body).toMatchObject({ status: 'completed' })
    }
  })
})

describe('a decision in the sandbox', () => {
  it('approves or disapproves a modification, and a second decision returns 412', async () => {
    expect(await tell(`modifications/${modification}/approve`)).toMatchObject({
      status: 200,
      body: { id: modification, status: 'approved' },
    })
    expect((await tell(`modifications/${modification}/disapprove`)).status).toBe(412)
    const other = await tell(`modifications/${smallGoods.birchModification}/disapprove`, 'BIRCH')
    expect(other).toMatchObject({ status: 200, body: { status: 'disapproved' } })
  })

  it('accepts or denies a transfer only if it was requested and not decided yet', async () => {
    expect((await tell(`transfers/${smallMoves.transfers[0] ?? ''}/accept`)).status).toBe(412)
    expect(await tell(`transfers/${requested}/accept`)).toMatchObject({
      status: 200,
      body: { status: 'accepted', customer_to_customer_transfer_lines: [{ finalized_quantity: 5 }] },
    })
    expect((await tell(`transfers/${requested}/deny`)).status).toBe(412)
    const processing = smallMoves.transfers[2] ?? ''
    expect(await tell(`transfers/${processing}/deny`)).toMatchObject({ body: { status: 'denied' } })
  })
})

describe('POST /sandbox/advance', () => {
  it('gives due records their next status and returns the number of these records', async () => {
    const reply = await tell('advance', 'ALDER', { steps: 10 })
    expect(reply.status).toBe(200)
    const { steps, moved } = z
      .object({ steps: z.number(), moved: z.record(z.string(), z.number()) })
      .parse(reply.body)
    expect(steps).toBe(10)
    expect(Object.values(moved).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
    const decided = await server.call(`/wms/modifications/${modification}/`)
    expect(decided.body).not.toMatchObject({ status: 'created' })
  })

  it.each([0, 101, 1.5, 'many'])('refuses the number of steps %s', async (steps) => {
    expect((await tell('advance', 'ALDER', { steps })).status).toBe(400)
  })

  it('makes no further step after its client has disconnected', async () => {
    await server.logIn()
    const statements = watchStatements()
    const stepsTaken = (): number =>
      statements.texts().filter((text) => /from "modifications" where "status" = /.test(text)).length
    try {
      const leaving = new AbortController()
      const call = fetch(`${server.url}/sandbox/advance`, {
        method: 'POST',
        headers: {
          'x-wms-code': 'DEV',
          'x-customer-code': 'ALDER',
          authorization: `Bearer ${await server.logIn()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ steps: 100 }),
        signal: leaving.signal,
      }).catch(() => 'left')
      await vi.waitUntil(() => stepsTaken() > 0, { interval: 1 })
      leaving.abort()
      expect(await call).toBe('left')
      expect((await tell('advance')).body).toMatchObject({ steps: 1 })
      const taken = stepsTaken()
      for (let other = 0; other < 20; other += 1) await server.call('/wms/customers/')
      // The aborted call may have begun one more step before `taken` was read. `stepsTaken` did not count this step
      // yet, because its statement ran later.
      expect(stepsTaken()).toBeLessThanOrEqual(taken + 1)
    } finally {
      statements.end()
    }
  })

  it('returns 429 to a customer with four unfinished calls, but not to another customer', async () => {
    const calls = Array.from({ length: 12 }, () => tell('advance', 'ALDER', { steps: 100 }))
    const other = await tell('advance', 'BIRCH')
    expect(other.status).toBe(200)
    const replies = await Promise.all(calls)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(4)
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(8)
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('5')
    expect((await tell('advance')).status).toBe(200)
  })

  it('returns 412 if the warehouse is external, although other calls of the sandbox succeed', async () => {
    const external = await startTestServer({ world: makeMovingWorld(), warehouse: 'external' })
    try {
      const post = { method: 'POST', body: {} }
      expect((await external.call('/sandbox/advance', post)).status).toBe(412)
      expect((await external.call(`/sandbox/modifications/${modification}/approve`, post)).status).toBe(200)
    } finally {
      await external.close()
    }
  })
})

describe('POST /sandbox/orders/:id/ship', () => {
  it('returns 404 for an unknown id', async () => {
    expect((await tell(`orders/${smallId(999)}/ship`)).status).toBe(404)
  })
})
