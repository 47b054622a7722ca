import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId, smallIds } from '#support/small-world.ts'
import { orLater } from '#support/test-database.ts'

/** Matches any text, because tests do not check the wording of messages. */
const someText: unknown = expect.any(String)
const everything =
  'shipping_address,order_lines,documents,serial_numbers,variants,meta_data,order_line_meta_data'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

function create(rest: Record<string, unknown> = {}, expand = everything): Promise<Reply> {
  return server.call('/wms/orders/', { method: 'POST', body: newOrder(rest), expand })
}

async function count(): Promise<number> {
  return z.array(z.unknown()).parse((await server.call('/wms/orders/?limit=1000')).body).length
}

const line = { article_code: 'A-1', quantity: 2, description: 'Red shirt' }

describe('the lines of an order', () => {
  const linesOf = (characters: number): unknown[] =>
    Array.from({ length: 300 }, () => ({ ...line, description: 'd'.repeat(characters) }))

  it('may have at most about 4.2 million characters of JSON in total in each POST or PATCH', async () => {
    expect((await create({ order_lines: linesOf(13_500) })).status).toBe(201)
    const refused = { status: 400, body: { errors: { orderLines: [someText] } } }
    const order_lines = linesOf(14_500)
    expect(await create({ order_lines, external_reference: 'SHOP-1002' })).toMatchObject(refused)
    const { id } = z
      .object({ id: z.string() })
      .parse((await create({ external_reference: 'SHOP-1003' }, '')).body)
    const path = `/wms/orders/${id}/`
    expect(await server.call(path, { method: 'PATCH', body: { order_lines } })).toMatchObject(refused)
  })
})

