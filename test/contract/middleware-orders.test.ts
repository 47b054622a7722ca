import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { orderStatuses } from '#shared/domain/resource-states.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallOrders } from '#support/small-orders.ts'
import { redShirt } from '#support/small-shirts.ts'
import { smallId, smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const listed = z.array(z.object({ id: z.string(), reference: z.string() }).loose())

/** Returns the last two digits of each reference, in the sequence of the response. */
async function references(query: string, customer?: string): Promise<number[]> {
  const reply = await server.call(`/wms/orders/${query}`, customer === undefined ? {} : { customer })
  expect(reply.status).toBe(200)
  return listed.parse(reply.body).map(({ reference }) => Number(reference.slice(-2)))
}

const shipped = smallOrders.byStatus('shipped')
const newestFirst = orderStatuses.map((_, index) => orderStatuses.length - index)
const oldestFirst = newestFirst.toReversed()

/** The shipped order of the test data, as a response contains it without Expand (API.md 6.1). */
const shippedBase = {
  id: shipped,
  reference: 'ORD00000000010',
  created_at: '2026-05-10T10:00:00+00:00',
  customer: smallIds.alder,
  external_id: 'ext-9',
  external_reference: 'WEB-2',
  po_number: 'PO-2',
  requested_delivery_date: '2026-06-11T00:00:00+00:00',
  status: 'shipped',
  partial_delivery: true,
  business_to_business: true,
  applied_business_rules: true,
  shipping_method: smallIds.express,
  shipping_email: 'sam@example.org',
  shipping_contactperson: 'Sam Vos',
  inco_terms: null,
  ioss_number: null,
  eori_number: null,
  vat_number: null,
  inbound_vat_number: null,
  inbound_eori_number: null,
  order_amount: 1995,
  assured_amount: null,
  currency: 'EUR',
  note: null,
  customer_note: null,
  language: 'nl',
}

describe('GET /wms/orders/', () => {
  it('returns the newest order first, and only the base fields of API.md 6.1 even with Expand', async () => {
    expect(await references('')).toEqual(newestFirst)
    const expand = 'order_lines,shipping_address,documents,meta_data'
    const { body } = await server.call('/wms/orders/?external_reference=WEB-2', { expand })
    expect(body).toEqual([shippedBase])
  })

  it.each([
    ['?reference=ORD00000000003', [3]],
    ['?reference=ord00000000003', []],
    ['?external_reference=ORDER-3', [4]],
    ['?external_reference=ORDER', []],
    ['?external_id=ext-4', [5]],
    ['?external_id=ext-4&external_reference=ORDER-3', []],
    ['?status=created', [6]],
    ['?status=shipment_waiting_for_ewh', [14]],
    ['?is_business_to_business=true', [10]],
    ['?is_business_to_business=1', [10]],
    ['?is_business_to_business=false&limit=3', [15, 14, 13]],
    ['?is_business_to_business=0&status=shipped', []],
    ['?requested_delivery_date_gte=2026-06-18&direction=asc', [1, 2, 3]],
    ['?requested_delivery_date_gte=2026-06-21', []],
    ['?requested_delivery_date_gte=2026-06-18T12:00:00Z&direction=asc', [1, 2, 3]],
    ['?status=&reference=', newestFirst],
    ['?direction=asc', oldestFirst],
    ['?sort=createdAt', newestFirst],
    ['?sort=modifiedAt', oldestFirst],
    ['?sort=requestedDeliveryDate&direction=asc', newestFirst],
    ['?sort=status&direction=asc&limit=3', [12, 4, 5]],
    ['?from=2026-05-03&to=2026-05-04', [4, 3]],
    ['?from=2026-05-03 10:00&to=2026-05-04 09:59', [3]],
    ['?limit=4', [15, 14, 13, 12]],
    ['?limit=4&page=0', [15, 14, 13, 12]],
    ['?limit=4&page=2', [11, 10, 9, 8]],
    ['?limit=4&page=4', [3, 2, 1]],
    ['?', newestFirst],
  ])('returns the orders that match the query %s', async (query, expected) => {
    expect(await references(query)).toEqual(expected)
  })

  it.each([
    ['?status=open', 'status'],
    ['?sort=reference', 'sort'],
    ['?direction=down', 'direction'],
    ['?limit=-1', 'limit'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?page=-1', 'page'],
    ['?from=2026-02-30', 'from'],
    ['?is_business_to_business=maybe', 'isBusinessToBusiness'],
    ['?requested_delivery_date_gte=tomorrow', 'requestedDeliveryDateGte'],
  ])('refuses the query %s with an error under the name of the parameter', async (query, field) => {
    const reply = await server.call(`/wms/orders/${query}`)
    expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [expect.any(String)] } } })
  })
})

