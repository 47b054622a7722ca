import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { inboundStatuses } from '#shared/domain/resource-states.ts'
import { type Route, routes } from '#shared/wire/routes.ts'
import { warehouseRoutes } from '#shared/wire/warehouse-routes.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeMovingWorld, smallMoves } from '#support/small-moves.ts'
import { smallOrders } from '#support/small-orders.ts'
import { connectWarehouse, type WarehouseClient } from '#support/warehouse-client.ts'
import { queryBeside } from '#support/test-database.ts'

const days = [
  '0000-01-01',
  '0001-01-01',
  '1969-12-31',
  '1970-01-01',
  '2100-01-01',
  '2100-01-02',
  '9999-12-31',
]
const moments = days.flatMap((day) => [
  `${day}T00:00:00Z`,
  `${day}T00:00:00+14:00`,
  `${day}T23:59:59.999-12:00`,
  `${day}T12:00:00`,
])
const minutes = days.map((day) => `${day} 23:59`)

/** A part of a JSON schema. */
interface SchemaPart {
  readonly $ref?: string | undefined
  readonly format?: string | undefined
  readonly pattern?: string | undefined
  readonly anyOf?: readonly SchemaPart[] | undefined
  readonly oneOf?: readonly SchemaPart[] | undefined
  readonly allOf?: readonly SchemaPart[] | undefined
  readonly items?: SchemaPart | undefined
  readonly properties?: Readonly<Record<string, SchemaPart>> | undefined
}
const schemaPart: z.ZodType<SchemaPart> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    anyOf: z.array(schemaPart).optional(),
    oneOf: z.array(schemaPart).optional(),
    allOf: z.array(schemaPart).optional(),
    items: schemaPart.optional(),
    properties: z.record(z.string(), schemaPart).optional(),
  }),
)
type Components = Readonly<Record<string, SchemaPart>>

/** Returns the paths of all fields in a schema that are a day or a time. */
function datesIn(schema: SchemaPart, components: Components, path = ''): string[] {
  const { $ref, format, pattern = '', anyOf = [], oneOf = [], allOf = [], items, properties = {} } = schema
  const named = $ref === undefined ? undefined : components[$ref.replace('#/components/schemas/', '')]
  const isDate = format === 'date' || format === 'date-time' || pattern.includes(String.raw`\d{4}-`)
  return [
    ...(isDate ? [path] : []),
    ...[...anyOf, ...oneOf, ...allOf, ...(named ? [named] : [])].flatMap((each) =>
      datesIn(each, components, path),
    ),
    ...(items ? datesIn(items, components, `${path}[]`) : []),
    ...Object.entries(properties).flatMap(([name, each]) => datesIn(each, components, `${path}.${name}`)),
  ]
}

let server: TestServer
let warehouse: WarehouseClient
beforeAll(async () => {
  server = await startTestServer({ world: makeMovingWorld(), exportDelayMs: 0 })
  const { url } = server
  const login = { url, wms: 'DEV', username: 'warehouse', password: 'warehouse-secret-word' }
  warehouse = await connectWarehouse(login)
})
afterAll(() => server.close())

let references = 0
const order = smallOrders.byStatus('plannable')
const inboundIn = (status: (typeof inboundStatuses)[number]): string =>
  smallMoves.inbounds[inboundStatuses.indexOf(status)] ?? ''

function post(path: string, body: unknown): Promise<Reply> {
  return server.call(path, { method: 'POST', body })
}

/** Creates an export. Repeats the call while the service refuses it because too many exports of the customer wait. */
async function postExport(path: string, type: string, filters: object): Promise<Reply> {
  return vi.waitFor(
    async () => {
      const reply = await post(path, { type, filters })
      expect(reply.status).not.toBe(429)
      return reply
    },
    { timeout: 20_000 },
  )
}

const createInbound = (day: string): Promise<Reply> =>
  post('/wms/inbounds/', {
    external_reference: `D-${(references += 1)}`,
    inbound_date: day,
    inbound_lines: [{ article_code: 'A-1', quantity: 1 }],
  })