describe('POST /wms/orders/', () => {
  it('returns 201 and the base fields of API.md 6.1 with the status created', async () => {
    const reply = await create({}, '')
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      // all customers of the WMS together have sixteen orders, and the references of all orders form one sequence
      reference: orLater('ORD00000000017'),
      created_at: '2026-06-01T12:00:00+00:00',
      customer: smallIds.alder,
      external_id: null,
      external_reference: 'SHOP-1001',
      po_number: null,
      requested_delivery_date: '2026-06-10T00:00:00+00:00',
      status: 'created',
      partial_delivery: false,
      business_to_business: false,
      applied_business_rules: null,
      shipping_method: null,
      shipping_email: null,
      shipping_contactperson: 'Kim de Wit',
      inco_terms: null,
      ioss_number: null,
      eori_number: null,
      vat_number: null,
      inbound_vat_number: null,
      inbound_eori_number: null,
      order_amount: null,
      assured_amount: null,
      currency: null,
      note: null,
      customer_note: null,
      language: null,
    })
    const { id } = z.object({ id: z.string() }).loose().parse(reply.body)
    expect((await server.call(`/wms/orders/${id}/`)).body).toEqual(reply.body)
  })

  it('stores every field of API.md 6.1', async () => {
    const scalars = {
      external_id: '9001',
      po_number: 'PO-77',
      shipping_method: smallIds.standard,
      shipping_email: 'kim@example.org',
      ioss_number: 'IM1234567890',
      eori_number: 'NL123',
      vat_number: 'NL1B01',
      inbound_vat_number: 'GB1',
      inbound_eori_number: 'GB2',
      order_amount: 2599,
      assured_amount: 10000,
      currency: 'EUR',
      note: 'Careful',
      customer_note: 'Thank you',
      language: 'nl',
      inco_terms: 'DAP',
    }
    const address = {
      addressed_to: 'Kim de Wit',
      contact_person: 'Front desk',
      street: 'Kade',
      street2: 'Unit 3',
      street_number: '7',
      street_number_addition: 'b',
      zipcode: '3511 AA',
      city: 'Utrecht',
      country: 'NL',
      state: 'UT',
      phone_number: '1',
      mobile_number: '2',
      fax_number: '3',
      email_address: 'desk@example.org',
    }
    const lines = [
      { ...line, price: 12.5, meta_data: { gift: 'yes' } },
      { article_code: 'A-0', quantity: 1, description: 'Tea' },
    ]
    const meta_data = { source: 'shop', 'sub-shop_2': 'b' }
    const reply = await create({ ...scalars, shipping_address: address, order_lines: lines, meta_data })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        ...scalars,
        shipping_address: { ...address, invalid: false },
        meta_data,
        documents: [],
        order_lines: [
          {
            variant: { id: smallGoods.shirtRed, article_code: 'A-1' },
            quantity: 2,
            description: 'Red shirt',
            price: 12.5,
            processed: 0,
            packing_slip: 2,
            serial_numbers: [],
            meta_data: { gift: 'yes' },
          },
          { variant: { id: smallGoods.teaBox }, quantity: 1, price: null, meta_data: {} },
        ],
      },
    })
  })

  it.each([
    ['the newer reference of the API requires', {}],
    [
      'the older reference of the API requires, without a contact person',
      {
        customer: smallIds.alder.toUpperCase(),
        shipping_method: smallIds.standard,
        shipping_contactperson: undefined,
      },
    ],
    ['both references of the API require', { customer: smallIds.alder, shipping_method: smallIds.standard }],
  ])('accepts the fields that %s', async (_, rest) => {
    expect((await create(rest)).status).toBe(201)
  })

  it.each([
    [{ customer: smallIds.alder, shipping_contactperson: undefined }, 'shippingContactperson'],
    [{ shipping_method: smallIds.standard, shipping_contactperson: '' }, 'shippingContactperson'],
    [{ customer: smallIds.birch }, 'customer'],
  ])('refuses an order with %j', async (rest, field) => {
    expect(await create(rest)).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
  })

  it.each([
    [{ incoterms: 'DDP' }, 'DDP'],
    [{ inco_terms: 'DAP' }, 'DAP'],
    [{ incoterms: 'DAP', inco_terms: 'DAP' }, 'DAP'],
    [{ incoterms: null, inco_terms: 'DDP' }, 'DDP'],
    [{ incoterms: '' }, null],
  ])('accepts the field as `incoterms` and as `inco_terms`: %j', async (rest, terms) => {
    const reply = await create(rest)
    expect(reply).toMatchObject({ status: 201, body: { inco_terms: terms } })
    expect(reply.body).not.toHaveProperty('incoterms')
  })

  it('ignores fields that only the service sets', async () => {
    const sent = { status: 'shipped', business_to_business: true, id: smallId(1), reference: 'ORD1' }
    const reply = await create({ ...sent, created_at: '2020-01-01', partial_delivery: true })
    expect(reply).toMatchObject({
      status: 201,
      body: { status: 'created', business_to_business: false, reference: orLater('ORD00000000017') },
    })
  })

  it('creates an order that gets the status invalid_address if the client marks its address as invalid', async () => {
    const reply = await create({ shipping_address: newAddress({ invalid: true }) })
    expect(reply).toMatchObject({
      status: 201,
      body: { status: 'created', shipping_address: { invalid: true } },
    })
    const { id } = z.object({ id: z.string() }).loose().parse(reply.body)
    await expect
      .poll(async () => (await server.call(`/wms/orders/${id}/`)).body)
      .toMatchObject({ status: 'invalid_address' })
    const good = z
      .object({ id: z.string() })
      .loose()
      .parse((await create({ external_reference: '2' })).body)
    expect((await server.call(`/wms/orders/${good.id}/`)).body).toMatchObject({ status: 'created' })
  })
})

describe('the article code of an order line', () => {
  /**
   * Adds variants with ambiguous codes: an article code that is also the EAN of another variant, and an SKU that two
   * variants have and that is also the EAN of a third variant.
   */
  beforeEach(async () => {
    const variants = [
      { article_code: '4006381333931', sku: 'SHARED' },
      { article_code: 'C-2', sku: 'SHARED', ean: '111' },
      { article_code: 'C-3', ean: '222', sku: '111' },
      { article_code: 'C-4', ean: '222', sku: 'ONCE' },
    ]
    const body = { name: 'More', variants }
    expect((await server.call('/wms/articles/', { method: 'POST', body })).status).toBe(201)
  })

  it.each([
    ['A-2', 'A-2'],
    ['SKU-A-0', 'A-0'],
    ['8712345678906', 'A-1'],
    // An article code has priority over an EAN, and an EAN over an SKU.
    ['4006381333931', '4006381333931'],
    ['111', 'C-2'],
    [111, 'C-2'],
    ['ONCE', 'C-4'],
  ])('finds a variant for %s', async (code, expected) => {
    const reply = await create({ order_lines: [{ ...line, article_code: code }] })
    expect(reply).toMatchObject({
      status: 201,
      body: { order_lines: [{ variant: { article_code: expected } }] },
    })
  })

  it.each([
    ['SHARED', 'two variants have this SKU'],
    ['222', 'two variants have this EAN'],
    ['a-1', 'the letter case differs'],
    ['B-1', 'the variant belongs to another customer'],
    ['nothing', 'unknown'],
  ])('finds no variant for %s: %s', async (code) => {
    const reply = await create({ order_lines: [line, { ...line, article_code: code }] })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ errors: { 'orderLines.1.articleCode': [someText] } })
    expect(await count()).toBe(15)
  })
})

