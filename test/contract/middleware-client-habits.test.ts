import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { createdWebhook } from '#shared/wire/webhook.ts'
import { readOperations } from '#support/api-operations.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newAddress } from '#support/order-payloads.ts'
import { collectionOf } from '#support/random-client.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallIds } from '#support/small-world.ts'

const operations = readOperations()
const lists = operations.filter(({ query }) => query.some(({ name }) => name === 'limit'))
const paths = [...new Set(operations.map(({ path }) => path))]
const records = z.array(z.looseObject({ id: z.union([z.string(), z.number()]) }))

let server: TestServer
/** The id of a webhook with three notifications. */
let webhook: string
beforeAll(async () => {
  server = await startTestServer()
  const wanted = { url: 'https://hooks.example.org/', group: 'article', action: 'updated', hash_secret: 'x' }
  const reply = await server.call('/webhooks/', { method: 'POST', body: wanted })
  webhook = createdWebhook.parse(reply.body).id
  const change = { method: 'PATCH', body: { name: 'Shirt' } }
  for (let time = 0; time < 3; time += 1) await server.call(`/wms/articles/${smallGoods.shirt}/`, change)
})
afterAll(() => server.close())

/** Calls the service. Replaces `:id` in the path by the id of the webhook. */
function call(path: string): Promise<Reply> {
  return server.call(path.replace(':id', webhook))
}

/** Returns the ids of the records of a list. The list of webhooks is an object whose `results` are the records. */
async function ids(path: string): Promise<(string | number)[]> {
  const reply = await call(path)
  expect(reply.status, path).toBe(200)
  const { success, data } = z.object({ results: records }).safeParse(reply.body)
  return (success ? data.results : records.parse(reply.body)).map(({ id }) => id)
}

function fields(reply: Reply): string[] {
  return Object.keys(z.object({ errors: z.record(z.string(), z.unknown()) }).parse(reply.body).errors)
}

describe('the list', () => {
  it.each(lists)(
    'of $name is the same for page=0, for page=1 and for a query without parameters',
    async ({ path }) => {
      const first = await ids(path)
      if (path.includes('/deliveries/')) expect(first).toHaveLength(3)
      for (const ending of ['?', '?page=0', '?page=1', '?page=', '?limit=50&page=0', '?limit=100'])
        expect(await ids(path + ending)).toEqual(first)
      expect(await ids(`${path}?page=2&limit=1`)).toEqual(first.slice(1, 2))
      expect(await ids(`${path}?page=3&limit=1000`)).toEqual([])
    },
  )

  it.each(lists)(
    'of $name refuses an unknown value of a parameter with an error under the name of this parameter',
    async ({ path, query }) => {
      const wrong: [string, string][] = [
        ['limit', '-1'],
        ['limit', '0'],
        ['limit', '1001'],
        ['limit', 'ten'],
        ['limit', '1.5'],
        ['page', '-1'],
        ['direction', 'sideways'],
        ['sort', 'colour'],
        ['from', 'yesterday'],
        ['from', '2026-02-30'],
        ['from', '2026-02-30 10:00'],
        ['to', '2026-02-28 24:00'],
        ['to', '2026-13-01'],
        ['to', '2026-02-01 25:00'],
        ...query
          .filter(({ schema }) => schema.enum !== undefined)
          .map(({ name }): [string, string] => [name, 'unheard_of']),
      ]
      const has = new Set(query.map(({ name }) => name))
      for (const [name, value] of wrong.filter(([each]) => has.has(each))) {
        const reply = await call(`${path}?${new URLSearchParams({ [name]: value }).toString()}`)
        expect(reply.status, `${path} ${name}=${value}`).toBe(400)
        expect(fields(reply)).toEqual([
          name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        ])
      }
    },
  )

  it.each(lists)(
    'of $name can be filtered by from and to with a date, or with a date and a time',
    async ({ path }) => {
      const all = await ids(path)
      expect(await ids(`${path}?from=2000-01-01&to=2030-12-31`)).toEqual(all)
      expect(await ids(`${path}?from=2000-01-01+00%3A00&to=2030-12-31%2023:59`)).toEqual(all)
      expect(await ids(`${path}?from=2030-12-31+23:59`)).toEqual([])
    },
  )
})

describe('array filters', () => {
  it.each([
    'order_external_reference=WEB-1&order_external_reference=WEB-2',
    'order_external_reference[]=WEB-1&order_external_reference[]=WEB-2',
    'order_external_reference%5B%5D=WEB-1&order_external_reference%5B%5D=WEB-2',
    'order_external_reference[0]=WEB-1&order_external_reference[1]=WEB-2',
  ])('are accepted in the form %s', async (query) => {
    const found = await ids(`/wms/shipments/?${query}&direction=asc`)
    expect(found).toEqual(smallIds.shipments.slice(0, 2))
  })

  it('are ignored when they are empty', async () => {
    const all = await ids('/wms/shipments/')
    for (const query of ['order_external_reference[]=', 'order_external_reference='])
      expect(await ids(`/wms/shipments/?${query}`)).toEqual(all)
  })

  it.each(['/wms/orders/', '/openapi.json'])(
    'are refused by %s in a query with more than 600 parameters',
    async (path) => {
      const query = (count: number): string =>
        Array.from({ length: count }, (_, at) => `o[${at}]=${at}`).join('&')
      expect((await server.call(`${path}?${query(600)}`)).status).toBe(200)
      const { status, body } = await server.call(`${path}?${query(601)}`)
      expect(status).toBe(400)
      expect(JSON.stringify(body)).toContain('A query should have at most 600 parameters.')
    },
  )
})