const receive = (id: string, expiration_date: string): Promise<Reply> => {
  const line = { variant: smallGoods.teaBox, quantity: 1, location: smallGoods.shelf, expiration_date }
  const body = { lines: [line], complete: false }
  return warehouse.command(`/warehouse/inbounds/${id}/receipts/`, { method: 'POST', body })
}
const correct = (expiration_date: string): Promise<Reply> => {
  const body = { variant: smallGoods.teaBox, location: smallGoods.shelf, quantity: 1, expiration_date }
  return warehouse.command('/warehouse/stock/corrections/', { method: 'POST', body })
}
let webhook = ''
beforeAll(async () => {
  const body = { url: 'https://a.example/', group: 'shipment', action: 'created', hash_secret: 'secret' }
  webhook = z.object({ id: z.string() }).parse((await post('/webhooks/', body)).body).id
})

/**
 * For each field of a body that is a day or a time: a call that sends it. A new field of this kind needs a row here.
 */
const calls: Readonly<Record<string, (day: string) => Promise<Reply>>> = {
  'post /wms/orders/.requested_delivery_date': (day) =>
    post(
      '/wms/orders/',
      newOrder({ external_reference: `D-${(references += 1)}`, requested_delivery_date: day }),
    ),
  'patch /wms/orders/{id}/.requested_delivery_date': (day) =>
    server.call(`/wms/orders/${order}/`, { method: 'PATCH', body: { requested_delivery_date: day } }),
  'post /wms/inbounds/.inbound_date': createInbound,
  'patch /wms/inbounds/{id}/.inbound_date': (day) =>
    server.call(`/wms/inbounds/${inboundIn('announced')}/`, { method: 'PATCH', body: { inbound_date: day } }),
  'post /wms/exports/.filters.from': (from) => postExport('/wms/exports/', 'orders', { from }),
  'post /wms/exports/.filters.to': (to) => postExport('/wms/exports/', 'orders', { to }),
  'post /wms/exports/billing/.filters.from': (from) =>
    postExport('/wms/exports/billing/', 'orders', { from }),
  'post /wms/exports/billing/.filters.to': (to) => postExport('/wms/exports/billing/', 'orders', { to }),
  'post /wms/exports/financial/.filters.from': (from) =>
    postExport('/wms/exports/financial/', 'orders', { from }),
  'post /wms/exports/financial/.filters.to': (to) => postExport('/wms/exports/financial/', 'orders', { to }),
  'post /webhooks/{id}/replay.since': (since) => post(`/webhooks/${webhook}/replay`, { since }),
  'post /warehouse/inbounds/{id}/receipts/.lines[].expiration_date': (day) =>
    receive(inboundIn('processing'), day),
  'post /warehouse/stock/corrections/.expiration_date': correct,
}

const parameter = z.object({ name: z.string(), schema: schemaPart })
const operation = z.object({
  parameters: z.array(parameter).optional(),
  requestBody: z
    .object({ content: z.object({ 'application/json': z.object({ schema: schemaPart }) }) })
    .optional(),
})

const openApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), schemaPart) }),
})

/**
 * Returns all inputs that are a day or a time. `bodies`: the method, the path and the field path of each field of a
 * body. `queries`: the path and the name of each parameter.
 */
async function allDates(): Promise<{ bodies: string[]; queries: { path: string; name: string }[] }> {
  const { paths, components } = openApi.parse((await server.call('/openapi.json')).body)
  const within = (schema: SchemaPart): string[] => [...new Set(datesIn(schema, components.schemas))]
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => ({ path, method, ...each })),
  )
  return {
    bodies: operations.flatMap(({ path, method, requestBody }) => {
      const found = requestBody ? within(requestBody.content['application/json'].schema) : []
      return found.map((field) => `${method} ${path}${field}`)
    }),
    queries: operations.flatMap(({ path, parameters = [] }) =>
      parameters.filter(({ schema }) => within(schema).length > 0).map(({ name }) => ({ path, name })),
    ),
  }
}

/** Reads all lists of the customer and of the warehouse. */
async function readLists(): Promise<void> {
  const isList = ({ method, path }: Route<string>): boolean => method === 'GET' && !path.includes(':')
  for (const { path } of Object.values(routes).filter(isList))
    expect((await server.call(`${path}?limit=1000`)).status, path).toBe(200)
  for (const { path } of Object.values(warehouseRoutes).filter(isList))
    expect((await warehouse.read(`${path}?limit=200`)).status, path).toBe(200)
}

