import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ReturnLabel, returnLabel as labelSchema } from '#shared/wire/return-label.ts'
import { carrierFor } from '#middleware/warehouse/carriers/carriers.ts'
import type { ReturnLabelJob } from '#middleware/warehouse/carriers/carrier.ts'
import { type CallOptions, type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallId, smallIds } from '#support/small-world.ts'

/** Matches any text, because tests do not check the wording of messages. */
const someText: unknown = expect.any(String)

let server: TestServer
/** The jobs that the carrier received. The carrier refuses jobs while `failing` is true. */
let jobs: ReturnLabelJob[]
let failing: boolean

beforeEach(async () => {
  jobs = []
  failing = false
  server = await startTestServer({
    tokenLifetimeSeconds: 7 * 24 * 3600,
    carrierFor: (key) => ({
      drawReturnLabel(job) {
        jobs.push(job)
        if (failing) return Promise.reject(new Error('the carrier is closed'))
        return carrierFor(key).drawReturnLabel(job)
      },
    }),
  })
})
afterEach(() => server.close())

const [firstShipment, secondShipment, , letterShipment] = smallIds.shipments
const address = {
  addressed_to: 'Kim Bakker',
  street: 'Lange weg',
  street_number: 7,
  zipcode: '9000',
  city: 'Gent',
  country: 'BE',
}

function post(path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
  return server.call(path, { method: 'POST', ...(body !== undefined && { body }), ...options })
}

function patch(id: string, body: unknown): Promise<Reply> {
  return server.call(`/wms/return-labels/${id}/`, { method: 'PATCH', body })
}

async function create(body: unknown, options: CallOptions = {}): Promise<ReturnLabel> {
  const reply = await post('/wms/return-labels/', body, options)
  expect(reply.status).toBe(201)
  return labelSchema.strict().parse(reply.body)
}

async function get(id: string, options: CallOptions = {}): Promise<ReturnLabel> {
  const reply = await server.call(`/wms/return-labels/${id}/`, options)
  expect(reply.status).toBe(200)
  return labelSchema.strict().parse(reply.body)
}

const request = (id: string): Promise<Reply> => post(`/wms/return-labels/${id}/request`)
const cancel = (id: string): Promise<Reply> => post(`/wms/return-labels/${id}/cancel`)

