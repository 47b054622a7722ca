import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { customer as customerSchema } from '#shared/wire/customer.ts'
import { type Shipment, shipment as shipmentSchema } from '#shared/wire/shipment.ts'
import { type ShippingMethod, shippingMethod as methodSchema } from '#shared/wire/shipping-method.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallId, smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

async function shipments(query: string, expand?: string): Promise<Shipment[]> {
  const reply = await server.call(`/wms/shipments/${query}`, expand === undefined ? {} : { expand })
  expect(reply.status).toBe(200)
  return z.array(shipmentSchema.strict()).parse(reply.body)
}

async function methods(query: string, expand?: string): Promise<ShippingMethod[]> {
  const reply = await server.call(`/wms/shippingmethods/${query}`, expand === undefined ? {} : { expand })
  expect(reply.status).toBe(200)
  return z.array(methodSchema.strict()).parse(reply.body)
}

const references = (list: Shipment[]): string[] => list.map(({ reference }) => reference.slice(-1))
const codes = (list: ShippingMethod[]): string[] => list.map(({ code }) => code)

describe('GET /wms/customers/', () => {
  it('lists the customers that the user may act for, sorted by name', async () => {
    const reply = await server.call('/wms/customers/')
    const list = z.array(customerSchema.strict()).parse(reply.body)
    expect(list.map(({ code }) => code)).toEqual(['ALDER', 'BIRCH'])
    const token = await server.logIn('birch-only')
    const own = await server.call('/wms/customers/', { token, customer: 'BIRCH' })
    expect(own.body).toMatchObject([{ code: 'BIRCH' }])
  })

  it('returns a single customer only to a user who may act for this customer', async () => {
    expect((await server.call(`/wms/customers/${smallIds.birch}/`)).body).toMatchObject({ name: 'Birch BV' })
    const token = await server.logIn('birch-only')
    const reply = await server.call(`/wms/customers/${smallIds.alder}/`, { token, customer: 'BIRCH' })
    expect(reply.status).toBe(404)
  })
})

describe('GET /wms/shippingmethods/', () => {
  it('lists all methods, the newest first, or sorted by code with sort=code', async () => {
    expect(codes(await methods(''))).toEqual(['EXPRESS', 'LETTER', 'STD'])
    expect(codes(await methods('?sort=code&direction=asc'))).toEqual(['EXPRESS', 'LETTER', 'STD'])
    expect(codes(await methods('?sort=createdAt&direction=asc'))).toEqual(['STD', 'LETTER', 'EXPRESS'])
  })

  it.each([
    ['?code=STD', ['STD']],
    ['?shipper=Other', ['EXPRESS']],
    ['?shipper_code=SHIPPER&direction=asc', ['STD', 'LETTER']],
    ['?shipping_software=Platform&code=LETTER', ['LETTER']],
    ['?code=std', []],
  ])('returns only the methods whose fields equal the values in the query %s', async (query, expected) => {
    expect(codes(await methods(query))).toEqual(expected)
  })

  it('returns the administration code only if Expand names it', async () => {
    expect(Object.keys((await methods(''))[0] ?? {})).not.toContain('administration_code')
    const list = await methods('?sort=code&direction=asc', 'administration_code')
    expect(list.map((method) => method.administration_code)).toEqual(['ADM-EXPRESS', null, 'ADM-STD'])
    const one = await server.call(`/wms/shippingmethods/${smallIds.standard}`, {
      expand: 'administration_code',
    })
    expect(one.body).toMatchObject({ code: 'STD', administration_code: 'ADM-STD' })
    expect((await server.call(`/wms/shippingmethods/${smallId(99)}`)).status).toBe(404)
  })
})

