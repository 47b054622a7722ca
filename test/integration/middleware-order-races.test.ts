import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { count } from '#support/counts.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'

const rounds = count(20, 200)

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

function create(rest: Record<string, unknown>): Promise<Reply> {
  return server.call('/wms/orders/', { method: 'POST', body: newOrder(rest) })
}

const one = z.object({ id: z.string(), external_reference: z.string() }).loose()

async function having(query: string): Promise<z.output<typeof one>[]> {
  return z.array(one).parse((await server.call(`/wms/orders/?${query}`)).body)
}

describe(`the middleware with simultaneous calls in ${rounds} rounds`, { timeout: 3_600_000 }, () => {
  it('creates one of three orders with the same external_id and refuses the others', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const external_id = `race-${round}`
      const replies = await Promise.all(
        ['a', 'b', 'c'].map((name) => create({ external_id, external_reference: `${external_id}${name}` })),
      )
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400])
      const winner = one.parse(replies.find(({ status }) => status === 201)?.body)
      expect((await having(`external_id=${external_id}`)).map(({ id }) => id)).toEqual([winner.id])
      for (const loser of replies.filter(({ status }) => status === 400))
        expect(loser.body).toMatchObject({ errors: { externalId: ['External id is not unique'] } })
    }
  })

  it('gives an external_reference either to a new order or to a changed order, but not to both', async () => {
    const other = one.parse((await create({ external_reference: 'changes' })).body)
    for (let round = 0; round < rounds; round += 1) {
      const external_reference = `taken-${round}`
      const change = { method: 'PATCH', body: { external_reference } }
      const calls = [
        () => create({ external_reference }),
        () => server.call(`/wms/orders/${other.id}/`, change),
      ]
      const replies = await Promise.all((round % 2 === 0 ? calls : calls.toReversed()).map((call) => call()))
      const won = replies.filter(({ status }) => status < 300)
      expect(won).toHaveLength(1)
      expect(await having(`external_reference=${external_reference}`)).toHaveLength(1)
    }
  })

  it('keeps an accepted change of an order although the order is cancelled at the same time', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { id } = one.parse((await create({ external_reference: `cancel-${round}` })).body)
      const change = { method: 'PATCH', body: { note: 'changed' } }
      const calls = [
        () => server.call(`/wms/orders/${id}/`, change),
        () => server.call(`/wms/orders/${id}/cancel/`, { method: 'PATCH' }),
      ] as const
      const [changed, cancelled] = await Promise.all([calls[0](), calls[1]()])
      expect(cancelled.status).toBe(204)
      const order = (await server.call(`/wms/orders/${id}/`)).body
      const note = changed.status === 200 ? 'changed' : null
      expect([200, 400]).toContain(changed.status)
      expect(order).toMatchObject({ status: 'cancelled', note })
    }
  })
})
