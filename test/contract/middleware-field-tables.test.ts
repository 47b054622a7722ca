import { describe, expect, it } from 'vitest'
import { lastingServer } from '#support/lasting-server.ts'
import type { Reply } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { blueShirt } from '#support/small-shirts.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

/** Matches any text, because tests do not check the wording of messages. */
const someText: unknown = expect.any(String)
const server = lastingServer(makeSmallWorld)
const post = (path: string, body: unknown): Promise<Reply> => server.call(path, { method: 'POST', body })
const patch = (path: string, body: unknown): Promise<Reply> => server.call(path, { method: 'PATCH', body })

// The expected replies are written by hand from the field tables of the contract.
describe('the documented fields', () => {
  it('of an article are all returned', async () => {
    const reply = await server.call(`/wms/articles/${smallGoods.shirt}/`)
    expect(reply.body).toEqual({
      id: smallGoods.shirt,
      customer: smallIds.alder,
      name: 'Shirt',
      variants: [expect.objectContaining({ article_code: 'A-1' }), blueShirt],
      created_at: '2026-01-02T08:00:00+00:00',
      modified_at: '2026-01-02T08:00:00+00:00',
    })
  })

  it('of a variant are all returned, and id, name and customer of its article if the request has expand=article', async () => {
    const path = `/wms/variants/${smallGoods.shirtBlue}/`
    expect((await server.call(path)).body).toEqual(blueShirt)
    expect((await server.call(path, { expand: 'article' })).body).toEqual({
      ...blueShirt,
      article: { id: smallGoods.shirt, name: 'Shirt', customer: smallIds.alder },
    })
  })

  it('of a shipping method are all returned, and the administration code if its group is expanded', async () => {
    const path = `/wms/shippingmethods/${smallIds.express}/`
    const method = {
      id: smallIds.express,
      shipper: 'Other',
      shipper_code: 'OTHER',
      code: 'EXPRESS',
      description: 'Method EXPRESS',
      shipping_software: 'Platform',
      created_at: '2026-01-07T08:00:00+00:00',
      modified_at: '2026-01-07T08:00:00+00:00',
    }
    expect((await server.call(path)).body).toEqual(method)
    const expand = 'administration_code'
    expect((await server.call(path, { expand })).body).toEqual({
      ...method,
      administration_code: 'ADM-EXPRESS',
    })
    expect((await server.call(`/wms/shippingmethods/${smallIds.letter}`, { expand })).body).toMatchObject({
      administration_code: null,
    })
  })

  it('of a customer are all returned', async () => {
    expect((await server.call(`/wms/customers/${smallIds.alder}/`)).body).toEqual({
      id: smallIds.alder,
      code: 'ALDER',
      name: 'Alder & Co',
      created_at: '2026-01-01T08:00:00+00:00',
      modified_at: '2026-01-01T08:00:00+00:00',
    })
  })
})

describe('the input of a variant', () => {
  const least = { article: smallGoods.tea, article_code: 'N-1' }

  it('has defaults for all omitted fields', async () => {
    const reply = await post('/wms/variants/', least)
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      id: someText,
      article_code: 'N-1',
      name: 'Cardamom tea',
      description: null,
      ean: null,
      sku: null,
      hs_tariff_code: null,
      height: null,
      depth: null,
      width: null,
      weight: null,
      expirable: false,
      country_of_origin: null,
      using_serial_numbers: false,
      value: null,
      created_at: '2026-06-01T12:00:00+00:00',
      modified_at: '2026-06-01T12:00:00+00:00',
      article: { id: smallGoods.tea, name: 'Cardamom tea', customer: smallIds.alder },
    })
  })

  it.each([
    [
      { height: 1.5, width: '1.5', depth: 2, weight: '2.0' },
      { height: 1.5, width: 1.5, depth: 2, weight: 2 },
    ],
    [
      { height: 0, width: null, depth: '007' },
      { height: 0, width: null, depth: 7 },
    ],
    [{ weight: 0.0001 }, { weight: 0.0001 }],
    [{ ean: 8712345678906 }, { ean: '8712345678906' }],
    [{ ean: '0012345' }, { ean: '0012345' }],
    [{ ean: '' }, { ean: null }],
    [
      { article_code: 4711, sku: 12, hs_tariff_code: 61091000 },
      { article_code: '4711', sku: '12', hs_tariff_code: '61091000' },
    ],
    [
      { expirable: null, using_serial_numbers: 'true' },
      { expirable: false, using_serial_numbers: true },
    ],
    [{ value: '9.95' }, { value: 9.95 }],
    [{ value: 10 }, { value: 10 }],
    [{ country_of_origin: 'de' }, { country_of_origin: 'DE' }],
  ])('%j is stored as %j', async (sent, kept) => {
    const reply = await post('/wms/variants/', { ...least, ...sent })
    expect(reply).toMatchObject({ status: 201, body: kept })
    const { id } = reply.body as { id: string }
    expect((await server.call(`/wms/variants/${id}`)).body).toMatchObject(kept)
    // whole numbers are returned without a fraction, and no number is returned as text
    expect(JSON.stringify(reply.body)).not.toMatch(/"(height|width|depth|weight)":("|\d+\.0*[,}])/)
  })

  it.each([
    [{ height: -1 }, 'height'],
    [{ weight: '1,5' }, 'weight'],
    [{ depth: '1e3' }, 'depth'],
    [{ width: true }, 'width'],
    [{ weight: 2_000_000_000 }, 'weight'],
    [{ ean: 1.5 }, 'ean'],
    [{ ean: -1 }, 'ean'],
    [{ country_of_origin: 'NLD' }, 'countryOfOrigin'],
    [{ using_serial_numbers: 'maybe' }, 'usingSerialNumbers'],
    [{ article_code: '' }, 'articleCode'],
    [{ article: 'tea' }, 'article'],
  ])('%j is refused with an error under the name of the field', async (sent, field) => {
    const reply = await post('/wms/variants/', { ...least, ...sent })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ errors: { [field]: [someText] } })
    const path = `/wms/variants/${smallGoods.shirtBlue}/`
    expect(await patch(path, sent)).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
    expect((await server.call(path)).body).toEqual(blueShirt)
  })

  it('ignores fields that only the service sets', async () => {
    const sent = { id: smallIds.alder, created_at: null, modified_at: 'now', customer: smallIds.birch }
    const reply = await patch(`/wms/variants/${smallGoods.shirtBlue}/`, sent)
    expect(reply).toMatchObject({ status: 200, body: blueShirt })
  })
})
