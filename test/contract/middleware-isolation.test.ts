import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { exportTypes } from '#shared/domain/exports.ts'
import { exportRecord } from '#shared/wire/export.ts'
import { type Operation, readOperations } from '#support/api-operations.ts'
import { seed } from '#support/counts.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { collectionOf, RandomClient } from '#support/random-client.ts'
import { type Wish, wishFor } from '#support/random-requests.ts'
import { smallIds } from '#support/small-world.ts'

const operations = readOperations()
const plain: Wish = { id: null, query: {}, body: undefined, expand: [], harm: null }
const withCustomer = operations.filter(({ path }) => !path.startsWith('/wms/auth/'))
const isList = ({ method, path }: Operation): boolean => method === 'GET' && !path.includes(':id')
const single = withCustomer.filter(({ path }) => path.includes(':id'))

/** Collections that are the same for every customer, because they belong to the WMS or to the user. */
const shared = new Set(['customers', 'shippingmethods', 'locationtypes', 'locationtype'])
const kindsToHide = [...new Set(single.map(({ path }) => collectionOf(path)))].filter(
  (kind) => !shared.has(kind),
)
/** Matches values in responses to BIRCH that identify its data: ids, and texts and references that only BIRCH has. */
const telling = /^([0-9a-f-]{36}|BIRCH-ONLY-.*|(ORD|INB|MOD|SHP|RTL)\d{11})$/

let server: TestServer
/** Values that only BIRCH may see: they are in responses to BIRCH and in no response to ALDER. */
const secrets = new Set<string>()
/** Ids of the records of BIRCH (one of the two customers in this test), by collection. */
let birchIds: ReadonlyMap<string, readonly string[]>

/** Creates and lists resources of every kind, so that each kind can be tested. */
async function populate(customer: 'ALDER' | 'BIRCH'): Promise<{ client: RandomClient; values: Set<string> }> {
  const client = new RandomClient(server, customer)
  const values = new Set<string>()
  const lacking = (): boolean => kindsToHide.some((kind) => !client.known.has(kind))
  for (let round = 0; round < 5 || (round < 60 && lacking()); round += 1)
    for (const operation of withCustomer) {
      if (round >= 5 && (operation.method !== 'POST' || operation.path.includes(':id'))) continue
      if (operation.method === 'DELETE' || operation.path.includes('cancel')) continue
      const wishes = fc.sample(wishFor(operation, false), { seed: seed + round, numRuns: 2 })
      for (const wish of isList(operation) ? [plain] : wishes) {
        const marked = { ...wish, body: mark(wish.body, customer), expand: operation.expand }
        const { reply } = await client.send(operation, marked)
        if (reply.status < 300 && !shared.has(collectionOf(operation.path))) gather(reply.body, values)
      }
    }
  return { client, values }
}

/**
 * Returns the values that every customer may see: those of shipping methods, location types and the user's customers.
 */
async function commonValues(): Promise<Set<string>> {
  const values = new Set<string>()
  for (const operation of withCustomer)
    if (isList(operation) && shared.has(collectionOf(operation.path)))
      gather((await new RandomClient(server).send(operation, plain)).reply.body, values)
  return values
}

/**
 * Adds the name of the customer to some texts in a request body: texts that a client may choose freely, such as names
 * and notes.
 */
function mark(body: unknown, customer: string): unknown {
  if (typeof body !== 'object' || body === null) return body
  const texts = ['external_reference', 'external_id', 'note', 'name', 'description', 'hash_secret']
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      texts.includes(key) && typeof value === 'string' ? `${customer}-ONLY-${value}` : value,
    ]),
  )
}

function gather(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') into.add(value)
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) gather(each, into)
}

/** Returns the values of `secrets` that the body of a response contains. */
function leaks(body: unknown): string[] {
  const found = new Set<string>()
  gather(body, found)
  const text = typeof body === 'string' ? body : ''
  return [...secrets].filter((secret) => found.has(secret) || text.includes(secret))
}

/** Returns a few secrets of each kind, because a test of all secrets in every filter would take minutes. */
function aFew(): string[] {
  const kinds = Map.groupBy(secrets, (secret) =>
    secret.replace(/^([0-9a-f-]{36}|[A-Z]+).*$/, '$1').slice(0, 3),
  )
  return [...kinds.values()].flatMap((kind) => kind.slice(0, 3)).slice(0, 15)
}