describe('POST /wms/return-labels/', () => {
  it('creates an unrequested label with the address of the shipment and the order reference', async () => {
    const label = await create({ shipment_id: firstShipment })
    expect(label).toMatchObject({
      external_reference: 'WEB-1',
      url: null,
      tracking_information: [],
      sender_address: { addressed_to: 'Buyer 1', city: 'Utrecht' },
      created_at: '2026-06-01T12:00:00+00:00',
    })
    expect(label).not.toHaveProperty('shipment')
    expect(await get(label.id)).toEqual(label)
  })

  it('uses the return method of the customer, or else the shipping method of the shipment', async () => {
    const own = await create({ shipment_id: letterShipment })
    await request(own.id)
    expect(jobs[0]?.methodDescription).toBe('Method STD')
    const refused = await post(
      '/wms/return-labels/',
      { shipment_id: smallIds.birchShipment },
      { customer: 'BIRCH' },
    )
    expect(refused).toMatchObject({ status: 400, body: { error: someText } })
  })

  it('uses the shipping method in the body instead of the method of the shipment', async () => {
    const label = await create({ shipment_id: firstShipment, shipping_method: smallIds.express })
    await request(label.id)
    expect(jobs[0]).toMatchObject({ methodDescription: 'Method EXPRESS', layout: 'a6' })
  })

  it('creates a label from a shipping method and an address, and generates a reference if none is sent', async () => {
    const named = await create({
      shipping_method: smallIds.standard,
      sender_address: address,
      external_reference: 'RMA-1',
    })
    expect(named.external_reference).toBe('RMA-1')
    expect(named.sender_address).toMatchObject({ ...address, street_number: '7', street2: null })
    const unnamed = await create({ shipping_method: smallIds.standard, sender_address: address })
    expect(unnamed.external_reference).toMatch(/^RTL\d{11}$/)
  })

  it('derives a different reference for each label of the same order', async () => {
    const first = await create({ shipment_id: letterShipment })
    await request(first.id)
    const second = await create({ shipment_id: letterShipment })
    const sameOrder = await create({ shipment_id: smallIds.shipments[4] })
    expect([second, sameOrder].map((label) => label.external_reference)).toEqual(['WEB-4-2', 'WEB-4-3'])
  })

  it('refuses the reference of another label of the customer, even if the other label is requested', async () => {
    const body = {
      shipping_method: smallIds.standard,
      sender_address: address,
      external_reference: 'RMA-1',
    }
    const label = await create(body)
    const message = 'Reference is not unique'
    const refusal = {
      status: 400,
      body: { error: message, errors: { '0': message, externalReference: [message] } },
    }
    expect(await post('/wms/return-labels/', body)).toMatchObject(refusal)
    await request(label.id)
    expect(await post('/wms/return-labels/', body)).toMatchObject(refusal)
    expect(await post('/wms/return-labels/', { ...body, external_reference: 'RMA-1.R' })).toMatchObject(
      refusal,
    )
    expect(await post('/wms/return-labels/', { ...body, external_reference: 'RMA-1.R.R' })).toMatchObject(
      refusal,
    )
    await create(body, { customer: 'BIRCH' })
  })

  it('accepts numbers in the text fields of the address', async () => {
    const numbers = { zipcode: 9000, phone_number: 3291234567, street_number_addition: 2 }
    const reply = await post('/wms/return-labels/', {
      shipping_method: smallIds.standard,
      sender_address: { ...address, ...numbers },
    })
    const texts = { zipcode: '9000', phone_number: '3291234567', street_number_addition: '2' }
    expect(reply).toMatchObject({ status: 201, body: { sender_address: texts } })
  })

  it.each([
    ['nothing', {}, 'shipmentId'],
    [
      'a reference with a shipment',
      { shipment_id: firstShipment, external_reference: 'X' },
      'externalReference',
    ],
    ['an address without a method', { sender_address: address }, 'shippingMethod'],
    ['a method without an address', { shipping_method: smallIds.standard }, 'shipmentId'],
    [
      'an address without a city',
      { shipping_method: smallIds.standard, sender_address: { ...address, city: undefined } },
      'senderAddress.city',
    ],
    [
      'a street of 101 characters',
      { shipping_method: smallIds.standard, sender_address: { ...address, street: 'x'.repeat(101) } },
      'senderAddress.street',
    ],
    ['an unknown method', { shipping_method: smallId(99), sender_address: address }, 'shippingMethod'],
    [
      'a shipping method without return labels',
      { shipment_id: firstShipment, shipping_method: smallIds.letter },
      'shippingMethod',
    ],
    ['a shipment that is no id', { shipment_id: 'SHP1' }, 'shipmentId'],
  ])('refuses %s with an error under the name of the field', async (_, body, field) => {
    const reply = await post('/wms/return-labels/', body)
    expect(reply).toMatchObject({ status: 400, body: { error: someText } })
    expect(z.object({ errors: z.record(z.string(), z.unknown()) }).parse(reply.body).errors).toHaveProperty([
      field,
    ])
    expect((await server.call('/wms/return-labels/')).body).toEqual([])
  })

  it('ignores unknown fields and fields that only the service sets', async () => {
    const stray = { id: smallId(1), url: 'x', created_at: 'x', tracking_information: [], toString: 1 }
    expect((await post('/wms/return-labels/', { shipment_id: firstShipment, ...stray })).status).toBe(201)
    const body = { shipping_method: smallIds.express, sender_address: address, ...stray }
    expect((await post('/wms/return-labels/', body)).status).toBe(201)
  })

  it.each(['constructor', 'toString', 'hasOwnProperty'])(
    'refuses a body that contains only the field %s',
    async (field) => {
      const reply = await post('/wms/return-labels/', { [field]: 1 })
      expect(reply).toMatchObject({ status: 400, body: { error: someText } })
    },
  )

  it('returns 404 for the shipment of another customer', async () => {
    for (const shipment_id of [smallIds.birchShipment, smallId(99)])
      expect(await post('/wms/return-labels/', { shipment_id })).toMatchObject({
        status: 404,
        body: { error: 'Shipment not found.' },
      })
  })
})

