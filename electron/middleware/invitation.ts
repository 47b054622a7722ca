import { listUsers, type User, findCustomers } from './data/access/accounts.ts'
import type { Database } from './data/engine/database.ts'
import { readWmsCode } from './data/engine/meta.ts'
import { usualCost, verifyPassword } from './services/access/passwords.ts'
import { demoUsers } from './warehouse/demo/customers.ts'
import type { World } from './warehouse/world.ts'

interface Credentials {
  readonly username: string
  /** The password. Null: it was set when the database was created, and only its hash is stored. */
  readonly password: string | null
}

/**
 * The data that a client needs to call the server that has just started. Null in a field: the database has no such
 * data.
 */
export interface Invitation {
  readonly url: string
  readonly wms: string | null
  readonly customer: string | null
  readonly username: string | null
  readonly password: string | null
  /**
   * Further users and a second customer. With them the developer of a client can also test calls that the server
   * refuses, such as a call by a user without the necessary role. A field is null if the database has no such user or
   * customer.
   */
  readonly others: {
    /** A user who has only roles for reading. */
    readonly readOnly: Credentials | null
    /** Code of a second customer for which the user `username` may act. */
    readonly customer: string | null
    /**
     * A warehouse user. A client with a token of this user can call /warehouse/ and do the work that the simulated
     * warehouse otherwise does.
     */
    readonly warehouse: Credentials | null
  }
}

/** The passwords that are known because their users were created at this start. */
interface Made {
  /** The initial data that was just stored. Null: the database existed before. */
  readonly seeded: World | null
  /** Password of the warehouse user that was created at this start. Null: none was created. */
  readonly madePassword: string | null
}

/**
 * Returns the data of one user who is no warehouse user: the user with the most roles; among several of these, the one
 * with the most customers, then the first by name. Also returns `others` (see Invitation).
 */
export async function invite(
  database: Database,
  url: string,
  { seeded, madePassword }: Made,
): Promise<Invitation> {
  const all = await listUsers(database)
  const users = all.filter(({ userType }) => userType !== 'warehouse')
  const warehouse = all.find(({ userType }) => userType === 'warehouse')
  const [first] = users.toSorted(
    (a, b) =>
      b.roles.length - a.roles.length ||
      b.customerIds.length - a.customerIds.length ||
      (a.username < b.username ? -1 : 1),
  )
  const reader = users.find(({ roles }) => roles.length > 0 && roles.every((role) => role.endsWith('_READ')))
  const customers = await findCustomers(database, first?.customerIds ?? [])
  const [customer, second] = customers.toSorted((a, b) =>
    a.created_at + a.code < b.created_at + b.code ? -1 : 1,
  )
  return {
    url,
    wms: await readWmsCode(database),
    customer: customer?.code ?? null,
    username: first?.username ?? null,
    password: first ? await knownPassword(first, seeded) : null,
    others: {
      readOnly: reader ? { username: reader.username, password: await knownPassword(reader, seeded) } : null,
      customer: second?.code ?? null,
      warehouse: warehouse
        ? {
            username: warehouse.username,
            password: madePassword ?? (await knownPassword(warehouse, seeded)),
          }
        : null,
    },
  }
}

/**
 * Whether any user can log in with a password of the demo, which is public in the sources. The users are those of the
 * database, or, if it is empty, those of the initial data that is about to be stored.
 */
export async function holdsDemoPasswords(database: Database, world: World): Promise<boolean> {
  if ((await readWmsCode(database)) === null)
    return world.users.some(({ username, password }) => demoUsers.get(username) === password)
  for (const user of await listUsers(database)) if ((await demoPassword(user)) !== null) return true
  return false
}

async function knownPassword(user: User, seeded: World | null): Promise<string | null> {
  if (seeded === null) return demoPassword(user)
  return seeded.users.find(({ username }) => username === user.username)?.password ?? null
}

/** If a user has a name from the demo and still has the demo's password, returns this password; otherwise null. */
async function demoPassword({ username, passwordHash }: User): Promise<string | null> {
  const password = demoUsers.get(username)
  if (password === undefined) return null
  return (await verifyPassword(password, passwordHash, usualCost)) ? password : null
}
