import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { returnLabel as labelSchema, type ReturnLabel } from '#shared/wire/return-label.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

const byAddress = {
  shipping_method: smallIds.standard,
  sender_address: {
    addressed_to: 'Kim Bakker',
    street: 'Lange weg',
    street_number: '7',
    zipcode: '9000',
    city: 'Gent',
    country: 'BE',
  },
}
const fromShipment = { shipment_id: smallIds.shipments[0] }
const refusal = { status: 400, body: { error: 'Reference is not unique' } }

function post(body: object): Promise<Reply> {
  return server.call('/wms/return-labels/', { method: 'POST', body })
}

async function create(body: object): Promise<ReturnLabel> {
  const reply = await post(body)
  expect(reply.status).toBe(201)
  return labelSchema.parse(reply.body)
}

async function cancel({ id }: ReturnLabel): Promise<void> {
  expect((await server.call(`/wms/return-labels/${id}/cancel`, { method: 'POST' })).status).toBe(200)
}

describe('the reference of a cancelled label', () => {
  it('can be used again by one label at a time', async () => {
    const body = { ...byAddress, external_reference: 'AG1' }
    await cancel(await create(body))
    const second = await create(body)
    expect(second.external_reference).toBe('AG1')
    expect(await post(body)).toMatchObject(refusal)
    await cancel(second)
    await create(body)
    expect(await post(body)).toMatchObject(refusal)
  })

  it('can be derived again from the shipment', async () => {
    const first = await create(fromShipment)
    await cancel(first)
    expect((await create(fromShipment)).external_reference).toBe(first.external_reference)
    expect((await create(fromShipment)).external_reference).toBe(`${first.external_reference}-2`)
  })

  it('stays with a label that was changed to it', async () => {
    const cancelled = await create({ ...byAddress, external_reference: 'AG1' })
    const other = await create({ ...byAddress, external_reference: 'AG2' })
    const change = { method: 'PATCH', body: { external_reference: 'AG1' } }
    expect(await server.call(`/wms/return-labels/${other.id}/`, change)).toMatchObject(refusal)
    await cancel(cancelled)
    expect(await server.call(`/wms/return-labels/${other.id}/`, change)).toMatchObject({
      status: 200,
      body: { external_reference: 'AG1' },
    })
  })
})