describe('a day or time in a request body', () => {
  it('is tested in every field that contains one: `calls` has a call for each of these fields', async () => {
    expect(Object.keys(calls).toSorted()).toEqual((await allDates()).bodies.toSorted())
  })

  it.each(Object.entries(calls))(
    'is either refused, or stored so that all lists can still be read: %s',
    async (_, send) => {
      const accepted: string[] = []
      for (const text of [...days, ...moments, ...minutes]) {
        const { status } = await send(text)
        expect([200, 201, 204, 400], `${text} ${String(status)}`).toContain(status)
        if (status !== 400) accepted.push(text)
      }
      expect(accepted).toEqual(expect.arrayContaining(['1970-01-01', '2100-01-01']))
      await readLists()
    },
  )

  it('counts as its day if it is a moment in a field for a day, also in an expiration date', async () => {
    const expirations = async (): Promise<unknown[]> => {
      const { body } = await server.call('/wms/batches/?limit=1000')
      return z
        .array(z.object({ expiration_date: z.unknown() }))
        .parse(body)
        .map((each) => each.expiration_date)
    }
    expect((await correct('2031-03-05T00:00:00+01:00')).status).toBe(204)
    expect((await receive(inboundIn('processing'), '2031-03-06T23:59:59Z')).status).toBe(204)
    expect(await expirations()).toEqual(expect.arrayContaining(['2031-03-05', '2031-03-06']))
  })

  it('is refused outside 1970 to 2100 if responses show the day as a time', async () => {
    for (const field of ['requested_delivery_date', 'inbound_date'])
      for (const method of ['post', 'patch'] as const) {
        const [, send] = Object.entries(calls).find(
          ([name]) => name.startsWith(method) && name.endsWith(`.${field}`),
        ) ?? ['', createInbound]
        for (const day of ['1969-12-31', '2100-01-02', '2100-01-02T00:00:00Z'])
          expect((await send(day)).status, `${method} ${field} ${day}`).toBe(400)
      }
  })
})

describe('a day or time in a query', () => {
  it('leads to 200 or 400, even in the years 0 and 9999', async () => {
    const { queries } = await allDates()
    expect(queries.length).toBeGreaterThan(30)
    for (const { path, name } of queries)
      for (const text of ['0000-01-01', '9999-12-31', '0000-01-01T00:00:00+14:00', '9999-12-31 23:59']) {
        const parameters = new URLSearchParams({ [name]: text })
        const { status } = await server.call(`${path.replace('{id}', webhook)}?${String(parameters)}`)
        expect([200, 400], `${path} ${name} ${text}`).toContain(status)
      }
  })

  it('that is before or after the dates of all orders selects either all orders or no order', async () => {
    const lengthOf = async (query: string): Promise<number> => {
      const { status, body } = await server.call(`/wms/orders/?limit=1000&${query}`)
      expect(status, query).toBe(200)
      return z.array(z.unknown()).parse(body).length
    }
    const all = await lengthOf('')
    expect(all).toBeGreaterThan(5)
    for (const query of ['from=0001-01-01', 'from=0000-01-01', 'to=9999-12-31', 'to=9999-12-31%2023:59'])
      expect(await lengthOf(query), query).toBe(all)
    for (const query of ['to=0001-01-01', 'from=9999-12-31', 'requested_delivery_date_gte=9999-12-31'])
      expect(await lengthOf(query), query).toBe(0)
  })
})

describe('a day that an earlier version stored', () => {
  let folder: string
  let old: TestServer
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'middleware-'))
    old = await startTestServer({ databaseFile: join(folder, 'middleware.db'), world: makeMovingWorld() })
  })
  afterEach(async () => {
    await old.close()
    rmSync(folder, { recursive: true })
  })

  it('outside 1970 to 2100 is shown as the nearest day of this range', async () => {
    const change = async (day: string): Promise<void> => {
      const file = join(folder, 'middleware.db')
      await queryBeside(file, 'UPDATE orders SET requested_delivery_date = ?', [day])
      await queryBeside(file, 'UPDATE inbounds SET inbound_date = ?', [day])
    }
    const shown = [
      ['0001-01-01', '1970-01-01'],
      ['9999-12-31', '2100-01-01'],
    ] as const
    for (const [stored, near] of shown) {
      await change(stored)
      for (const [path, name] of [
        ['/wms/orders/', 'requested_delivery_date'],
        ['/wms/inbounds/', 'inbound_date'],
      ] as const) {
        const { status, body } = await old.call(path)
        expect(status).toBe(200)
        for (const each of z.array(z.record(z.string(), z.unknown())).parse(body))
          expect(each[name]).toBe(`${near}T00:00:00+00:00`)
      }
      const path = `/wms/orders/${order}/`
      expect((await old.call(path, { method: 'PATCH', body: { note: stored } })).status).toBe(200)
    }
  })
})