describe('a PATCH without changes', () => {
  const changes = operations.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/:id/'))

  it.each(changes)('succeeds if its body is empty, [] or {}: $name', async ({ path }) => {
    const list = operations.find((each) => each.method === 'GET' && `${each.path}:id/` === path)
    expect(list, path).toBeDefined()
    const [id = await anyId(collectionOf(path))] = await ids(list?.path ?? '')
    const headers = { 'content-type': 'application/json' }
    const bodies = ['', '[]', '{}', ' [] ']
    for (const body of bodies) {
      const reply = await server.call(path.replace(':id', String(id)), { method: 'PATCH', headers, body })
      expect(reply.status, `${path} ${body}`).toBe(200)
      expect(reply.body).toHaveProperty('id', id)
    }
  })

  /** Creates a record of the collection and returns its id. Called only if the test data contain no record. */
  async function anyId(collection: string): Promise<string> {
    const bodies: Readonly<Record<string, [string, object]>> = {
      'return-labels': ['/wms/return-labels/', { shipment_id: smallIds.shipments[0] }],
      webhooks: [
        '/webhooks/',
        { url: 'https://example.org', group: 'stock', action: 'updated', hash_secret: 'x' },
      ],
      'variant-bundles': [
        '/wms/variant-bundles/',
        { variant_bundle: 'A-0', variant_bundle_items: [{ article_code: 'A-1', quantity: 1 }] },
      ],
      'customer-to-customer-transfers': [
        '/wms/customer-to-customer-transfers/',
        {
          customer: smallIds.alder,
          to_customer: smallIds.birch,
          external_reference: 'T-1',
          customer_to_customer_transfer_lines: [{ article_code: 'A-1', quantity: 1 }],
        },
      ],
    }
    const [path, body] = bodies[collection] ?? ['', {}]
    const reply = await server.call(path, { method: 'POST', body })
    expect(reply.status, collection).toBe(201)
    return z.looseObject({ id: z.string() }).parse(reply.body).id
  }
})

describe('a number in a field that is documented as text', () => {
  it('is accepted as a house number and returned as text', async () => {
    const sender_address = {
      addressed_to: 'Sam',
      street: 'Hofstraat',
      street_number: 12,
      zipcode: '1234 AB',
      city: 'Utrecht',
      country: 'NL',
    }
    const reply = await server.call('/wms/return-labels/', {
      method: 'POST',
      body: { shipping_method: smallIds.standard, sender_address },
    })
    expect(reply).toMatchObject({ status: 201, body: { sender_address: { street_number: '12' } } })
  })

  it('is refused as the external reference of a return label', async () => {
    const body = { shipping_method: smallIds.standard, sender_address: newAddress() }
    const call = (external_reference: unknown): Promise<Reply> =>
      server.call('/wms/return-labels/', { method: 'POST', body: { ...body, external_reference } })
    expect((await call(4711)).status).toBe(400)
    expect(await call('4711')).toMatchObject({ status: 201, body: { external_reference: '4711' } })
  })

  it('is accepted as an EAN and returned as text', async () => {
    const body = { name: 'Habit', variants: [{ article_code: 'HABIT-1', ean: 8712345678906, height: '7' }] }
    const reply = await server.call('/wms/articles/', { method: 'POST', body })
    expect(reply).toMatchObject({ status: 201, body: { variants: [{ ean: '8712345678906', height: 7 }] } })
  })
})

describe('a login', () => {
  it.each([
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['an old token', { authorization: 'Bearer abc.def.ghi' }],
    ['an Expand header', { expand: 'order_lines' }],
    ['any Accept', { accept: '*/*' }],
    ['no customer', { 'x-customer-code': '' }],
  ])('returns 200 with %s', async (_, headers) => {
    const body = { username: 'everything', password: 'everything-secret-word' }
    const call = { method: 'POST', body, token: null }
    const reply = await server.call('/wms/auth/login/', { ...call, headers })
    expect(reply.status).toBe(200)
    const { token } = tokensSchema.strict().parse(reply.body)
    expect((await server.call('/wms/customers', { token, headers: { accept: '*/*' } })).status).toBe(200)
  })
})

describe('every path', () => {
  it.each(paths)(
    '%s responds to an unsupported method in JSON and without a redirect: with 405, or with 404 if the path also matches a route with an id',
    async (path) => {
      const served = operations.filter((each) => each.path === path).map(({ method }) => method)
      const here = path.replace(':id', smallIds.everything)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !served.includes(each)))
        for (const ending of [here, here.replace(/\/$/, ''), `${here.replace(/\/$/, '')}/`]) {
          const reply = await server.call(ending, { method })
          // `/wms/exports/billing/` also matches `/wms/exports/:id/`, with a malformed id, so its response can be 404.
          const expected = reply.headers.get('allow') === null ? 404 : 405
          expect(reply.status, `${method} ${ending}`).toBe(expected)
          expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
          if (expected === 404) expect(path).toMatch(/\/(billing|financial|bulks)\/$/)
          else expect(reply.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(served))
        }
    },
  )

  it.each(operations)(
    '$name is listed with its tests in the README of the middleware',
    ({ method, path }) => {
      const readme = readFileSync(new URL('../../electron/middleware/README.md', import.meta.url), 'utf8')
      const endpoints = readme.slice(readme.indexOf('## Endpoints'))
      const row = endpoints.split('\n').find((line) => {
        const [, methods = '', listed = ''] = line.split('|')
        return methods.includes(method) && listed.includes(`\`${path}\``)
      })
      expect(row, `${method} ${path}`).toBeDefined()
      const links = [...(row ?? '').matchAll(/\]\(\.\.\/\.\.\/(test\/[^)]+)\)/g)].map(([, file = '']) => file)
      expect(links.length).toBeGreaterThan(0)
      for (const file of links) expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true)
    },
  )
})