describe('GET /wms/shipments/', () => {
  it('lists the shipments of the customer, the newest first, with only the base fields', async () => {
    const list = await shipments('')
    expect(references(list)).toEqual(['5', '4', '3', '2', '1'])
    for (const each of list)
      expect(Object.keys(each).sort()).toEqual([
        'created_at',
        'customer',
        'id',
        'order_external_reference',
        'po_number',
        'reference',
        'shipment_external_reference',
      ])
    expect(list[0]?.created_at).toBe('2026-03-05T10:00:00+00:00')
  })

  it.each([
    ['?order_external_reference=WEB-4', ['5', '4']],
    ['?order_external_reference[]=WEB-4&order_external_reference[]=WEB-1', ['5', '4', '1']],
    ['?order_external_reference[0]=WEB-2&order_external_reference[1]=WEB-1', ['2', '1']],
    ['?order_external_reference=WEB-2&order_external_reference=WEB-3', ['3', '2']],
    ['?order_external_reference=WEB-6', []],
  ])('returns the shipments with one of the order references: %s', async (query, expected) => {
    expect(references(await shipments(query))).toEqual(expected)
  })

  it.each([
    ['?from=2026-03-03', ['5', '4', '3']],
    ['?to=2026-03-03', ['3', '2', '1']],
    ['?from=2026-03-02&to=2026-03-02', ['2']],
    ['?from=2026-03-02 10:00&to=2026-03-04 09:59', ['3', '2']],
    ['?from=2026-03-02 10:01', ['5', '4', '3']],
    ['?from=2026-04-01', []],
    ['?from=&to=&limit=', ['5', '4', '3', '2', '1']],
    ['?sort=createdAt&direction=asc&limit=2', ['1', '2']],
    ['?page=0&limit=2', ['5', '4']],
    ['?page=1&limit=2', ['5', '4']],
    ['?page=3&limit=2', ['1']],
    ['?page=4&limit=2', []],
    ['?page=9007199254740991&limit=1000', []],
    ['?', ['5', '4', '3', '2', '1']],
    ['?unknown=1', ['5', '4', '3', '2', '1']],
  ])('returns the shipments that match the query %s', async (query, expected) => {
    expect(references(await shipments(query))).toEqual(expected)
  })

  it.each([
    '?limit=0',
    '?limit=1001',
    '?limit=x',
    '?page=-1',
    '?direction=up',
    '?sort=id',
    '?from=2026-02-30',
    '?from=yesterday',
    '?to=2026-01-01 25:00',
  ])('refuses the query %s with an error under the name of the parameter', async (query) => {
    const reply = await server.call(`/wms/shipments/${query}`)
    const field = /\w+/.exec(query)?.[0] ?? ''
    expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [expect.any(String)] } } })
  })

  it('adds only the groups that are listed in the header Expand', async () => {
    const path = `/wms/shipments/${smallIds.shipments[1]}/`
    const plain = shipmentSchema.strict().parse((await server.call(path)).body)
    expect(plain).not.toHaveProperty('shipment_lines')
    expect(plain.modified_at).toBe('2026-03-02T10:00:00+00:00')
    const lines = shipmentSchema.strict().parse((await server.call(path, { expand: 'shipment_lines' })).body)
    expect(lines.shipment_lines).toEqual([
      {
        shipped_quantity: 2,
        shipped_ean: '8712345678906',
        shipped_article_code: 'A-1',
        shipped_sku: 'SKU-A-1',
        variant: { id: smallIds.variant },
      },
    ])
    const expand =
      'shipment_lines,serial_numbers, variant ,shipping_method,administration_code,shipment_labels,shipping_address,documents'
    const full = shipmentSchema.strict().parse((await server.call(path, { expand })).body)
    expect(full).toMatchObject({
      shipment_lines: [{ serial_numbers: ['SN-2'], variant: { id: smallIds.variant, article_code: 'A-1' } }],
      shipping_method: { code: 'EXPRESS', administration_code: 'ADM-EXPRESS' },
      shipment_labels: [
        { label_code: 'L2', tracking_code: 'T2', tracking_url: 'https://track.example.org/T2' },
      ],
      shipping_address: { addressed_to: 'Buyer 2', street_number: '12', country: 'NL', fax_number: null },
    })
  })

  it('adds lines and shipping methods to all shipments of a list if Expand names these groups', async () => {
    const list = await shipments('?sort=createdAt&direction=asc', 'shipment_lines,shipping_method')
    expect(list.map((each) => each.shipment_lines?.map((line) => line.shipped_quantity))).toEqual([
      [1],
      [2],
      [],
      [4],
      [5],
    ])
    expect(list[3]?.shipping_method?.code).toBe('LETTER')
  })

  it('returns 404 for a shipment of another customer and for a malformed id', async () => {
    expect((await server.call(`/wms/shipments/${smallIds.birchShipment}`)).status).toBe(404)
    expect(
      (await server.call(`/wms/shipments/${smallIds.birchShipment}`, { customer: 'BIRCH' })).status,
    ).toBe(200)
    expect((await server.call('/wms/shipments/none')).status).toBe(404)
  })
})
