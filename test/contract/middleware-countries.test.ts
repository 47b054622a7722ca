import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { countryCodes } from '#shared/domain/country.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const someText: unknown = expect.any(String)
const address = {
  addressed_to: 'Kim Bakker',
  street: 'Lange weg',
  street_number: '7',
  zipcode: '9000',
  city: 'Gent',
  country: 'BE',
}
const uuid = '5f0c6b1e-8f5e-4a3d-8d4b-1c2f3a4b5c6d'
/**
 * Values that are not the code of a country: unassigned, reserved, withdrawn and user-assigned codes, three letters, a
 * name, an id, and other scripts.
 */
const wrong = ['XX', 'ZZ', 'UK', 'AN', 'XK', 'NLD', 'N', 'Nederland', uuid, '', ' ', 'ＮＬ', 'ßE', 31, true]
let count = 0

function send(method: string, path: string, body: object): Promise<Reply> {
  return server.call(path, { method, body })
}

async function idOf(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply
  expect(status).toBe(201)
  return z.looseObject({ id: z.string() }).parse(body).id
}

function postLabel(country: unknown): Promise<Reply> {
  const sender_address = { ...address, country }
  return send('POST', '/wms/return-labels/', { shipping_method: smallIds.standard, sender_address })
}

function postOrder(country: unknown): Promise<Reply> {
  return send('POST', '/wms/orders/', {
    external_reference: `COUNTRY-${++count}`,
    order_lines: [{ article_code: 'A-1', quantity: 1, description: 'One' }],
    shipping_address: { ...address, country },
    shipping_contactperson: 'Kim',
    requested_delivery_date: '2026-07-01',
  })
}

function postVariant(country_of_origin: unknown): Promise<Reply> {
  const article_code = `COUNTRY-${++count}`
  return send('POST', '/wms/variants/', { article: smallGoods.tea, article_code, country_of_origin })
}

describe('the country code', () => {
  it('of a return label may be any assigned ISO 3166-1 code and is stored in capitals', async () => {
    for (const country of countryCodes)
      expect(await postLabel(country.toLowerCase())).toMatchObject({
        status: 201,
        body: { sender_address: { country } },
      })
    const path = `/wms/return-labels/${await idOf(postLabel('BE'))}/`
    expect(await send('PATCH', path, { sender_address: { country: ' nl ' } })).toMatchObject({
      status: 200,
      body: { sender_address: { country: 'NL' } },
    })
  })

  it('of an order and of a variant is accepted in small letters and stored in capitals', async () => {
    const id = await idOf(postOrder('be'))
    const path = `/wms/orders/${id}/`
    const order = await server.call(path, { expand: 'shipping_address' })
    expect(order.body).toMatchObject({ shipping_address: { country: 'BE' } })
    expect(await postVariant('is')).toMatchObject({ status: 201, body: { country_of_origin: 'IS' } })
  })

  it.each(wrong)('is refused if it is %j', async (country) => {
    const label = `/wms/return-labels/${await idOf(postLabel('BE'))}/`
    for (const reply of [
      await postLabel(country),
      await send('PATCH', label, { sender_address: { country } }),
    ]) {
      expect(reply.status).toBe(400)
      expect(reply.body).toEqual({ error: someText, errors: { 'senderAddress.country': [someText] } })
    }
    const order = `/wms/orders/${await idOf(postOrder('BE'))}/`
    for (const reply of [
      await postOrder(country),
      await send('PATCH', order, { shipping_address: { country } }),
    ])
      expect(reply).toMatchObject({
        status: 400,
        body: { errors: { 'shippingAddress.country': [someText] } },
      })
    // A variant may have no country, and an empty text means none.
    if (country === '') return
    for (const reply of [
      await postVariant(country),
      await send('PATCH', `/wms/variants/${smallGoods.shirtBlue}/`, { country_of_origin: country }),
    ])
      expect(reply).toMatchObject({ status: 400, body: { errors: { countryOfOrigin: [someText] } } })
  })
})
