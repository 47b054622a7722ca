import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '#shared/wire/roles.ts'
import { createdWebhook, webhook, webhookPage } from '#shared/wire/webhook.ts'
import { type CallOptions, type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { makeSmallWorld, smallId, smallIds } from '#support/small-world.ts'

let server: TestServer
beforeEach(async () => {
  await (server as TestServer | undefined)?.close()
  server = await startTestServer()
})
afterAll(() => server.close())

const wanted = {
  url: 'https://shop.example.org/hooks',
  group: 'stock',
  action: 'updated',
  hash_secret: 'a very secret word',
}

function register(body: unknown = wanted, options: CallOptions = {}): Promise<Reply> {
  return server.call('/webhooks/', { method: 'POST', body, ...options })
}

async function registered(body: unknown = wanted): Promise<string> {
  return createdWebhook.parse((await register(body)).body).id
}

describe('a webhook', () => {
  it('shows its secret only in the response to its registration', async () => {
    const reply = await register()
    expect(reply.status).toBe(201)
    const { id } = createdWebhook.strict().parse(reply.body)
    const shown = {
      id,
      url: wanted.url,
      group: 'stock',
      action: 'updated',
      topic: 'stock/updated',
      customer: smallIds.alder,
      created_at: '2026-06-01T12:00:00+00:00',
      modified_at: '2026-06-01T12:00:00+00:00',
    }
    expect(reply.body).toEqual({ ...shown, hash_secret: wanted.hash_secret })
    const answers = [
      await server.call(`/webhooks/${id}`),
      await server.call(`/webhooks/${id}/`, { method: 'PATCH', body: {} }),
      await server.call(`/webhooks/${id}/`, { method: 'PUT', body: wanted }),
      await server.call('/webhooks/'),
    ]
    expect(answers[0]?.body).toEqual(shown)
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(JSON.stringify(answer.body)).not.toContain('secret')
    }
  })

  it.each(['PATCH', 'PUT'])('is changed only in the fields that the %s body contains', async (method) => {
    const id = await registered()
    server.clock.advance(1000)
    const change = { url: 'https://other.example.org/', hash_secret: 'another', topic: 'x', customer: 'y' }
    const reply = await server.call(`/webhooks/${id}/`, { method, body: change })
    expect(reply.status).toBe(200)
    expect(webhook.parse(reply.body)).toMatchObject({
      url: 'https://other.example.org/',
      topic: 'stock/updated',
      customer: smallIds.alder,
      created_at: '2026-06-01T12:00:00+00:00',
      modified_at: '2026-06-01T12:00:01+00:00',
    })
    const both = { group: 'order', action: 'shipped' }
    expect((await server.call(`/webhooks/${id}/`, { method, body: both })).body).toMatchObject({
      ...both,
      topic: 'order/shipped',
    })
    const unfit = await server.call(`/webhooks/${id}/`, { method, body: { group: 'batch' } })
    expect(unfit).toMatchObject({ status: 400, body: { errors: { action: [expect.any(String)] } } })
  })

  it.each(['', '[]', '{}'])('is not changed by a PATCH with the body "%s"', async (body) => {
    const id = await registered()
    server.clock.advance(1000)
    const headers = { 'content-type': 'application/json' }
    const reply = await server.call(`/webhooks/${id}/`, { method: 'PATCH', headers, body })
    expect(reply.body).toMatchObject({ modified_at: '2026-06-01T12:00:00+00:00' })
  })

  it('is deleted by DELETE, which returns 204 without a body', async () => {
    const id = await registered()
    expect(await server.call(`/webhooks/${id}/`, { method: 'DELETE' })).toMatchObject({
      status: 204,
      body: '',
    })
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'])
      expect((await server.call(`/webhooks/${id}/`, { method })).status).toBe(404)
  })

  it('is not found or listed by another customer', async () => {
    const id = await registered()
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'])
      expect((await server.call(`/webhooks/${id}`, { method, customer: 'BIRCH' })).status).toBe(404)
    const others = webhookPage.parse((await server.call('/webhooks/', { customer: 'BIRCH' })).body)
    expect(others).toEqual({ count: 0, next: null, previous: null, results: [] })
    expect((await server.call(`/webhooks/${id}`)).status).toBe(200)
    expect((await server.call(`/webhooks/${smallId(999)}`)).status).toBe(404)
  })
})

