import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { warehouseRoles, wireRole } from '#shared/wire/roles.ts'
import { type Route, routes } from '#shared/wire/routes.ts'
import { warehouseRoutes } from '#shared/wire/warehouse-routes.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallId } from '#support/small-id.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'
import { connectWarehouse, type WarehouseClient } from '#support/warehouse-client.ts'

let server: TestServer
let warehouse: WarehouseClient
beforeAll(async () => {
  const world = makeSmallWorld()
  // for each role of the warehouse, one user who has all roles except this role
  const users = warehouseRoles.map((role, index) => ({
    id: smallId(600 + index),
    username: `not-${role}`,
    password: `not-${role}-secret-word`,
    roles: warehouseRoles.filter((other) => other !== role),
    customerIds: [],
    isWarehouse: true,
  }))
  server = await startTestServer({ world: { ...world, users: [...world.users, ...users] } })
  warehouse = await connect('warehouse')
})
afterAll(() => server.close())

function connect(username: string): Promise<WarehouseClient> {
  return connectWarehouse({ url: server.url, wms: 'DEV', username, password: `${username}-secret-word` })
}

describe('the login of the warehouse', () => {
  it('refuses the users of clients, and the login of clients refuses the users of the warehouse', async () => {
    const body = { username: 'warehouse', password: 'warehouse-secret-word' }
    const wrong = await server.call('/wms/auth/login/', { method: 'POST', body, token: null })
    expect(wrong).toMatchObject({ status: 401, body: { message: 'Invalid credentials.' } })
    const client = { username: 'everything', password: 'everything-secret-word' }
    const other = await server.call('/warehouse/auth/login/', { method: 'POST', body: client, token: null })
    expect(other).toMatchObject({ status: 401, body: { message: 'Invalid credentials.' } })
  })

  it.each(Object.entries<Route>(routes).filter(([name]) => !['login', 'refresh'].includes(name)))(
    'issues a token that is invalid at %s',
    async (_, { method, path }) => {
      const body = method === 'GET' ? undefined : {}
      const { token } = warehouse.tokens
      const reply = await server.call(path.replace(':id', smallIds.alder), { method, body, token })
      expect(reply.status).toBe(401)
      expect(JSON.stringify(reply.body)).toContain('Invalid JWT Token')
    },
  )

  it('is required for every call at /warehouse/: the token of a client or a missing token leads to 401', async () => {
    for (const token of [await server.logIn(), null])
      for (const { method, path } of Object.values(warehouseRoutes)) {
        if (path.startsWith('/warehouse/auth/')) continue
        const headers = { 'idempotency-key': 'any' }
        const body = method === 'GET' ? undefined : {}
        const reply = await server.call(path.replace(':id', smallIds.alder), { method, body, headers, token })
        expect([path, reply.status]).toEqual([path, 401])
      }
  })

  it('can be renewed once with each refresh token, but not at the refresh path of clients', async () => {
    const refresh = (path: string): Promise<Reply> =>
      server.call(path, {
        method: 'POST',
        body: { refresh_token: warehouse.tokens.refresh_token },
        token: null,
      })
    expect((await refresh('/wms/auth/refresh/')).status).toBe(401)
    expect((await refresh('/warehouse/auth/refresh/')).status).toBe(200)
    expect((await refresh('/warehouse/auth/refresh/')).status).toBe(401)
  })
})

describe('the roles of the warehouse', () => {
  it.each(Object.entries<Route<string>>(warehouseRoutes).filter(([, { role }]) => role !== null))(
    'are required: %s returns 403 to a user without the role for this call',
    async (_, { method, path, role }) => {
      const reply = await server.call(path.replace(':id', smallId(999)), {
        method,
        body: method === 'GET' ? undefined : {},
        headers: { 'idempotency-key': 'any' },
        token: (await connect(`not-${String(role)}`)).tokens.token,
      })
      expect(reply.status).toBe(403)
      expect(JSON.stringify(reply.body)).toContain(`ROLE_${String(role)}`)
    },
  )

  it('are independent: a user without the role for orders can create a location', async () => {
    const client = await connect('not-WAREHOUSE_ORDERS')
    const body = { code: 'C-09-01', pickable: true }
    expect((await client.command('/warehouse/locations/', { method: 'PUT', body })).status).toBe(200)
    expect(wireRole('WAREHOUSE_ORDERS')).toBe('ROLE_WAREHOUSE_ORDERS')
  })
})
