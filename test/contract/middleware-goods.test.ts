import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Article, article as articleSchema } from '#shared/wire/article.ts'
import { type Variant, variant as variantSchema } from '#shared/wire/variant.ts'
import { type CallOptions, type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId, smallIds } from '#support/small-world.ts'

/** Matches any text, because these tests do not check the wording of messages. */
const someText: unknown = expect.any(String)

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

function send(
  method: 'POST' | 'PATCH',
  path: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Reply> {
  return server.call(path, { method, body, ...options })
}

async function articles(query = '', options: CallOptions = {}): Promise<Article[]> {
  const reply = await server.call(`/wms/articles/${query}`, options)
  expect(reply.status).toBe(200)
  return z.array(articleSchema.strict()).parse(reply.body)
}

async function variants(query = '', options: CallOptions = {}): Promise<Variant[]> {
  const reply = await server.call(`/wms/variants/${query}`, options)
  expect(reply.status).toBe(200)
  return z.array(variantSchema.strict()).parse(reply.body)
}

async function variant(id: string, options: CallOptions = {}): Promise<Variant> {
  const reply = await server.call(`/wms/variants/${id}/`, options)
  expect(reply.status).toBe(200)
  return variantSchema.strict().parse(reply.body)
}

const names = (list: Article[]): string[] => list.map(({ name }) => name)
const codes = (list: Variant[]): string[] => list.map(({ article_code }) => article_code)

describe('/wms/articles/', () => {
  it('lists articles sorted by name, with all fields of their variants', async () => {
    const list = await articles()
    expect(names(list)).toEqual(['Cardamom tea', 'Shirt'])
    expect(list[1]).toMatchObject({ id: smallGoods.shirt, customer: smallIds.alder })
    expect(codes(list[1]?.variants ?? [])).toEqual(['A-1', 'A-2'])
    expect(list[1]?.variants[0]).toEqual(await variant(smallGoods.shirtRed))
    expect(names(await articles('', { customer: 'BIRCH' }))).toEqual(['Birch thing'])
  })

  it.each([
    ['?direction=desc', ['Shirt', 'Cardamom tea']],
    ['?sort=createdAt', ['Shirt', 'Cardamom tea']],
    ['?sort=createdAt&direction=desc', ['Cardamom tea', 'Shirt']],
    ['?limit=1', ['Cardamom tea']],
    ['?limit=1&page=0', ['Cardamom tea']],
    ['?limit=1&page=2', ['Shirt']],
    ['?from=2026-01-03', ['Cardamom tea']],
    ['?to=2026-01-02', ['Shirt']],
    ['?article_code=A-0', ['Cardamom tea']],
    ['?article_code=A-', []],
    ['?article_code=B-1', []],
    ['?ean=8712345678906', ['Shirt']],
    ['?ean=4006381333931', ['Shirt']],
    ['?sku=SKU-A-0', ['Cardamom tea']],
    ['?sku=SKU-A-0&article_code=A-1', []],
    ['?sku=sku-a-0', []],
  ])('returns the articles that match the query %s', async (query, expected) => {
    expect(names(await articles(query))).toEqual(expected)
  })

  it('finds an article by the code of one variant, and returns all its variants', async () => {
    const [found] = await articles('?article_code=A-2')
    expect(codes(found?.variants ?? [])).toEqual(['A-1', 'A-2'])
  })

  it.each(['?sort=modifiedAt', '?sort=id', '?limit=1001'])('refuses the query %s', async (query) => {
    const field = /\w+/.exec(query)?.[0] ?? ''
    const reply = await server.call(`/wms/articles${query}`)
    expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
  })

  it('returns a single article, but no article of another customer', async () => {
    const one = await server.call(`/wms/articles/${smallGoods.tea}`)
    expect(articleSchema.strict().parse(one.body)).toEqual((await articles())[0])
    for (const id of [smallGoods.birchArticle, smallId(99), 'none'])
      expect(await server.call(`/wms/articles/${id}/`)).toMatchObject({ status: 404, body: { code: 404 } })
  })

  it('creates articles with variants, and returns numeric fields as numbers', async () => {
    const body = {
      id: smallId(7),
      name: ' Lamp ',
      variants: [
        { article_code: 'L-1', ean: 8712345678906, height: '12.4', width: 3, weight: null, value: 3.5 },
        { id: smallId(8), created_at: 'never', article_code: 'L-2', name: 'Blue lamp', ean: '007', sku: '' },
      ],
    }
    const reply = await send('POST', '/wms/articles/', body)
    expect(reply.status).toBe(201)
    const made = articleSchema.strict().parse(reply.body)
    expect(made).toMatchObject({
      name: 'Lamp',
      customer: smallIds.alder,
      created_at: '2026-06-01T12:00:00+00:00',
    })
    expect(made.id).not.toBe(smallId(7))
    expect(made.variants.map(({ id }) => id)).not.toContain(smallId(8))
    const [first, blue] = made.variants
    expect(blue).toMatchObject({ name: 'Blue lamp', ean: '007', sku: null, expirable: false })
    // the variant was sent without a name, so it has the name of its article
    expect(first).toMatchObject({
      name: 'Lamp',
      ean: '8712345678906',
      height: 12.4,
      width: 3,
      weight: null,
      value: 3.5,
    })
    // a read returns the variants sorted by name, and not in the order of the call that created them
    const read = (await server.call(`/wms/articles/${made.id}/`)).body
    expect(read).toEqual({ ...made, variants: [blue, first] })
  })

  it('treats an empty text as null in every optional field', async () => {
    const fields = {
      ...{ description: '', ean: '', sku: '', hs_tariff_code: '', height: '', depth: '', width: '' },
      ...{ weight: '', country_of_origin: '', value: '' },
    }
    const body = { name: 'Empty', variants: [{ article_code: 'EMPTY-1', ...fields }] }
    const reply = await send('POST', '/wms/articles/', body)
    const nulls = Object.fromEntries(Object.keys(fields).map((field) => [field, null]))
    expect(reply).toMatchObject({ status: 201, body: { variants: [nulls] } })
  })

  it('reports all wrong fields in one response', async () => {
    const wrong = { article_code: '', height: 'tall', expirable: 'perhaps' }
    const reply = await send('POST', '/wms/articles/', { name: '', variants: [wrong] })
    const errors = {
      name: [someText],
      'variants.0.articleCode': [someText],
      'variants.0.height': [someText],
      'variants.0.expirable': [someText],
    }
    expect(reply).toMatchObject({ status: 400, body: { errors } })
  })

  it.each([{}, { variants: [] }, { variants: null }])(
    'creates an article without variants from %j',
    async (rest) => {
      const reply = await send('POST', '/wms/articles', { name: 'Nothing yet', ...rest })
      expect(reply).toMatchObject({ status: 201, body: { name: 'Nothing yet', variants: [] } })
    },
  )

  it('creates neither the article nor its variants if one variant is refused', async () => {
    const body = {
      name: 'Lamp',
      variants: [{ article_code: 'L-1' }, { article_code: 'A-1' }, { article_code: 'L-1' }],
    }
    const reply = await send('POST', '/wms/articles/', body)
    const message = 'Article code is not unique'
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({
      errors: {
        '0': message,
        articleCode: [message],
        'variants.1.articleCode': [message],
        'variants.2.articleCode': [message],
      },
    })
    expect(names(await articles())).toEqual(['Cardamom tea', 'Shirt'])
    expect(codes(await variants())).not.toContain('L-1')
  })

  it.each([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'Lamp', variants: [{}] }, 'variants.0.articleCode'],
    [{ name: 'Lamp', variants: [{ article_code: 'L-1', height: 'tall' }] }, 'variants.0.height'],
    [{ name: 'Lamp', variants: [{ article_code: 'L-1', weight: -1 }] }, 'variants.0.weight'],
    [{ name: 'Lamp', variants: [{ article_code: 'L-1', ean: 1.5 }] }, 'variants.0.ean'],
    [
      { name: 'Lamp', variants: [{ article_code: 'L-1', country_of_origin: 'Holland' }] },
      'variants.0.countryOfOrigin',
    ],
    [{ name: 'Lamp', variants: {} }, 'variants'],
  ])('refuses %j with an error under the name of the field', async (body, field) => {
    const reply = await send('POST', '/wms/articles/', body)
    expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
  })

  it('changes the name of an article and updates its modified_at', async () => {
    const path = `/wms/articles/${smallGoods.shirt}`
    for (const body of ['', '[]', '{}', '{"id": 3}']) {
      const headers = { 'content-type': 'application/json' }
      const reply = await server.call(path, { method: 'PATCH', body, headers })
      expect(reply).toMatchObject({ status: 200, body: { modified_at: '2026-01-02T08:00:00+00:00' } })
    }
    const reply = await send('PATCH', `${path}/`, { name: 'Blouse' })
    const changed = { name: 'Blouse', modified_at: '2026-06-01T12:00:00+00:00' }
    expect(reply).toMatchObject({ status: 200, body: changed })
    expect((await send('PATCH', path, { name: '' })).status).toBe(400)
    expect((await send('PATCH', `/wms/articles/${smallGoods.birchArticle}`, { name: 'X' })).status).toBe(404)
  })
})

