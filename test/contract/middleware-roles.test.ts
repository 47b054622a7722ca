import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { roles, wireRole } from '#shared/wire/roles.ts'
import { type Route, routes } from '#shared/wire/routes.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { makeSmallWorld, smallId } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  const world = makeSmallWorld()
  const customerIds = world.customers.map(({ id }) => id)
  // one user for each role, who has all others
  const users = roles.map((role, index) => ({
    id: smallId(500 + index),
    username: `not-${role}`,
    password: `not-${role}-secret-word`,
    roles: roles.filter((other) => other !== role),
    customerIds,
  }))
  server = await startTestServer({ world: { ...world, users } })
})
afterAll(() => server.close())

const guarded = Object.entries<Route>(routes).flatMap(([name, route]) =>
  route.role === null ? [] : [{ name, route, role: route.role }],
)

describe('a user who holds every role but one', () => {
  it.each(guarded)('is refused at $name without $role', async ({ route, role }) => {
    const token = await server.logIn(`not-${role}`)
    const call = route.method === 'GET' ? {} : { method: route.method, body: {} }
    for (const path of [route.path, route.otherPath ?? route.path]) {
      const reply = await server.call(path.replace(':id', smallId(1)), { ...call, token })
      expect(reply.status).toBe(403)
      expect(JSON.stringify(reply.body)).toContain(wireRole(role))
    }
  })

  it.each(guarded)('is not refused at $name for another', async ({ route, role }) => {
    const other = role === 'CUSTOMERS_READ' ? 'BATCH_READ' : 'CUSTOMERS_READ'
    const token = await server.logIn(`not-${other}`)
    const call = route.method === 'GET' ? {} : { method: route.method, body: {} }
    const reply = await server.call(route.path.replace(':id', smallId(1)), { ...call, token })
    expect([200, 201, 204, 400, 404]).toContain(reply.status)
  })
})
