import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Route, routes } from '#shared/wire/routes.ts'
import { lastingServer } from '#support/lasting-server.ts'
import { startTestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId } from '#support/small-id.ts'
import { makeMovingWorld, smallMoves } from '#support/small-moves.ts'
import { smallIds } from '#support/small-world.ts'
import { dropTestDatabase, isOnPostgres, testPlace } from '#support/test-database.ts'

const server = lastingServer(makeMovingWorld)

/** For each resource that this file tests: a record of ALDER, a customer in the test data. */
const own = {
  articles: smallGoods.shirt,
  variants: smallGoods.shirtRed,
  'variant-bundles': smallMoves.bundles[0],
  batches: smallGoods.batches[0],
  inbounds: smallMoves.inbounds[6],
  'customer-to-customer-transfers': smallMoves.transfers[0],
  modifications: smallGoods.modifications[0],
  shipments: smallIds.shipments[0],
  documents: smallMoves.paper,
} as const

const operations = Object.entries<Route>(routes).flatMap(([name, { method, path }]) =>
  Object.entries(own).flatMap(([resource, id]) =>
    path.startsWith(`/wms/${resource}/:id`) ? [{ name, method, path: path.replace(':id', id ?? '') }] : [],
  ),
)

/**
 * The resources in `own` that have a list: all except `documents`. Each list contains a record of the customer ALDER.
 */
const lists = Object.keys(own).filter((resource) => resource !== 'documents')

describe('a resource of a customer', () => {
  it('of each kind is tested with at least one operation', () => {
    const tried = Object.keys(own).filter((resource) =>
      operations.some(({ path }) => path.includes(`/${resource}/`)),
    )
    expect(tried).toEqual(Object.keys(own))
  })

  it.each(operations)('is not found by another customer: $name', async ({ method, path }) => {
    const body = method === 'GET' ? undefined : {}
    const reply = await server.call(path, { method, body, customer: 'BIRCH' })
    expect(reply.status).toBe(404)
    const nothing = await server.call(path.replace(/[0-9a-f-]{36}/, smallId(999)), {
      method,
      body,
      customer: 'BIRCH',
    })
    // the response for the id of a record of another customer equals the response for an unknown id
    expect([reply.status, reply.body]).toEqual([nothing.status, nothing.body])
  })

  it.each(operations)('is found by its own customer: $name', async ({ method, path }) => {
    // the body is empty, so a change with PATCH changes no field; the cancellation of the inbound returns 412, because
    // this inbound is completed
    const reply = await server.call(path, { method, body: method === 'GET' ? undefined : {} })
    expect([200, 204, 404, 412]).toContain(reply.status)
    if (!path.endsWith('/return-label')) expect(reply.status).not.toBe(404)
  })

  it.each(lists)('is missing from the list of another customer: %s', async (resource) => {
    const idOf = (row: unknown): string => (row as { id: string }).id
    const mine = (await server.call(`/wms/${resource}/?limit=1000`)).body as unknown[]
    const theirs = (await server.call(`/wms/${resource}/?limit=1000`, { customer: 'BIRCH' }))
      .body as unknown[]
    expect(mine.map(idOf)).toContain(Object.entries(own).find(([name]) => name === resource)?.[1])
    expect(theirs.length).toBeGreaterThan(0)
    const shared = theirs.map(idOf).filter((id) => mine.map(idOf).includes(id))
    expect(shared).toEqual([])
  })
})

describe.skipIf(!isOnPostgres)('a call of another customer on PostgreSQL', () => {
  it('is served while a statement for the first customer waits for a lock', async () => {
    const place = await testPlace(':memory:')
    const url = place.databaseUrl ?? ''
    const busy = await startTestServer({ databaseUrl: url })
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    const made = await busy.call('/wms/orders/', { method: 'POST', body: newOrder() })
    const { id } = z.object({ id: z.string() }).parse(made.body)
    await holder.query('begin')
    await holder.query('select id from orders where id = $1 for update', [id])
    let isDone = false
    const change = busy.call(`/wms/orders/${id}/`, { method: 'PATCH', body: { note: 'x' } }).finally(() => {
      isDone = true
    })
    await expect
      .poll(async () => (await holder.query('select 1 from pg_locks where not granted')).rowCount)
      .toBeGreaterThan(0)
    expect((await busy.call('/wms/orders/', { customer: 'BIRCH' })).status).toBe(200)
    expect(isDone).toBe(false)
    await holder.query('rollback')
    expect((await change).status).toBe(200)
    await holder.end()
    await busy.close()
    await dropTestDatabase(place)
  })
})
