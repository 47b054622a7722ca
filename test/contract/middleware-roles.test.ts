import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { World } from '#middleware/warehouse/world.ts'
import { type Role, roles, wireRole } from '#shared/wire/roles.ts'
import { type Route, routes } from '#shared/wire/routes.ts'
import { sandboxRoutes } from '#shared/wire/warehouse-routes.ts'
import { count } from '#support/counts.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { makeSmallWorld, smallId, smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  const world = makeSmallWorld()
  const customerIds = world.customers.map(({ id }) => id)
  const userWith = (number: number, username: string, its: readonly Role[]): World['users'][number] => ({
    id: smallId(number),
    username,
    password: `${username}-secret-word`,
    roles: its,
    customerIds,
    transfersGranted: true,
  })
  // two users for each role: the first has all other roles, the second only this role
  const users = roles.flatMap((role, index) => [
    userWith(
      500 + index,
      `not-${role}`,
      roles.filter((other) => other !== role),
    ),
    userWith(600 + index, `only-${role}`, [role]),
  ])
  const everything = world.users.filter(({ id }) => id === smallIds.everything)
  const ungranted = {
    id: smallId(499),
    username: 'ungranted',
    password: 'ungranted-secret-word',
    roles,
    customerIds,
    transfersGranted: false,
  }
  server = await startTestServer({ world: { ...world, users: [...everything, ungranted, ...users] } })
})
afterAll(() => server.close())

const guarded = Object.entries<Route>({ ...routes, ...sandboxRoutes }).flatMap(([name, route]) =>
  route.role === null ? [] : [{ name, route, role: route.role }],
)

/** The second role of calls that need two roles. */
const second: Readonly<Record<string, Role>> = { createShipmentReturnLabel: 'RETURN_LABELS_REQUEST' }

/** The statuses of a call whose roles are sufficient. The call may still be refused for its id or body. */
const allowed = [200, 201, 204, 400, 404]

async function call(route: Route, path: string, username: string): Promise<Reply> {
  const sends = route.method === 'GET' ? {} : { method: route.method, body: {} }
  return server.call(path.replace(':id', smallId(1)), { ...sends, token: await server.logIn(username) })
}

describe('a user who lacks one role', () => {
  it.each(guarded)('is refused by $name if the role is $role', async ({ route, role }) => {
    for (const path of [route.path, route.otherPath ?? route.path]) {
      const reply = await call(route, path, `not-${role}`)
      expect(reply.status).toBe(403)
      expect(JSON.stringify(reply.body)).toContain(wireRole(role))
    }
  })

  // `npm run test:long` runs this test for each missing role. Other runs test only every eighth role, because the
  // tests of `a user with one role` already show which calls need no second role.
  const missingRoles = roles.filter((_, index) => index % count(8, 1) === 0)
  it.each(missingRoles)('may use every call that does not require the role: %s', async (missing: Role) => {
    for (const { name, route, role } of guarded.filter((each) => each.role !== missing)) {
      const { status } = await call(route, route.path, `not-${missing}`)
      const expected = second[name] === missing ? [403] : allowed
      expect(expected, `${name} needs ${role}`).toContain(status)
    }
  })
})

describe('a user with one role', () => {
  it.each(guarded)(
    'may use $name if the role is $role, but is refused if the call also requires another role',
    async ({ name, route, role }) => {
      const { status } = await call(route, route.path, `only-${role}`)
      expect(second[name] === undefined ? allowed : [403]).toContain(status)
    },
  )
})

describe('roles', () => {
  /** Roles of the service that no call of API.md requires. */
  const unused: readonly Role[] = [
    'MODIFICATIONS_UPDATE',
    'MODIFICATIONS_APPROVE',
    'MODIFICATIONS_DISAPPROVE',
    'ORDERS_DOCUMENTS_UPDATE',
    'ORDERS_DOCUMENTS_DELETE',
  ]

  it('allow at least one call each, except the roles for which API.md has no call', () => {
    const used = new Set(guarded.map(({ role }) => role))
    expect(roles.filter((role) => !used.has(role))).toEqual(expect.arrayContaining([...unused]))
    expect(roles.filter((role) => !used.has(role) && !unused.includes(role))).toEqual([])
  })

  it('do not allow the calls for transfers if the user has no access to transfers', async () => {
    const transfers = guarded.filter(({ route }) =>
      /^\/(wms\/customer-to-customer-|sandbox\/)transfers\//.test(route.path),
    )
    expect(transfers.length).toBeGreaterThan(0)
    for (const { route } of guarded) {
      const { status } = await call(route, route.path, 'ungranted')
      expect(status === 403, route.path).toBe(transfers.some((transfer) => transfer.route === route))
    }
  })
})