describe('identical order lines', () => {
  const tea = { article_code: 'A-0', quantity: 1, description: 'Tea', price: 3 }

  it('become one line at the position of the first line: quantity and packing_slip are each summed up', async () => {
    const reply = await create({
      order_lines: [
        { ...tea, packing_slip: 5 },
        line,
        // this line has the SKU of the variant of the first line, and the same price, written as text
        { ...tea, article_code: 'SKU-A-0', price: '3.00', quantity: 2, packing_slip: 1 },
        { ...tea, quantity: 4, meta_data: { gift: 'yes' } },
      ],
    })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        order_lines: [
          { variant: { article_code: 'A-0' }, quantity: 7, packing_slip: 10, meta_data: { gift: 'yes' } },
          { variant: { article_code: 'A-1' }, quantity: 2, packing_slip: 2 },
        ],
      },
    })
  })

  it.each([{ description: 'Green tea' }, { price: 4 }, { price: null }])(
    'are not merged if they differ in %j',
    async (difference) => {
      const reply = await create({ order_lines: [tea, { ...tea, ...difference }] })
      const { order_lines } = z.object({ order_lines: z.array(z.unknown()) }).parse(reply.body)
      expect(order_lines).toHaveLength(2)
    },
  )

  it('are refused if two of them have meta_data', async () => {
    const [one, other] = [{ gift: 'yes' }, { gift: 'no' }]
    const reply = await create({
      order_lines: [{ ...tea, meta_data: one }, tea, { ...tea, meta_data: other }],
    })
    expect(reply).toMatchObject({
      status: 400,
      body: { errors: { 'orderLines.2.metaData': [someText] } },
    })
    const empty = await create({
      order_lines: [
        { ...tea, meta_data: one },
        { ...tea, meta_data: { a: '' } },
      ],
    })
    expect(empty.status).toBe(201)
  })
})

describe('references of an order', () => {
  it.each([
    [{ external_reference: 'ORDER-3' }, { 0: 'Reference is not unique', externalReference: [someText] }],
    [{ external_id: 'ext-3' }, { 0: 'External id is not unique', externalId: [someText] }],
    [
      { external_reference: 'ORDER-4', external_id: 'ext-3' },
      { 0: someText, 1: someText, externalReference: [someText], externalId: [someText] },
    ],
  ])(
    'must be unique among the orders of a customer, but another customer may use the same: %j',
    async (rest, errors) => {
      const reply = await create(rest)
      expect(reply.status).toBe(400)
      expect(reply.body).toEqual({ errors })
      expect(await count()).toBe(15)
      const lines = [{ ...line, article_code: 'B-1' }]
      const body = newOrder({ external_reference: 'B', ...rest, order_lines: lines })
      expect((await server.call('/wms/orders/', { method: 'POST', body, customer: 'BIRCH' })).status).toBe(
        201,
      )
    },
  )

  it('have no gap in their numbers after a refused order', async () => {
    expect((await create({ external_id: 'ext-3' })).status).toBe(400)
    expect((await create()).body).toMatchObject({ reference: orLater('ORD00000000017') })
  })

  it('can be null in several orders of a customer: `external_id` is optional', async () => {
    for (const external_reference of ['one', 'two'])
      expect((await create({ external_reference, external_id: null })).status).toBe(201)
  })
})
