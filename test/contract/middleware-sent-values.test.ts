import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** A number that JavaScript reads as 576461413038785800. */
const long = '576461413038785752'
const asText = 'Send this value as a text: the number cannot be read exactly.'

/** Sends a body. The text `"#"` in it is replaced by the number. */
function post(path: string, body: object, number = long): Promise<Reply> {
  return server.call(path, { method: 'POST', body: JSON.stringify(body).replaceAll('"#"', number) })
}

const inbound = (rest: object): object => ({
  external_reference: 'IN-1',
  inbound_date: '2026-06-10',
  inbound_lines: [{ article_code: 'A-1', quantity: 1 }],
  ...rest,
})

describe('a number that cannot be read exactly', () => {
  const line = { article_code: 'A-1', quantity: 1 }
  const label = { shipping_method: smallIds.standard, sender_address: newAddress({ zipcode: '#' }) }
  it.each([
    ['an external reference', '/wms/orders/', newOrder({ external_reference: '#' }), 'externalReference'],
    ['an external id', '/wms/orders/', newOrder({ external_id: '#' }), 'externalId'],
    [
      'an article code',
      '/wms/articles/',
      { name: 'x', variants: [{ article_code: '#' }] },
      'variants.0.articleCode',
    ],
    ['a SKU', '/wms/articles/', { name: 'x', variants: [{ article_code: 'N', sku: '#' }] }, 'variants.0.sku'],
    ['a postcode', '/wms/return-labels/', label, 'senderAddress.zipcode'],
    [
      'the code of a line',
      '/wms/inbounds/',
      inbound({ inbound_lines: [{ ...line, article_code: '#' }] }),
      'inboundLines.0.articleCode',
    ],
    ['meta_data of an order', '/wms/orders/', newOrder({ meta_data: { shop: '#' } }), 'metaData.shop'],
  ])('is refused as %s', async (_, path, body, field) => {
    expect(await post(path, body)).toMatchObject({ status: 400, body: { errors: { [field]: [asText] } } })
  })

  it.each([
    ['an inbound', inbound({ meta_data: { Shop: { ids: [1, '#'] } } }), 'metaData'],
    ['a line', inbound({ inbound_lines: [{ ...line, meta_data: { id: '#' } }] }), 'inboundLines.0.metaData'],
  ])('is refused in meta_data of %s', async (_, body, field) => {
    for (const number of [long, '1e400'])
      expect(await post('/wms/inbounds/', body, number)).toMatchObject({
        status: 400,
        body: { errors: { [field]: ['Send numbers that cannot be read exactly as texts.'] } },
      })
  })
})

describe('a number that can be read exactly', () => {
  it('is accepted as a reference and in meta_data', async () => {
    const order = newOrder({ external_reference: '#', external_id: 10.5 })
    expect(await post('/wms/orders/', order, '9007199254740991')).toMatchObject({
      status: 201,
      body: { external_reference: '9007199254740991', external_id: '10.5' },
    })
    const meta_data = { id: 9_007_199_254_740_991, weight: 0.1 + 0.2, long }
    expect(await post('/wms/inbounds/', inbound({ meta_data }))).toMatchObject({
      status: 201,
      body: { meta_data },
    })
  })
})

describe('a body', () => {
  const send = async (bytes: Buffer, type: string | null, path = '/wms/articles/'): Promise<number> => {
    const headers = {
      'x-wms-code': 'DEV',
      'x-customer-code': 'ALDER',
      authorization: `Bearer ${await server.logIn()}`,
      ...(type !== null && { 'content-type': type }),
    }
    const { status } = await fetch(server.url + path, {
      method: 'POST',
      headers,
      body: new Uint8Array(bytes),
    })
    return status
  }
  const article = '{"name":"Jürgen Müller"}'

  it.each(['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json', null])(
    'is refused with 400 if its bytes are not UTF-8, with the content type %s',
    async (type) => {
      expect(await send(Buffer.from(article, 'latin1'), type)).toBe(400)
    },
  )

  it.each(['iso-8859-1', 'ISO-8859-15', '"windows-1252"', 'utf-16'])(
    'is refused with 415 if its content type names the charset %s',
    async (charset) => {
      for (const type of ['application/json', 'application/vnd.api+json'])
        for (const encoding of ['latin1', 'utf8'] as const)
          expect(await send(Buffer.from(article, encoding), `${type}; charset=${charset}`)).toBe(415)
    },
  )

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; Charset="utf-8"',
    'application/json; charset=utf8',
    "application/json; charset='utf-8'",
    'application/json; charset=us-ascii',
    'application/json; version=1; charset=utf-8',
    'application/vnd.api+json; charset=utf-8',
    'application/json; profile=x',
  ])('is accepted in UTF-8 with the content type %s', async (type) => {
    expect(await send(Buffer.from(article), type)).toBe(201)
  })

  it('may be empty with any charset', async () => {
    const path = `/wms/return-labels/${smallIds.alder}/cancel`
    expect(await send(Buffer.from(''), 'application/json; charset=iso-8859-1', path)).toBe(404)
  })
})

describe('a filter with blanks around a reference', () => {
  const found = async (query: string): Promise<unknown> => {
    const { status, body } = await server.call(`/wms/${query}`)
    expect(status).toBe(200)
    return body
  }

  it.each(['reference=%20ORD00000000010', 'external_reference=WEB-2%20', 'external_id=%20ext-9%09'])(
    'finds the order: %s',
    async (query) => {
      expect(await found(`orders/?${query}`)).toMatchObject([{ reference: 'ORD00000000010' }])
    },
  )

  it.each([
    'order_external_reference=%20WEB-2',
    'order_external_reference[]=WEB-2%20&order_external_reference[]=%20',
  ])('finds the shipment: %s', async (query) => {
    expect(await found(`shipments/?${query}`)).toMatchObject([{ id: smallIds.shipments[1] }])
  })

  it.each(['articles', 'batches', 'stock'])('finds a code in the list of %s', async (list) => {
    const trimmed = await found(`${list}/?article_code=A-1`)
    expect(trimmed).not.toEqual([])
    expect(await found(`${list}/?article_code=%20A-1%20`)).toEqual(trimmed)
  })

  it('finds the inbound', async () => {
    const trimmed = await found('inbounds/?reference=INB00000000001')
    expect(trimmed).toHaveLength(1)
    expect(await found('inbounds/?reference=INB00000000001%20')).toEqual(trimmed)
  })
})