beforeAll(async () => {
  server = await startTestServer({ exportDelayMs: 0 })
  const common = await commonValues()
  const birch = await populate('BIRCH')
  const alder = await populate('ALDER')
  birchIds = birch.client.known
  for (const value of birch.values)
    if (telling.test(value) && !alder.values.has(value) && !common.has(value)) secrets.add(value)
}, 120_000)
afterAll(() => server.close())

describe('the data of another customer', () => {
  it('contain, in this test, resources of every kind', () => {
    for (const kind of kindsToHide) expect(birchIds.get(kind)?.length ?? 0, kind).toBeGreaterThan(0)
    expect([...secrets].filter((secret) => secret.startsWith('BIRCH-ONLY-')).length).toBeGreaterThan(5)
  })

  it.each(single.filter(({ path }) => !shared.has(collectionOf(path))))(
    'are not returned by $name for an id of the other customer',
    async (operation: Operation) => {
      const [wish = plain] = fc.sample(wishFor(operation, false), { seed, numRuns: 1 })
      for (const id of (birchIds.get(collectionOf(operation.path)) ?? []).slice(0, 8)) {
        const reply = await server.call(operation.path.replace(':id', id), {
          method: operation.method,
          ...(operation.body !== null && { body: JSON.stringify(wish.body) }),
          expand: operation.expand.join(','),
        })
        // 400 is allowed, because the service may refuse a body before it checks the id.
        expect([400, 404], `${operation.name} ${id}`).toContain(reply.status)
        expect(leaks(reply.body)).toEqual([])
      }
    },
  )

  it.each(withCustomer.filter(isList))(
    'are not listed by $name, even if the query contains values of these data',
    async (operation) => {
      const { reply } = await new RandomClient(server).send(operation, { ...plain, query: { limit: 1000 } })
      expect(reply.status).toBe(200)
      expect(leaks(reply.body)).toEqual([])
      for (const { name } of operation.query.filter(({ schema }) => schema.enum === undefined))
        for (const secret of aFew()) {
          const path = `${operation.path}?${new URLSearchParams({ [name]: secret }).toString()}`
          const filtered = await server.call(path, { expand: operation.expand.join(',') })
          expect([200, 400]).toContain(filtered.status)
          if (filtered.status === 200) expect(leaks(filtered.body)).toEqual([])
        }
    },
  )

  it.each(withCustomer.filter(({ body, path }) => body !== null && !path.includes(':id')))(
    'are not in the response of $name to a body with ids of the other customer',
    async (operation) => {
      const birch = new RandomClient(server, 'BIRCH')
      for (const list of withCustomer) if (isList(list)) await birch.send(list, plain)
      for (const wish of fc.sample(wishFor(operation, false), { seed, numRuns: 10 })) {
        const { reply } = await birch.sendAs('ALDER', operation, wish)
        expect(leaks(reply.body)).toEqual([])
      }
    },
  )

  it.each(Object.entries(exportTypes).flatMap(([family, types]) => types.map((type) => ({ family, type }))))(
    'are not in an export of $family $type',
    async ({ family, type }) => {
      const path = family === 'standard' ? '/wms/exports/' : `/wms/exports/${family}/`
      const asked = await server.call(path, { method: 'POST', body: { type } })
      const { id } = exportRecord.parse(asked.body)
      const download = `/wms/exports/${id}/download/`
      await vi.waitUntil(async () => (await server.call(download)).status === 200, {
        timeout: 10_000,
        interval: 5,
      })
      expect(leaks((await server.call(download)).body)).toEqual([])
    },
  )

  it.each(withCustomer)(
    'are not accessible to a user who may not act for this customer: $name returns 403',
    async (operation) => {
      const [wish = plain] = fc.sample(wishFor(operation, false), { seed, numRuns: 1 })
      const token = await server.logIn('birch-only')
      const reply = await server.call(operation.path.replace(':id', smallIds.alder), {
        method: operation.method,
        token,
        ...(operation.body !== null && { body: JSON.stringify(wish.body) }),
      })
      expect(reply.status).toBe(403)
    },
  )
})