describe('/wms/variants/', () => {
  it.each([
    ['', ['A-0', 'A-1', 'A-2']],
    ['?sort=name&direction=desc', ['A-2', 'A-1', 'A-0']],
    ['?sort=id', ['A-1', 'A-2', 'A-0']],
    ['?sort=id&direction=desc', ['A-0', 'A-2', 'A-1']],
    ['?sort=createdAt', ['A-1', 'A-2', 'A-0']],
    ['?sort=modifiedAt&direction=desc', ['A-0', 'A-2', 'A-1']],
    ['?sort=articleCode', ['A-0', 'A-1', 'A-2']],
    ['?sort=articleCode&limit=2&page=2', ['A-2']],
    ['?from=2026-01-02', ['A-0', 'A-2']],
  ])('returns the variants that match the query %s', async (query, expected) => {
    expect(codes(await variants(query))).toEqual(expected)
  })

  it('returns the article of a variant only if the header Expand names the group `article`', async () => {
    expect((await variants())[0]).not.toHaveProperty('article')
    expect(await variant(smallGoods.shirtRed)).not.toHaveProperty('article')
    const article = { id: smallGoods.shirt, name: 'Shirt', customer: smallIds.alder }
    expect((await variant(smallGoods.shirtRed, { expand: 'article' })).article).toEqual(article)
    expect((await variants('', { expand: 'article' })).map((each) => each.article?.name)).toEqual([
      'Cardamom tea',
      'Shirt',
      'Shirt',
    ])
  })

  it('returns every field of the contract, with dimensions as numbers', async () => {
    const reply = await server.call(`/wms/variants/${smallGoods.teaBox}/`)
    expect(reply.body).toEqual({
      id: smallGoods.teaBox,
      article_code: 'A-0',
      name: 'Box of tea',
      description: null,
      ean: null,
      sku: 'SKU-A-0',
      hs_tariff_code: null,
      height: null,
      depth: 20,
      width: 30,
      weight: 400,
      expirable: true,
      country_of_origin: 'NL',
      using_serial_numbers: false,
      value: null,
      created_at: '2026-01-03T08:00:00+00:00',
      modified_at: '2026-01-03T08:00:00+00:00',
    })
  })

  it('returns 404 for variants of another customer', async () => {
    for (const id of [smallGoods.birchVariant, smallId(99)]) {
      expect((await server.call(`/wms/variants/${id}/`)).status).toBe(404)
      expect((await send('PATCH', `/wms/variants/${id}/`, { name: 'X' })).status).toBe(404)
    }
  })

  it('creates a variant of an existing article, and returns the variant with the article', async () => {
    const body = {
      article: smallGoods.tea.toUpperCase(),
      article_code: 'A-9',
      ean: 12345670,
      country_of_origin: 'nl',
    }
    const reply = await send('POST', '/wms/variants/', body)
    expect(reply.status).toBe(201)
    expect(variantSchema.strict().parse(reply.body)).toMatchObject({
      name: 'Cardamom tea',
      ean: '12345670',
      country_of_origin: 'NL',
      article: { id: smallGoods.tea, name: 'Cardamom tea', customer: smallIds.alder },
    })
    expect(codes(await variants('?sort=articleCode&direction=desc&limit=1'))).toEqual(['A-9'])
  })

  it('refuses an article code that another variant of the customer has', async () => {
    const message = 'Article code is not unique'
    const refused = { status: 400, body: { errors: { '0': message, articleCode: [message] } } }
    expect(
      await send('POST', '/wms/variants', { article: smallGoods.tea, article_code: 'A-1' }),
    ).toMatchObject(refused)
    const path = `/wms/variants/${smallGoods.teaBox}/`
    expect(await send('PATCH', path, { article_code: 'A-1' })).toMatchObject(refused)
    expect((await send('PATCH', path, { article_code: 'A-0' })).status).toBe(200)
    expect(
      (await send('POST', '/wms/variants', { article: smallGoods.tea, article_code: 'B-1' })).status,
    ).toBe(201)
  })

  it.each([
    [{}, 'article'],
    [{ article: 'x', article_code: 'A-9' }, 'article'],
    [{ article: smallId(99), article_code: 'A-9' }, 'article'],
    [{ article: smallGoods.birchArticle, article_code: 'A-9' }, 'article'],
    [{ article: smallGoods.tea, article_code: ' ' }, 'articleCode'],
    [{ article: smallGoods.tea, article_code: 'A-9', expirable: 'yes' }, 'expirable'],
    [{ article: smallGoods.tea, article_code: 'A-9', value: -1 }, 'value'],
  ])('refuses %j with an error under the name of the field', async (body, field) => {
    const reply = await send('POST', '/wms/variants/', body)
    expect(reply).toMatchObject({ status: 400, body: { errors: { [field]: [someText] } } })
    expect(await variants()).toHaveLength(3)
  })

  it('changes only the sent fields and modified_at of a variant, and leaves its article unchanged', async () => {
    const path = `/wms/variants/${smallGoods.shirtRed}/`
    const before = await variant(smallGoods.shirtRed)
    const untouched = await send('PATCH', path, { id: smallId(1), created_at: null, modified_at: 'now' })
    expect(untouched).toMatchObject({ status: 200, body: before })
    const changes = { name: 'Red', ean: null, description: '', weight: '401.6', expirable: true }
    const reply = await send('PATCH', path, changes)
    expect(reply.body).toEqual({
      ...before,
      name: 'Red',
      ean: null,
      description: null,
      weight: 401.6,
      expirable: true,
      modified_at: '2026-06-01T12:00:00+00:00',
    })
    expect(await variant(smallGoods.shirtRed)).toEqual(reply.body)
    expect(codes(await variants('?sort=modifiedAt&direction=desc&limit=1'))).toEqual(['A-1'])
    const [, shirt] = await articles()
    expect(shirt?.modified_at).toBe('2026-01-02T08:00:00+00:00')
  })

  it('moves a variant to another article, but not to an article of another customer', async () => {
    const path = `/wms/variants/${smallGoods.shirtBlue}/`
    const moved = await send('PATCH', path, { article: smallGoods.tea }, { expand: 'article' })
    expect(moved).toMatchObject({ status: 200, body: { article: { name: 'Cardamom tea' } } })
    const refused = await send('PATCH', path, { article: smallGoods.birchArticle })
    expect(refused).toMatchObject({ status: 400, body: { errors: { article: [someText] } } })
  })
})
