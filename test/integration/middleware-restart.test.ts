import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { returnLabel as labelSchema, type ReturnLabel } from '#shared/wire/return-label.ts'
import type { ReturnLabelResult } from '#middleware/warehouse/carriers/carrier.ts'
import { carrierFor } from '#middleware/warehouse/carriers/carriers.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallOrders } from '#support/small-orders.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

let folder: string
let databaseFile: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  databaseFile = join(folder, 'middleware.db')
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

async function create(server: TestServer): Promise<ReturnLabel> {
  const body = { shipment_id: smallIds.shipments[0] }
  return labelSchema.parse((await server.call('/wms/return-labels/', { method: 'POST', body })).body)
}

async function act(server: TestServer, path: string, method = 'POST'): Promise<ReturnLabel> {
  return labelSchema.parse((await server.call(`/wms/return-labels/${path}`, { method })).body)
}

describe('a restart of the middleware on the same database file', () => {
  it('keeps labels, PDFs, tokens and links', async () => {
    const first = await startTestServer({ databaseFile })
    const token = await first.logIn()
    const requested = await act(first, `${(await create(first)).id}/request`)
    await first.close()
    const second = await startTestServer({ databaseFile, world: null })
    const reply = await second.call(`/wms/return-labels/${requested.id}`, { token })
    expect(reply.status).toBe(200)
    expect(labelSchema.parse(reply.body)).toMatchObject({
      tracking_information: requested.tracking_information,
    })
    const link = new URL(requested.url ?? '')
    expect((await fetch(second.url + link.pathname + link.search)).status).toBe(200)
    await second.close()
  })

  it('resets a label whose request was interrupted, and a new request returns the tracking code that the interrupted one would have returned', async () => {
    const dying = Promise.withResolvers<ReturnLabelResult>()
    const reached = Promise.withResolvers<null>()
    const first = await startTestServer({
      databaseFile,
      carrierFor: () => ({
        drawReturnLabel() {
          reached.resolve(null)
          return dying.promise
        },
      }),
    })
    const { id } = await create(first)
    const lost = first.call(`/wms/return-labels/${id}/request`, { method: 'POST' })
    await reached.promise
    expect((await first.call(`/wms/return-labels/${id}/cancel`, { method: 'POST' })).status).toBe(412)
    expect((await first.call(`/wms/return-labels/${id}`, { method: 'PATCH', body: {} })).status).toBe(412)

    // The first server still runs, but the database has the same content as after a kill of this server during its call
    // to the carrier.
    const second = await startTestServer({ databaseFile })
    expect((await act(second, id, 'GET')).url).toBeNull()
    const done = await act(second, `${id}/request`)
    expect(done.tracking_information[0]?.tracking_code).toBe(
      carrierFor('polder-post').returnParcel(1).trackingCode,
    )

    dying.resolve({
      pdf: Buffer.from('%PDF-late'),
      labelCode: 'LATE',
      trackingCode: 'LATE',
      trackingUrl: 'x',
    })
    expect((await lost).status).toBe(417)
    expect((await act(second, id, 'GET')).tracking_information).toEqual(done.tracking_information)
    await Promise.all([first.close(), second.close()])
  })

  it('marks the invalid address of an order whose address was not checked before the restart', async () => {
    const world = makeSmallWorld()
    const orders = world.orders.map((order) => ({ ...order, addressInvalid: order.status === 'created' }))
    // Starts with the state after the response to a call and before the work that follows the response, which marks
    // invalid addresses.
    const first = await startTestServer({ databaseFile, world: { ...world, orders } })
    const path = `/wms/orders/${smallOrders.byStatus('created')}/`
    await expect.poll(async () => (await first.call(path)).body).toMatchObject({ status: 'invalid_address' })
    const others = await first.call(`/wms/orders/${smallOrders.byStatus('plannable')}/`)
    expect(others.body).toMatchObject({ status: 'plannable' })
    await first.close()
  })

  it('returns Invalid WMS for every call if the database is empty', async () => {
    const server = await startTestServer({ world: null })
    expect(await server.call('/wms/customers/', { token: null })).toMatchObject({
      status: 400,
      body: { message: 'Invalid WMS.' },
    })
    await server.close()
  })
})
