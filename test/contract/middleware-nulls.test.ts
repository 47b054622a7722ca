import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type JsonSchema, readOperations } from '#support/api-operations.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const someText: unknown = expect.any(String)
const withId = z.looseObject({ id: z.string() })
const address = {
  addressed_to: 'Kim Bakker',
  street: 'Lange weg',
  street_number: '7',
  zipcode: '9000',
  city: 'Gent',
  country: 'BE',
}
const addressNulls = {
  contact_person: null,
  street2: null,
  street_number_addition: null,
  state: null,
  phone_number: null,
  mobile_number: null,
  fax_number: null,
  email_address: null,
}
const byAddress = { shipping_method: smallIds.standard, sender_address: address }
const variant = { article: smallGoods.tea, article_code: 'NULL-1' }
const webhook = { url: 'https://shop.example.org/', group: 'stock', action: 'updated', hash_secret: 'x' }
const order = {
  external_reference: 'NULL-ORDER',
  order_lines: [{ article_code: 'A-1', quantity: 1, description: 'One' }],
  shipping_address: address,
  shipping_contactperson: 'Kim',
  requested_delivery_date: '2026-07-01',
}

/** Returns the body with null in each field of the schema that the body omits. */
function filledWithNulls(body: object, schema: JsonSchema | undefined): object {
  const properties = Object.keys(schema?.properties ?? {})
  const missing = properties.filter((name) => !(name in body))
  return { ...Object.fromEntries(missing.map((name) => [name, null])), ...body }
}

const creates: readonly [path: string, body: object][] = [
  ['/wms/articles/', { name: 'Null' }],
  ['/wms/articles/', { articles: [{ name: 'Null' }] }],
  ['/wms/articles/bulks/', { articles: [{ name: 'Null', variants: null }] }],
  ['/wms/articles/', { name: 'Null', variants: [{ article_code: 'NULL-2', name: null, expirable: null }] }],
  ['/wms/variants/', variant],
  [
    '/wms/inbounds/',
    {
      external_reference: 'N',
      inbound_date: '2026-07-01',
      inbound_lines: [{ article_code: 'A-1', quantity: 1, packing_slip: null, meta_data: null }],
    },
  ],
  [
    '/wms/orders/',
    {
      ...order,
      shipping_address: { ...address, ...addressNulls, invalid: null },
      order_lines: [{ ...order.order_lines[0], price: null, packing_slip: null, meta_data: null }],
    },
  ],
  ['/wms/exports/', { type: 'stock', filters: { search: null, from: null, to: null } }],
  ['/wms/return-labels/', { shipment_id: smallIds.shipments[0] }],
  ['/wms/return-labels/', { shipment_id: smallIds.shipments[1], shipping_method: smallIds.express }],
  ['/wms/return-labels/', { ...byAddress, sender_address: { ...address, ...addressNulls } }],
  ['/webhooks/', webhook],
]

