import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bodyLimits, otherText } from '#shared/wire/limits.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { smallOrders } from '#support/small-orders.ts'
import { smallIds } from '#support/small-world.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

const address = {
  ...{ addressed_to: 'Kim Bakker', street: 'Lange weg', street_number: 7 },
  ...{ zipcode: '9000', city: 'Gent', country: 'BE' },
}

/** A reference of the maximum length. Its characters are all different, so that no database engine can compress it. */
const longestReference = Array.from({ length: 500 }, (_, at) =>
  String.fromCharCode(0x4e00 + ((at * 7919) % 20_000)),
).join('')

function makeLabel(fields: object): Promise<Reply> {
  const body = { shipping_method: smallIds.standard, sender_address: address, ...fields }
  return server.call('/wms/return-labels/', { method: 'POST', body })
}

describe('a request body with size limits', () => {
  it('is refused if a text is too long, with an error under the name of the field of this text', async () => {
    const reply = await makeLabel({ external_reference: `A${'-'.repeat(otherText)}` })
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({
      errors: { externalReference: [`This value should have ${String(otherText)} characters or less.`] },
    })
    const inside = await makeLabel({ sender_address: { ...address, zipcode: '9'.repeat(otherText + 1) } })
    expect(inside.status).toBe(400)
  })

  it('is accepted if each text has at most the maximum length', async () => {
    const sender_address = { ...address, zipcode: '9'.repeat(otherText) }
    expect((await makeLabel({ sender_address })).status).toBe(201)
  })

  it('is refused if the reference of a label is too long for its database index', async () => {
    for (const text of [longestReference, 'A'.repeat(500)]) {
      const refused = await makeLabel({ external_reference: `${text}x` })
      expect(refused).toMatchObject({
        status: 400,
        body: { errors: { externalReference: [expect.any(String)] } },
      })
      const made = await makeLabel({ external_reference: text })
      expect(made).toMatchObject({ status: 201, body: { external_reference: text } })
      const { id } = z.object({ id: z.string() }).parse(made.body)
      const change = (reference: string): Promise<Reply> =>
        server.call(`/wms/return-labels/${id}/`, {
          method: 'PATCH',
          body: { external_reference: reference },
        })
      expect((await change(`${text}x`)).status).toBe(400)
      expect((await change(`y${text.slice(1)}`)).status).toBe(200)
    }
  })

  it('is refused if the reference of an inbound is too long for its database index', async () => {
    const inbound_lines = [{ article_code: 'A-0', quantity: 1 }]
    const create = (external_reference: string): Promise<Reply> =>
      server.call('/wms/inbounds/', {
        method: 'POST',
        body: { external_reference, inbound_date: '2026-02-01', inbound_lines },
      })
    expect((await create(`${longestReference}x`)).status).toBe(400)
    expect((await create(longestReference)).status).toBe(201)
  })

  it('is refused if a reference of an order is too long for the database indexes of shipments', async () => {
    const order_lines = [{ article_code: 'A-0', quantity: 1, description: 'Red shirt' }]
    const create = (fields: Record<string, unknown>): Promise<Reply> =>
      server.call('/wms/orders/', {
        method: 'POST',
        body: newOrder({ order_lines, shipping_method: smallIds.standard, ...fields }),
      })
    for (const name of ['external_reference', 'external_id'])
      expect((await create({ [name]: `${longestReference}x` })).status).toBe(400)
    const reply = await create({ external_reference: longestReference, external_id: longestReference })
    expect(reply.status).toBe(201)
    const { id } = z.object({ id: z.string() }).parse(reply.body)
    expect((await server.call(`/sandbox/orders/${id}/ship`, { method: 'POST' })).status).toBe(200)
  })

  it('is refused with one short error even if 200,000 lines are wrong', async () => {
    const order_lines = Array.from({ length: 200_000 }, () => ({}))
    const reply = await server.call('/wms/orders/', { method: 'POST', body: { order_lines } })
    expect(reply.status).toBe(400)
    expect(JSON.stringify(reply.body).length).toBeLessThan(200)
  })

  it.each(['[', '{},', '[],', '0,', '{"a":', '"",'])(
    'is refused before parsing if it has too many structural characters: %s',
    async (piece) => {
      // this body is not valid JSON, so the response would have another error if the body were parsed first
      const body = `{"articles":[${piece.repeat(bodyLimits.values)}`
      const reply = await server.call('/wms/articles/bulks/', { method: 'POST', body })
      expect(reply).toMatchObject({
        status: 400,
        body: { errors: { '0': 'This contains too many values.' } },
      })
    },
  )

  it('is parsed even if a text in it contains many structural characters', async () => {
    // The escaped backslash and the escaped quotation mark must not end the text: the structural characters after them
    // belong to the text too.
    const file = `${'{,:'.repeat(bodyLimits.values)}\\\\\\"${'['.repeat(bodyLimits.values)}`
    const body = `{"file":"${file}","title":"x","quantity":1}`
    const path = `/wms/orders/${smallOrders.byStatus('created')}/documents/`
    const reply = await server.call(path, { method: 'POST', body })
    // the status shows that the schema checked the body: the schema refuses the file, because the file is not base64
    expect(reply).toMatchObject({ status: 400, body: { errors: { file: [expect.any(String)] } } })
  })
})