describe('GET /wms/orders/:id/', () => {
  const path = `/wms/orders/${shipped}/`

  it('returns the base fields if the call has no Expand header, also for an id in capitals', async () => {
    for (const spelled of [path, path.replace(/\/$/, ''), `/wms/orders/${shipped.toUpperCase()}/`])
      expect(await server.call(spelled)).toMatchObject({ status: 200, body: shippedBase })
    expect((await server.call(path)).body).toEqual(shippedBase)
  })

  const first = {
    variant: redShirt,
    quantity: 2,
    description: 'As sold',
    price: 19.95,
    processed: 2,
    packing_slip: 2,
  }
  const second = {
    variant: {
      ...redShirt,
      id: smallGoods.teaBox,
      article_code: 'A-0',
      name: 'Box of tea',
      ean: null,
      sku: 'SKU-A-0',
      height: null,
      expirable: true,
      using_serial_numbers: false,
      value: null,
      created_at: '2026-01-03T08:00:00+00:00',
      modified_at: '2026-01-03T08:00:00+00:00',
    },
    quantity: 3,
    description: 'As sold',
    price: null,
    processed: 3,
    packing_slip: 4,
  }

  it.each([
    [
      'shipping_address',
      {
        shipping_address: {
          addressed_to: 'Order buyer',
          contact_person: 'Sam Vos',
          street: 'Hofstraat',
          street2: null,
          street_number: '12',
          street_number_addition: 'b',
          zipcode: '1234 AB',
          city: 'Utrecht',
          country: 'NL',
          state: null,
          phone_number: '+31 30 000 0000',
          mobile_number: null,
          fax_number: null,
          email_address: 'sam@example.org',
          invalid: false,
        },
      },
    ],
    ['order_lines', { order_lines: [first, second] }],
    ['order_lines,variants', { order_lines: [first, second] }],
    [
      'order_lines, serial_numbers',
      {
        order_lines: [
          { ...first, serial_numbers: ['SN-2', 'SN-3'] },
          { ...second, serial_numbers: [] },
        ],
      },
    ],
    [
      'order_line_meta_data ,order_lines',
      {
        order_lines: [
          { ...first, meta_data: { gift_wrap: 'yes' } },
          { ...second, meta_data: {} },
        ],
      },
    ],
    ['serial_numbers,order_line_meta_data', {}],
    ['meta_data', { meta_data: { channel: 'wholesale' } }],
    [
      'documents',
      {
        documents: [
          {
            id: smallOrders.document,
            title: 'invoice.pdf',
            mime_type: 'application/pdf',
            quantity: 2,
            is_shipping_label: false,
            order_price: 1995,
            label_type: null,
          },
        ],
      },
    ],
    ['shipping_method,administration_code,unknown', {}],
  ])(
    'adds to the base fields only the fields of the groups in the Expand header: %s',
    async (expand, added) => {
      const reply = await server.call(path, { expand })
      expect(reply.body).toEqual({ ...shippedBase, ...added })
    },
  )

  it('returns null as the shipping method of an order that has no shipping method', async () => {
    const birch = { customer: 'BIRCH' }
    const reply = await server.call(`/wms/orders/${smallOrders.birch}/`, birch)
    expect(reply.body).toMatchObject({ shipping_method: null, external_reference: 'ORDER-0' })
  })

  it('returns 404 for an unknown or malformed id', async () => {
    for (const id of [smallId(999), 'none', smallIds.shipments[0]])
      expect((await server.call(`/wms/orders/${id ?? ''}/`)).status).toBe(404)
  })
})

describe('an order of another customer', () => {
  it('is missing from the list of orders, with and without filters', async () => {
    for (const query of [
      '',
      '?external_id=ext-0',
      '?external_reference=ORDER-0',
      '?reference=ORD00000000016',
    ])
      expect(await references(query)).not.toContain(16)
    expect(await references('', 'BIRCH')).toEqual([16])
    expect(await references('?external_id=ext-0', 'BIRCH')).toEqual([16])
    expect(await references('?external_id=ext-1', 'BIRCH')).toEqual([])
  })

  it.each([
    ['GET', ''],
    ['PATCH', ''],
    ['PATCH', 'cancel/'],
    ['GET', 'documents/'],
    ['POST', 'documents/'],
  ])('is not found by %s …/%s', async (method, rest) => {
    const body = { file: 'JVBERi0=', title: 'x' }
    const call = method === 'GET' ? {} : { method, body }
    for (const [customer, id] of [
      ['ALDER', smallOrders.birch],
      ['BIRCH', smallOrders.byStatus('created')],
    ] as const)
      expect((await server.call(`/wms/orders/${id}/${rest}`, { ...call, customer })).status).toBe(404)
  })

  it('has documents that the calling customer can neither read nor delete', async () => {
    for (const method of ['GET', 'DELETE'])
      expect((await server.call(`/wms/documents/${smallOrders.birchDocument}/`, { method })).status).toBe(404)
    const own = await server.call(`/wms/documents/${smallOrders.birchDocument}/`, { customer: 'BIRCH' })
    expect(own.status).toBe(200)
  })
})