describe('null in a POST', () => {
  const operations = readOperations()

  it.each(creates)('is accepted in every optional field: %s %j', async (path, body) => {
    const operation = operations.find((each) => each.method === 'POST' && each.path === path)
    const described = [operation?.body, ...(operation?.body?.anyOf ?? [])].flatMap((each) => each ?? [])
    expect(described.length).toBeGreaterThan(0)
    const whole = described.reduce((filled: object, schema) => filledWithNulls(filled, schema), body)
    const reply = await post(path, whole)
    expect(reply.body).not.toHaveProperty('errors')
    expect(reply.status).toBe(201)
  })

  it('in a required field leads to an error under the name of this field', async () => {
    expect(await post('/webhooks/', { ...webhook, url: null })).toMatchObject({
      status: 400,
      body: { errors: { url: [someText] } },
    })
    expect(
      await post('/wms/return-labels/', { ...byAddress, sender_address: { ...address, city: null } }),
    ).toMatchObject({
      status: 400,
      body: { errors: { 'senderAddress.city': [someText] } },
    })
  })

  it.each([
    [
      { shipment_id: 'x', shipping_method: null, sender_address: null, external_reference: null },
      ['shipmentId'],
    ],
    [{ shipment_id: smallIds.shipments[0], shipping_method: 'x', sender_address: null }, ['shippingMethod']],
    [{ shipment_id: smallIds.shipments[0], external_reference: 'X' }, ['externalReference']],
    [
      { shipment_id: null, shipping_method: null, sender_address: null, external_reference: null },
      ['shipmentId'],
    ],
  ])(
    'in the body of a new return label leads to one error, under one field name: %j',
    async (body, fields) => {
      const reply = await post('/wms/return-labels/', body)
      expect(reply.status).toBe(400)
      expect(errorsOf(reply)).toEqual(fields)
    },
  )

  it('is not searched for in a body with 100,000 levels, because such a body is refused with 400 first', async () => {
    const body = `{"name":"Deep","extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect((await server.call('/wms/articles/', { method: 'POST', body })).status).toBe(400)
  })
})

describe('null in a PATCH', () => {
  it('clears nullable fields', async () => {
    const path = `/wms/variants/${smallGoods.shirtBlue}/`
    await patch(path, { description: 'Blue', ean: '8712345678906', value: 3, country_of_origin: 'NL' })
    const cleared = { description: null, ean: null, value: null, country_of_origin: null, weight: null }
    expect(await patch(path, cleared)).toMatchObject({ status: 200, body: cleared })
  })

  it('is ignored in fields that cannot be null', async () => {
    const changes: [path: string, nulls: object][] = [
      [
        `/wms/variants/${smallGoods.shirtBlue}/`,
        { name: null, article_code: null, article: null, expirable: null, using_serial_numbers: null },
      ],
      [`/wms/articles/${smallGoods.tea}/`, { name: null }],
      [`/webhooks/${await made('/webhooks/', webhook)}/`, { url: null, group: null, action: null }],
      [
        `/wms/return-labels/${await made('/wms/return-labels/', byAddress)}/`,
        { sender_address: null, shipping_method: null, external_reference: null },
      ],
      [
        `/wms/orders/${await made('/wms/orders/', { ...order, external_reference: 'NULL-PATCH' })}/`,
        {
          external_reference: null,
          requested_delivery_date: null,
          order_lines: null,
          shipping_address: null,
          customer: null,
        },
      ],
    ]
    for (const [path, nulls] of changes) {
      await patch(path, { expirable: true, using_serial_numbers: true })
      const before = (await server.call(path)).body
      server.clock.advance(60_000)
      const reply = await patch(path, nulls)
      expect(reply.status, path).toBe(200)
      expect((await server.call(path)).body, path).toEqual(before)
    }
  })

  it.each(['addressed_to', 'street', 'street_number', 'zipcode', 'city', 'country'])(
    'is refused in the field %s of the sender of a return label',
    async (field) => {
      const path = `/wms/return-labels/${await made('/wms/return-labels/', byAddress)}/`
      expect(await patch(path, { sender_address: { [field]: null } })).toMatchObject({
        status: 400,
        body: { error: someText },
      })
    },
  )

  it.each(['addressed_to', 'street', 'city', 'country'])(
    'is refused in the field %s of the address of an order',
    async (field) => {
      const id = await made('/wms/orders/', { ...order, external_reference: `NULL-${field}` })
      expect((await patch(`/wms/orders/${id}/`, { shipping_address: { [field]: null } })).status).toBe(400)
    },
  )
})

describe('an empty text', () => {
  it('counts as null in each text of an order or inbound that null clears, and as its shipping method', async () => {
    const texts = ['external_id', 'po_number', 'note', 'customer_note', 'language', 'currency', 'inco_terms']
    const numbers = ['ioss_number', 'eori_number', 'vat_number', 'inbound_vat_number', 'inbound_eori_number']
    const names = [...texts, ...numbers, 'shipping_email', 'shipping_contactperson', 'shipping_method']
    const id = await made('/wms/orders/', { ...order, external_reference: 'EMPTY-1', note: 'x' })
    const reply = await patch(`/wms/orders/${id}/`, Object.fromEntries(names.map((name) => [name, ''])))
    expect(reply.status).toBe(200)
    const shown = z.record(z.string(), z.unknown()).parse(reply.body)
    expect(names.filter((name) => (shown[name] ?? null) !== null)).toEqual([])
    const line = { article_code: 'A-1', quantity: 1 }
    const inbound = {
      external_reference: 'EMPTY-2',
      inbound_date: '2026-07-01',
      inbound_lines: [line],
      note: '',
    }
    expect(await post('/wms/inbounds/', inbound)).toMatchObject({ status: 201, body: { note: null } })
  })

  it('stays an empty text in an optional field of the sender of a label', async () => {
    const sender_address = { ...address, state: '', phone_number: '' }
    const reply = await post('/wms/return-labels/', { ...byAddress, sender_address })
    expect(reply).toMatchObject({ status: 201, body: { sender_address: { state: '', phone_number: '' } } })
  })

  it.each([
    ['/wms/orders/', { ...order, order_amount: '' }],
    ['/wms/orders/', { ...order, order_lines: [{ ...order.order_lines[0], price: '' }] }],
    ['/wms/orders/', { ...order, shipping_address: { ...address, invalid: '' } }],
    ['/wms/orders/', { ...order, documents: [{ title: 't', file: 'QQ==', label_type: '' }] }],
    ['/wms/orders/', { ...order, meta_data: '' }],
    ['/wms/return-labels/', { ...byAddress, external_reference: '' }],
    ['/wms/return-labels/', { shipment_id: smallIds.shipments[0], shipping_method: '' }],
    ['/wms/exports/', { type: 'orders', fields: '' }],
  ])(
    'is 400 as another number, id, flag, list or object, and as the reference of a label: %s %j',
    async (path, body) => {
      expect((await post(path, body)).status).toBe(400)
    },
  )
})

function post(path: string, body: unknown): Promise<Reply> {
  return server.call(path, { method: 'POST', body })
}

function patch(path: string, body: unknown): Promise<Reply> {
  return server.call(path, { method: 'PATCH', body })
}

async function made(path: string, body: unknown): Promise<string> {
  const reply = await post(path, body)
  expect(reply.status).toBe(201)
  return withId.parse(reply.body).id
}

function errorsOf(reply: Reply): string[] {
  const { errors } = z.object({ errors: z.record(z.string(), z.unknown()) }).parse(reply.body)
  return Object.keys(errors)
}
