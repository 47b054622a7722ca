import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { smallId } from '#support/small-world.ts'

/** Matches any text, because tests do not check the wording of messages. */
const someText: unknown = expect.any(String)
const line = { article_code: 'A-1', quantity: 2, description: 'Red shirt' }

let server: TestServer
let made = 0
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

function create(rest: Record<string, unknown> = {}): Promise<Reply> {
  const body = newOrder({ external_reference: `FIELD-${(made += 1)}`, ...rest })
  const expand = 'shipping_address,order_lines,meta_data,order_line_meta_data'
  return server.call('/wms/orders/', { method: 'POST', body, expand })
}

describe('a new order', () => {
  it.each([
    [{ external_reference: undefined }, 'externalReference'],
    [{ external_reference: '  ' }, 'externalReference'],
    [{ external_reference: null }, 'externalReference'],
    [{ shipping_contactperson: undefined }, 'shippingContactperson'],
    [{ shipping_contactperson: null }, 'shippingContactperson'],
    [{ requested_delivery_date: undefined }, 'requestedDeliveryDate'],
    [{ requested_delivery_date: '2026-02-30' }, 'requestedDeliveryDate'],
    [{ requested_delivery_date: '10-06-2026' }, 'requestedDeliveryDate'],
    [{ order_lines: undefined }, 'orderLines'],
    [{ order_lines: [] }, 'orderLines'],
    [{ order_lines: {} }, 'orderLines'],
    [{ order_lines: [{ ...line, article_code: undefined }] }, 'orderLines.0.articleCode'],
    [{ order_lines: [line, { ...line, quantity: 0 }] }, 'orderLines.1.quantity'],
    [{ order_lines: [{ ...line, quantity: -1 }] }, 'orderLines.0.quantity'],
    [{ order_lines: [{ ...line, quantity: 1.5 }] }, 'orderLines.0.quantity'],
    [{ order_lines: [{ ...line, quantity: '2x' }] }, 'orderLines.0.quantity'],
    [{ order_lines: [{ ...line, quantity: null }] }, 'orderLines.0.quantity'],
    [{ order_lines: [{ ...line, description: undefined }] }, 'orderLines.0.description'],
    [{ order_lines: [{ ...line, price: -1 }] }, 'orderLines.0.price'],
    [{ order_lines: [{ ...line, price: 'free' }] }, 'orderLines.0.price'],
    [{ order_lines: [{ ...line, meta_data: { 'A b': '1' } }] }, 'orderLines.0.metaData.A b'],
    [{ shipping_address: undefined }, 'shippingAddress'],
    [{ shipping_method: 'PP-STD' }, 'shippingMethod'],
    [{ shipping_method: smallId(99) }, 'shippingMethod'],
    [{ inco_terms: 'EXW' }, 'incoTerms'],
    [{ incoterms: 'dap' }, 'incoterms'],
    [{ incoterms: 'DDP', inco_terms: 'DAP' }, 'incoterms'],
    [{ order_amount: 12.5 }, 'orderAmount'],
    [{ assured_amount: -1 }, 'assuredAmount'],
    [{ currency: 'euro' }, 'currency'],
    [{ language: 'Nederlands!' }, 'language'],
    [{ documents: [{ title: 'a.pdf' }] }, 'documents.0.file'],
    [{ documents: [{ title: 'a.pdf', file: 'not base64!' }] }, 'documents.0.file'],
    [{ documents: [{ title: 'a.pdf', file: '\r\n' }] }, 'documents.0.file'],
    [{ documents: [{ title: 'a.pdf', file: 'A' }] }, 'documents.0.file'],
    [{ documents: [{ title: 'a.pdf', file: 'AAAAA' }] }, 'documents.0.file'],
    [{ documents: [{ title: 'a.pdf', file: '====' }] }, 'documents.0.file'],
    [{ documents: [{ file: 'JVBERi0=' }] }, 'documents.0.title'],
  ])('is refused with an error under the name of the field: %j', async (rest, field) => {
    const reply = await create(rest)
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ errors: { [field]: [someText] } })
  })
})

