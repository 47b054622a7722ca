import { sandbox } from '#shared/domain/sandbox.ts'
import { roles, type Role } from '#shared/wire/roles.ts'
import type { WorldCustomer, WorldUser } from '../world.ts'
import type { Random } from './random.ts'

const reader = 'reader'
const fashionUser = 'zilver'

/** User of an external warehouse, made when a server first waits for one. */
export const warehouseUsername = 'warehouse'

/** The public password of each of the demo's users, by name. */
export const demoUsers: ReadonlyMap<string, string> = new Map([
  ...[sandbox.username, reader, fashionUser].map((username) => [username, sandbox.password] as const),
  [warehouseUsername, 'warehouse'],
])

/** One password for all: it opens nothing but the sandbox. `desk` may do all, `reader` only reads, `zilver` does all for the fashion shop alone. */
export function makeUsers(
  random: Random,
  customers: { readonly fashion: WorldCustomer; readonly outdoor: WorldCustomer },
): WorldUser[] {
  const both = [customers.fashion.id, customers.outdoor.id]
  const user = (username: string, held: readonly Role[], customerIds: readonly string[]): WorldUser => ({
    id: random.uuid(),
    username,
    password: sandbox.password,
    roles: held,
    customerIds,
    // one customer alone has nobody to hand stock to
    transfersGranted: customerIds.length > 1,
  })
  return [
    user(sandbox.username, roles, both),
    user(
      reader,
      roles.filter((role) => role.endsWith('_READ')),
      both,
    ),
    user(fashionUser, roles, [customers.fashion.id]),
  ]
}