describe('GET /wms/return-labels/', () => {
  it('lists the newest label first, filters by creation time, and adds the shipment if Expand names it', async () => {
    const first = await create({ shipment_id: firstShipment })
    server.clock.advance(24 * 3600 * 1000)
    const second = await create({ shipping_method: smallIds.standard, sender_address: address })
    const list = async (query: string, expand = ''): Promise<ReturnLabel[]> =>
      z.array(labelSchema.strict()).parse((await server.call(`/wms/return-labels/${query}`, { expand })).body)
    expect(await list('')).toEqual([second, first])
    expect(await list('?sort=createdAt&direction=asc')).toEqual([first, second])
    expect(await list('?from=2026-06-02')).toEqual([second])
    expect(await list('?to=2026-06-01')).toEqual([first])
    const [linkless, linked] = await list('', 'shipment')
    expect(linkless).not.toHaveProperty('shipment')
    expect(linked?.shipment).toMatchObject({ id: firstShipment, reference: 'SHP00000000001' })
    expect((await get(first.id, { expand: 'shipment' })).shipment?.id).toBe(firstShipment)
  })

  it('returns no label of another customer', async () => {
    const { id } = await create({ shipment_id: firstShipment })
    expect((await get(id.toUpperCase())).id).toBe(id)
    const options = { customer: 'BIRCH' }
    expect((await server.call('/wms/return-labels/', options)).body).toEqual([])
    const path = `/wms/return-labels/${id}`
    for (const reply of [
      await server.call(`${path}/`, options),
      await server.call(`${path}/`, { ...options, method: 'PATCH', body: {} }),
      await post(`${path}/request`, undefined, options),
      await post(`${path}/cancel`, undefined, options),
      await server.call('/wms/return-labels/none/'),
    ])
      expect(reply).toMatchObject({ status: 404, body: { error: someText } })
    expect(jobs).toEqual([])
    expect((await get(id)).url).toBeNull()
  })
})

describe('PATCH /wms/return-labels/:id/', () => {
  it('changes only the sent fields of the label and of its address', async () => {
    const label = await create({ shipment_id: firstShipment })
    const reply = await patch(label.id, { sender_address: { city: 'Delft', contact_person: null } })
    expect(reply.status).toBe(200)
    const changed = { ...label.sender_address, city: 'Delft', contact_person: null }
    expect(reply.body).toEqual({ ...label, sender_address: changed })
    await patch(label.id, { shipping_method: smallIds.express })
    await request(label.id)
    expect(jobs[0]).toMatchObject({ sender: { city: 'Delft' }, methodDescription: 'Method EXPRESS' })
  })

  it.each([undefined, '', '[]', '{}'])('changes no field for the body %j', async (body) => {
    const label = await create({ shipment_id: firstShipment })
    const reply = await server.call(`/wms/return-labels/${label.id}/`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })
    expect(reply).toMatchObject({ status: 200, body: label })
  })

  it('changes a reference that the client chose to an unused reference, and refuses to change a reference that is derived from a shipment', async () => {
    const body = { shipping_method: smallIds.standard, sender_address: address }
    const label = await create({ ...body, external_reference: 'RMA-1' })
    await create({ ...body, external_reference: 'RMA-2' })
    const derived = await create({ shipment_id: firstShipment })
    expect((await patch(label.id, { external_reference: 'RMA-3' })).body).toMatchObject({
      external_reference: 'RMA-3',
    })
    expect(await patch(label.id, { external_reference: 'RMA-2' })).toMatchObject({
      status: 400,
      body: { error: 'Reference is not unique' },
    })
    expect((await patch(derived.id, { external_reference: 'RMA-4' })).status).toBe(400)
    expect((await patch(label.id, { shipping_method: smallIds.letter })).status).toBe(400)
    expect((await patch(label.id, { sender_address: { city: '' } })).status).toBe(400)
  })

  it('returns 412 for a requested label and 400 for a cancelled label', async () => {
    const requested = await create({ shipment_id: firstShipment })
    await request(requested.id)
    expect(await patch(requested.id, {})).toMatchObject({ status: 412, body: { error: someText } })
    const cancelled = await create({ shipment_id: secondShipment })
    await cancel(cancelled.id)
    expect(await patch(cancelled.id, {})).toMatchObject({ status: 400, body: { error: someText } })
  })
})