describe('an address', () => {
  it.each(['addressed_to', 'street', 'city', 'country', 'zipcode'])('requires %s', async (field) => {
    const name = field.replace('addressed_to', 'addressedTo')
    for (const value of [undefined, null, '', ' ']) {
      const reply = await create({ shipping_address: newAddress({ [field]: value }) })
      expect(reply.status, String(value)).toBe(400)
      expect(reply.body).toEqual({ errors: { [`shippingAddress.${name}`]: [someText] } })
    }
  })

  it.each(['street_number', 'street2', 'state', 'phone_number', 'mobile_number', 'fax_number', 'invalid'])(
    'is accepted without %s',
    async (field) => {
      for (const value of [undefined, null])
        expect((await create({ shipping_address: newAddress({ [field]: value }) })).status).toBe(201)
    },
  )

  it.each([
    ['addressed_to', 100],
    ['contact_person', 100],
    ['street', 100],
    ['street2', 100],
    ['city', 100],
    ['state', 100],
    ['street_number', 10],
    ['street_number_addition', 10],
  ])(
    'is accepted if its field %s has %i characters, and refused if it has one character more',
    async (field, max) => {
      const [fits, tooLong] = [max, max + 1].map((length) => 'é'.repeat(length))
      const whole = await create({ shipping_address: newAddress({ [field]: fits }) })
      expect(whole).toMatchObject({ status: 201, body: { shipping_address: { [field]: fits } } })
      const refused = await create({ shipping_address: newAddress({ [field]: tooLong }) })
      expect(refused.status).toBe(400)
      expect(JSON.stringify(refused.body)).toContain('shippingAddress.')
    },
  )

  it.each([
    ['HK', 201],
    ['AE', 201],
    ['ae', 201],
    ['NL', 400],
    ['GB', 400],
  ])('in %s without a zipcode leads to the status %i', async (country, status) => {
    for (const zipcode of [undefined, null, '']) {
      const reply = await create({ shipping_address: newAddress({ country, zipcode }) })
      expect(reply.status).toBe(status)
      if (status === 201)
        expect(reply.body).toMatchObject({
          shipping_address: { zipcode: null, country: country.toUpperCase() },
        })
    }
  })

  it.each(['Netherlands', 'NLD', 'N1', 31])('is refused if its country is %s', async (country) => {
    expect((await create({ shipping_address: newAddress({ country }) })).status).toBe(400)
  })
})

describe('meta_data', () => {
  it('is stored without its empty values, and with all other values unchanged', async () => {
    const meta_data = { a: 'x', 'b-2_c': 3, yes: true, no: false, zero: 0, empty: '', nothing: null }
    const reply = await create({ meta_data, order_lines: [{ ...line, meta_data }] })
    const kept = { a: 'x', 'b-2_c': 3, yes: true, no: false, zero: 0 }
    expect(reply).toMatchObject({ status: 201 })
    const shown = z.object({ meta_data: z.unknown(), order_lines: z.array(z.unknown()) }).parse(reply.body)
    expect(shown.meta_data).toEqual(kept)
    expect(shown.order_lines[0]).toMatchObject({ meta_data: kept })
  })

  it.each(['Upper', 'with space', 'dot.ted', 'é', ''])(
    'is refused if it contains the key "%s"',
    async (key) => {
      expect(await create({ meta_data: { [key]: 'x' } })).toMatchObject({ status: 400 })
    },
  )

  it.each([[['a']], [{ a: { b: 'c' } }], ['text']])('is refused if it is %j', async (meta_data) => {
    expect(await create({ meta_data })).toMatchObject({ status: 400 })
  })
})

describe('values of another type than documented', () => {
  it('are accepted if they are a number or a boolean as text, a number in place of a text, or [] in place of {}', async () => {
    const reply = await create({
      external_reference: 77001,
      external_id: 88001,
      po_number: 5,
      order_amount: '1999',
      assured_amount: '0',
      meta_data: [],
      note: '',
      requested_delivery_date: '2026-06-10T00:00:00+00:00',
      order_lines: [{ ...line, quantity: '3', price: '9.95', packing_slip: '2', meta_data: [] }],
      shipping_address: newAddress({
        street_number: 12,
        zipcode: 3511,
        phone_number: 31301234567,
        invalid: 'false',
      }),
    })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        external_reference: '77001',
        external_id: '88001',
        po_number: '5',
        order_amount: 1999,
        assured_amount: 0,
        meta_data: {},
        note: null,
        requested_delivery_date: '2026-06-10T00:00:00+00:00',
        order_lines: [{ quantity: 3, price: 9.95, packing_slip: 2 }],
        shipping_address: {
          street_number: '12',
          zipcode: '3511',
          phone_number: '31301234567',
          invalid: false,
        },
      },
    })
  })

  it('are refused if they are the whole body of a new order: an empty text or an empty array', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const body of ['', '[]', '{}'])
      expect(await server.call('/wms/orders', { method: 'POST', headers, body })).toMatchObject({
        status: 400,
        body: { errors: { externalReference: [someText] } },
      })
  })
})