describe('GET /webhooks/', () => {
  it('returns a page of the webhooks of a customer with links to the neighbouring pages', async () => {
    const ids: string[] = []
    for (const action of ['created', 'updated', 'shipped']) {
      server.clock.advance(1000)
      ids.unshift(await registered({ ...wanted, group: 'order', action }))
    }
    const page = async (
      url: string,
    ): Promise<{ ids: string[]; next: string | null; previous: string | null }> => {
      const { count, results, ...rest } = webhookPage.strict().parse((await server.call(url)).body)
      expect(count).toBe(3)
      return { ids: results.map(({ id }) => id), ...rest }
    }
    const link = (number: number): string => `${server.url}/webhooks/?limit=1&direction=desc&page=${number}`
    const path = '/webhooks/?limit=1&direction=desc'
    expect(await page(path)).toEqual({ ids: [ids[0]], next: link(2), previous: null })
    expect(await page(`${path}&page=0`)).toEqual({ ids: [ids[0]], next: link(2), previous: null })
    expect(await page(`${path}&page=2`)).toEqual({ ids: [ids[1]], next: link(3), previous: link(1) })
    expect(await page(link(3).slice(server.url.length))).toEqual({
      ids: [ids[2]],
      next: null,
      previous: link(2),
    })
    expect((await page('/webhooks?direction=asc')).ids).toEqual(ids.toReversed())
    const early = webhookPage.parse((await server.call('/webhooks/?to=2026-05-31')).body)
    expect(early).toMatchObject({ count: 0, results: [] })
  })

  it.each(['?sort=url', '?limit=0', '?limit=-1', '?page=-1', '?direction=up', '?from=now'])(
    'refuses the query %s',
    async (query) => {
      expect((await server.call(`/webhooks/${query}`)).status).toBe(400)
    },
  )
})

describe('the registration of a webhook', () => {
  it('is refused while the customer has fifty webhooks', async () => {
    const id = await registered()
    // At most 24 calls of one customer may wait at once.
    for (let time = 0; time < 2; time++) await Promise.all(Array.from({ length: 24 }, () => register()))
    const last = await Promise.all([register(), register(), register()])
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    expect(last.find(({ status }) => status === 409)?.body).toEqual({
      code: 409,
      message: 'A customer has 50 webhooks at most. Delete one first.',
    })
    expect((await register(wanted, { customer: 'BIRCH' })).status).toBe(201)
    await server.call(`/webhooks/${id}/`, { method: 'DELETE' })
    expect((await register()).status).toBe(201)
  })

  it.each([
    [{ ...wanted, url: 'http://shop.example.org/' }, 'url'],
    [{ ...wanted, url: 'shop' }, 'url'],
    [{ ...wanted, url: undefined }, 'url'],
    [{ ...wanted, group: 'nothing' }, 'group'],
    [{ ...wanted, group: undefined }, 'group'],
    [{ ...wanted, action: undefined }, 'action'],
    [{ ...wanted, action: 'deleted' }, 'action'],
    [{ ...wanted, hash_secret: '' }, 'hashSecret'],
    [{ ...wanted, hash_secret: undefined }, 'hashSecret'],
  ])('is refused with an error under the name of the wrong field: %j', async (body, field) => {
    const reply = await register(body)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ errors: { [field]: [expect.any(String)] } })
  })
})

describe('a user who may change webhooks but not read orders', () => {
  const ofWebhooks: readonly Role[] = ['WEBHOOKS_CREATE', 'WEBHOOKS_UPDATE', 'STOCK_READ']
  const order = { ...wanted, group: 'order', action: 'created' }

  it('can register webhooks only for resources that the user may read', async () => {
    await start()
    const token = await server.logIn('reader')
    expect(await register(wanted, { token })).toMatchObject({ status: 201 })
    expect(await register(order, { token })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('ROLE_MIDDLEWARE_ORDERS_READ') as string },
    })
  })

  it('can neither change a webhook for orders nor turn another webhook into one', async () => {
    await start()
    const token = await server.logIn('reader')
    const orders = await registered(order)
    const stock = await registered()
    const change = (id: string, body: unknown): Promise<Reply> =>
      server.call(`/webhooks/${id}/`, { method: 'PATCH', body, token })
    const url = 'https://other.example.org/'
    expect((await change(orders, { url })).status).toBe(403)
    expect((await change(orders, { url, group: 'stock', action: 'updated' })).status).toBe(403)
    expect((await change(stock, { group: 'order', action: 'created' })).status).toBe(403)
    expect((await change(stock, { url })).status).toBe(200)
    expect((await server.call(`/webhooks/${orders}/`)).body).toMatchObject({ url: wanted.url })
  })

  it('needs the role for the documents of orders too, because notifications contain their titles', async () => {
    for (const more of [['ORDERS_READ'], ['ORDERS_DOCUMENTS_READ']] as const) {
      await start([...ofWebhooks, ...more])
      const token = await server.logIn('reader')
      expect(await register(order, { token })).toMatchObject({ status: 403 })
    }
    await start([...ofWebhooks, 'ORDERS_READ', 'ORDERS_DOCUMENTS_READ'])
    expect(await register(order, { token: await server.logIn('reader') })).toMatchObject({ status: 201 })
  })

  /** Starts the service with these roles of the user `reader`. */
  async function start(own = ofWebhooks): Promise<void> {
    await server.close()
    const world = makeSmallWorld()
    const users = world.users.map((user) =>
      user.username === 'reader' ? { ...user, roles: [...own] } : user,
    )
    server = await startTestServer({ world: { ...world, users } })
  }
})