describe('POST /wms/return-labels/:id/request', () => {
  it('sets the url and the tracking of the label, and appends .R to its reference', async () => {
    const label = await create({ shipment_id: firstShipment })
    const reply = await request(label.id)
    expect(reply.status).toBe(200)
    const requested = labelSchema.strict().parse(reply.body)
    expect(requested.external_reference).toBe('WEB-1.R')
    expect(requested.tracking_information).toEqual([
      {
        label_code: expect.stringMatching(/./) as string,
        tracking_code: expect.stringMatching(/./) as string,
        tracking_url: expect.stringMatching(/^https:/) as string,
      },
    ])
    const pdf = await fetch(requested.url ?? '')
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    expect((await pdf.text()).slice(0, 5)).toBe('%PDF-')
    expect(jobs).toMatchObject([
      {
        reference: 'WEB-1.R',
        sandbox: true,
        sender: { addressedTo: 'Buyer 1' },
        recipient: { addressedTo: 'Alder returns' },
      },
    ])
  })

  it('returns the same label for a repeated call, without a second job for the carrier', async () => {
    const { id } = await create({ shipment_id: firstShipment })
    const first = await request(id)
    const again = await request(id)
    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
    expect(jobs).toHaveLength(1)
  })

  it('returns 417 if the carrier fails, and requests the same parcel from the carrier in the next call', async () => {
    const { id } = await create({ shipment_id: firstShipment })
    failing = true
    expect(await request(id)).toMatchObject({ status: 417, body: { error: someText } })
    expect((await get(id)).url).toBeNull()
    failing = false
    expect((await request(id)).status).toBe(200)
    expect(jobs).toHaveLength(2)
    expect(new Set(jobs.map((job) => job.serial)).size).toBe(1)
  })

  it('returns 417 if the carrier does not respond within the time limit', async () => {
    const slow = await startTestServer({
      carrierTimeoutMs: 20,
      carrierFor: () => ({ drawReturnLabel: () => new Promise(() => undefined) }),
    })
    const body = { shipment_id: firstShipment }
    const made = labelSchema.parse((await slow.call('/wms/return-labels/', { method: 'POST', body })).body)
    const path = `/wms/return-labels/${made.id}`
    expect((await slow.call(`${path}/request`, { method: 'POST' })).status).toBe(417)
    expect((await slow.call(`${path}/cancel`, { method: 'POST' })).status).toBe(200)
    await slow.close()
  })
})

describe('POST /wms/return-labels/:id/cancel', () => {
  it('returns the cancelled label, also for a repeated call; a later request of this label returns 400', async () => {
    const label = await create({ shipment_id: firstShipment })
    expect(await cancel(label.id)).toMatchObject({ status: 200, body: label })
    expect(await cancel(label.id)).toMatchObject({ status: 200, body: label })
    expect(await request(label.id)).toMatchObject({
      status: 400,
      body: { error: 'Return label is cancelled.' },
    })
    expect(jobs).toEqual([])
  })

  it('returns 412 for a requested label', async () => {
    const { id } = await create({ shipment_id: firstShipment })
    await request(id)
    expect(await cancel(id)).toMatchObject({ status: 412, body: { error: someText } })
    expect((await get(id)).url).not.toBeNull()
  })
})

describe('a user who may read return labels but not change them', () => {
  it.each([
    ['POST', '/wms/return-labels/', 'CREATE'],
    ['PATCH', `/wms/return-labels/${smallId(1)}/`, 'UPDATE'],
    ['POST', `/wms/return-labels/${smallId(1)}/request`, 'REQUEST'],
    ['POST', `/wms/return-labels/${smallId(1)}/cancel`, 'CANCEL'],
  ])('gets 403 with the name of the missing role for %s %s', async (method, path, action) => {
    const token = await server.logIn('reader')
    expect(await server.call(path, { method, token, body: {} })).toMatchObject({
      status: 403,
      body: { error: `Missing role ROLE_MIDDLEWARE_RETURN_LABELS_${action}.` },
    })
    expect((await server.call('/wms/return-labels/', { token })).status).toBe(200)
  })
})
