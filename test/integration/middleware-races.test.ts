import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { returnLabel as labelSchema, type ReturnLabel } from '#shared/wire/return-label.ts'
import type { ReturnLabelResult } from '#middleware/warehouse/carriers/carrier.ts'
import { count } from '#support/counts.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'

const rounds = count(20, 200)

let server: TestServer
/** Number of requests to the carrier, by the serial number of the label. */
const asked = new Map<number, number>()
/** Number of event loop iterations after which the carrier responds. It changes in each round. */
let carrierTurns = 0

beforeAll(async () => {
  server = await startTestServer({
    carrierFor: () => ({
      async drawReturnLabel({ serial }): Promise<ReturnLabelResult> {
        asked.set(serial, (asked.get(serial) ?? 0) + 1)
        for (let turn = 0; turn < carrierTurns; turn += 1) await new Promise((done) => setImmediate(done))
        const trackingCode = `T${serial}`
        return {
          pdf: Buffer.from('%PDF-1.4'),
          labelCode: `L${serial}`,
          trackingCode,
          trackingUrl: 'https://t',
        }
      },
    }),
  })
})
afterAll(() => server.close())

async function create(): Promise<ReturnLabel> {
  const body = { shipment_id: smallIds.shipments[0] }
  return labelSchema.parse((await server.call('/wms/return-labels/', { method: 'POST', body })).body)
}

function act(id: string, action: 'request' | 'cancel'): Promise<Reply> {
  return server.call(`/wms/return-labels/${id}/${action}`, { method: 'POST' })
}

async function read(id: string): Promise<ReturnLabel> {
  return labelSchema.parse((await server.call(`/wms/return-labels/${id}/`)).body)
}

function timesAsked(): number {
  return [...asked.values()].reduce((sum, times) => sum + times, 0)
}

describe(`the middleware with simultaneous calls in ${rounds} rounds`, () => {
  it('accepts either the request or the cancellation of a label, and the label shows the accepted call', async () => {
    const winners = { request: 0, cancel: 0 }
    for (let round = 0; round < rounds; round += 1) {
      carrierTurns = round % 4
      const { id } = await create()
      const before = timesAsked()
      const order = round % 2 === 0 ? (['request', 'cancel'] as const) : (['cancel', 'request'] as const)
      const replies = new Map(
        await Promise.all(order.map(async (action) => [action, (await act(id, action)).status] as const)),
      )
      const label = await read(id)
      const outcome = [replies.get('request'), replies.get('cancel')]
      if (label.url === null) {
        winners.cancel += 1
        expect(outcome).toEqual([400, 200])
        expect([label.tracking_information, timesAsked() - before]).toEqual([[], 0])
      } else {
        winners.request += 1
        expect(outcome).toEqual([200, 412])
        expect(label.tracking_information).toHaveLength(1)
        expect(timesAsked() - before).toBe(1)
      }
    }
    expect(winners.request + winners.cancel).toBe(rounds)
    expect(Math.min(winners.request, winners.cancel)).toBeGreaterThan(0)
  })

  it('returns the same label to two clients that request this label, and requests the label from the carrier once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      carrierTurns = round % 4
      const { id } = await create()
      const before = timesAsked()
      const replies = await Promise.all([act(id, 'request'), act(id, 'request')])
      expect(replies.map(({ status }) => status)).toEqual([200, 200])
      expect(replies[0].body).toEqual(replies[1].body)
      expect(timesAsked() - before).toBe(1)
    }
  })

  it('keeps an accepted change of a label although the label is requested at the same time', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await create()
      const body = { sender_address: { city: `City ${round}` } }
      const [patched, requested] = await Promise.all([
        server.call(`/wms/return-labels/${id}/`, { method: 'PATCH', body }),
        act(id, 'request'),
      ])
      expect(requested.status).toBe(200)
      const city = (await read(id)).sender_address?.city
      expect([patched.status, city]).toEqual(
        patched.status === 200 ? [200, `City ${round}`] : [412, 'Utrecht'],
      )
    }
  })

  it('creates at most one new label with the reference of a label while that label is being cancelled', async () => {
    const sender_address = {
      addressed_to: 'Kim Bakker',
      street: 'Lange weg',
      street_number: '7',
      zipcode: '9000',
      city: 'Gent',
      country: 'BE',
    }
    for (let round = 0; round < rounds; round += 1) {
      const body = { shipping_method: smallIds.standard, sender_address, external_reference: `AG${round}` }
      const post = (): Promise<Reply> => server.call('/wms/return-labels/', { method: 'POST', body })
      const { id } = labelSchema.parse((await post()).body)
      const replies = await Promise.all([post(), act(id, 'cancel'), post(), post()])
      const made = replies.filter(({ status }) => status === 201)
      const refused = replies.filter(({ status }) => status === 400)
      expect([made.length + refused.length, made.length <= 1]).toEqual([3, true])
      // The first label is now cancelled. If none of the three creations succeeded, another creation with this
      // reference succeeds; otherwise it is refused.
      expect((await post()).status).toBe(made.length === 0 ? 201 : 400)
    }
  })

  it('accepts one of two refreshes with the same token, and the returned refresh token works', async () => {
    const body = { username: 'everything', password: 'everything-secret-word' }
    const login = await server.call('/wms/auth/login/', { method: 'POST', body, token: null })
    let { refresh_token } = tokensSchema.parse(login.body)
    for (let round = 0; round < rounds; round += 1) {
      const call = { method: 'POST', body: { refresh_token }, token: null }
      const replies = await Promise.all([
        server.call('/wms/auth/refresh/', call),
        server.call('/wms/auth/refresh', call),
      ])
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
      const winner = replies.find(({ status }) => status === 200)
      refresh_token = tokensSchema.parse(winner?.body).refresh_token
    }
  })
})