describe('a text with half of a surrogate pair', () => {
  const sent = (body: string): Promise<Reply> => server.call('/wms/articles/', { method: 'POST', body })
  const article = (code: string): string => `{"name":"x","variants":[{"article_code":"${code}"}]}`

  it.each(['Z\\ud800', '\\udfffZ', '\\uDC00\\uD800', '\\ud83d\\ude00\\uDe00', '\\\\\\ud800'])(
    'is refused in an article code: %s',
    async (code) => {
      expect(await sent(article(code))).toMatchObject({
        status: 400,
        body: { errors: { 'variants.0.articleCode': ['This value should be valid Unicode text.'] } },
      })
    },
  )

  it('is refused as part of the name of a field', async () => {
    const body = '{"name":"x","variants":[{"article_code":"Z","z\\ud800":[]}]}'
    expect(await sent(body)).toMatchObject({
      status: 400,
      body: { errors: { 'variants.0': ['Names of fields should be valid Unicode text.'] } },
    })
  })

  it('is distinguished from complete pairs and escaped backslashes, which are stored unchanged', async () => {
    for (const code of ['Z\\ud83d\\ude00', 'Z\u{1f600}2', 'Z\\\\ud800']) {
      const { status, body } = await sent(article(code))
      expect([code, status, body]).toMatchObject([
        code,
        201,
        { variants: [{ article_code: z.string().parse(JSON.parse(`"${code}"`)) }] },
      ])
    }
  })
})

describe('a text with a NUL character', () => {
  it.each([
    ['/wms/auth/login/', '{"username":"a\\u0000","password":"x"}', 'username'],
    ['/wms/articles/', '{"name":"x\\u0000"}', 'name'],
    ['/wms/gdpr/redact-person-data/', '{"email":"a\\u0000@example.org"}', 'email'],
  ])('is refused in a body: %s', async (path, body, field) => {
    expect(await server.call(path, { method: 'POST', body })).toMatchObject({
      status: 400,
      body: { errors: { [field]: ['This value should be valid Unicode text.'] } },
    })
  })

  it.each([
    'orders/?external_reference=',
    'stock/?ean=1',
    'shipments/?order_external_reference=',
    'inbounds/?reference=',
  ])('is refused in a filter: %s', async (query) => {
    expect((await server.call(`/wms/${query}%00`)).status).toBe(400)
  })
})

describe('codes and names of goods', () => {
  const variant = { article_code: 'L-1' }
  const make = (fields: object, name = 'x'): Promise<Reply> =>
    server.call('/wms/articles/', {
      method: 'POST',
      body: { name, variants: [{ ...variant, ...fields }] },
    })

  it.each([
    ['article_code', 255],
    ['ean', 255],
    ['sku', 255],
    ['name', 500],
  ])('in the field %s may have up to %i characters', async (field, longest) => {
    const over = 'x'.repeat(longest + 1)
    const refused = await make({ [field]: over })
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body).length).toBeLessThan(300)
    const made = await make({ [field]: 'x'.repeat(longest) })
    expect(made.status).toBe(201)
    const [{ id } = { id: '' }] = (made.body as { variants: { id: string }[] }).variants
    const path = `/wms/variants/${id}/`
    expect((await server.call(path, { method: 'PATCH', body: { [field]: over } })).status).toBe(400)
  })

  it('are limited: the name of an article may have up to 500 characters', async () => {
    expect((await make({}, 'x'.repeat(501))).status).toBe(400)
    const made = await make({}, 'x'.repeat(500))
    expect(made.status).toBe(201)
    const path = `/wms/articles/${(made.body as { id: string }).id}/`
    const body = { name: 'x'.repeat(501) }
    expect((await server.call(path, { method: 'PATCH', body })).status).toBe(400)
  })
})
