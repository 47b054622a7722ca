import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { article } from '#shared/wire/article.ts'
import { createLogger } from '#kit/logger.ts'
import { startMiddleware } from '#middleware/start-middleware.ts'
import { send, startTestServer, type TestServer, testClock } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const someText: unknown = expect.any(String)

describe('an error response', () => {
  it.each(['/wms/return-labels/', `/wms/return-labels/${smallIds.everything}/`])(
    'of %s without a token has the fields `error`, `code` and `message`',
    async (path) => {
      const message = 'Invalid JWT Token'
      expect(await server.call(path, { token: null })).toMatchObject({
        status: 401,
        body: { error: message, code: 401, message },
      })
    },
  )

  it.each([
    ['/wms/auth/login/', { username: 'everything', password: '' }, 'password'],
    ['/wms/auth/login', {}, 'username'],
    ['/wms/auth/refresh/', { refresh_token: '' }, 'refreshToken'],
  ])('of %s with the body %j has the fields `message` and `errors`', async (path, body, field) => {
    const reply = await server.call(path, { method: 'POST', body, token: null })
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 400, message: someText, errors: { [field]: [someText] } },
    })
  })
})

describe('a flag in a query', () => {
  it.each([
    ['/wms/orders/', 'is_business_to_business'],
    ['/wms/locationtypes/', 'pickable'],
    ['/wms/batches/', 'positive_only'],
  ])('of %s accepts true and false in any letter case: %s', async (path, flag) => {
    const shown = async (word: string): Promise<unknown> => {
      const reply = await server.call(`${path}?${flag}=${word}`)
      expect(reply.status, word).toBe(200)
      return reply.body
    }
    for (const word of ['True', 'TRUE', 'tRuE', '1']) expect(await shown(word)).toEqual(await shown('true'))
    for (const word of ['False', 'FALSE', '0']) expect(await shown(word)).toEqual(await shown('false'))
    expect((await server.call(`${path}?${flag}=Yes`)).status).toBe(400)
  })
})

describe('an order response', () => {
  it('contains the shipping method only as an id, even if Expand names the group shipping_method', async () => {
    const orders = z.array(z.object({ id: z.string(), shipping_method: z.string().nullable() }))
    const listed = orders.parse((await server.call('/wms/orders/')).body)
    const found = listed.find(({ shipping_method: method }) => method !== null)
    expect(found).toBeDefined()
    for (const expand of ['shipping_method', 'shipping_method,administration_code'])
      expect((await server.call(`/wms/orders/${found?.id}/`, { expand })).body).toMatchObject({
        shipping_method: found?.shipping_method,
      })
  })
})

describe('the response to a new article', () => {
  const variants = ['Zest', 'apple', 'Mint', 'Basil'].map((name, index) => ({
    article_code: `SENT-${9 - index}`,
    name,
  }))
  const codes = variants.map((variant) => variant.article_code)

  it('lists the variants of the article in the order in which they were sent', async () => {
    const body = { name: 'Herbs', variants }
    const reply = await server.call('/wms/articles/', { method: 'POST', body })
    expect(article.parse(reply.body).variants.map((variant) => variant.article_code)).toEqual(codes)
  })

  it('lists the variants of each article in the order in which they were sent, if several articles are created', async () => {
    const other = variants.map((variant) => ({ ...variant, article_code: `OTHER-${variant.article_code}` }))
    const again = variants.map((variant) => ({ ...variant, article_code: `AGAIN-${variant.article_code}` }))
    const articles = [
      { name: 'Other', variants: other },
      { name: 'None' },
      { name: 'Again', variants: again.toReversed() },
    ]
    const reply = await server.call('/wms/articles/bulks/', { method: 'POST', body: { articles } })
    const shown = z.array(article).parse(reply.body)
    expect(shown.map((each) => each.variants.map((variant) => variant.article_code))).toEqual([
      other.map((variant) => variant.article_code),
      [],
      again.toReversed().map((variant) => variant.article_code),
    ])
  })
})

describe('the demo', () => {
  it('accepts the WMS code DEV in addition to its own WMS code', async () => {
    const running = await startMiddleware({
      databaseFile: ':memory:',
      port: 0,
      host: '127.0.0.1',
      seed: 'demo',
      sandbox: true,
      clock: testClock(),
      logger: createLogger('test', { level: 'silent' }),
    })
    try {
      const { url, wms, customer, username, password } = running.invitation
      expect(wms).toBe('SANDBOX')
      const logIn = async (code: string): Promise<number> => {
        const headers = { 'x-wms-code': code }
        const call = {
          method: 'POST',
          body: { username, password },
          headers,
          ...(customer !== null && { customer }),
        }
        return (await send(url, '/wms/auth/login/', call)).status
      }
      expect(await Promise.all(['DEV', 'dev', 'SANDBOX', 'sandbox', 'PROD'].map(logIn))).toEqual([
        200, 200, 200, 200, 400,
      ])
    } finally {
      await running.stop()
    }
  })
})
