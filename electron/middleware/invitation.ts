import { listUsers, type User, findCustomers } from './data/access/accounts.ts'
import type { Database } from './data/engine/database.ts'
import { readWmsCode } from './data/engine/meta.ts'
import { usualCost, verifyPassword } from './services/access/passwords.ts'
import { demoUsers } from './warehouse/demo/customers.ts'
import type { World } from './warehouse/world.ts'

interface Credentials {
  readonly username: string
  /** Null: set when this database was first made, and kept only as a hash. */
  readonly password: string | null
}

/** What somebody needs to call the server that just started; null is what its database does not hold. */
export interface Invitation {
  readonly url: string
  readonly wms: string | null
  readonly customer: string | null
  readonly username: string | null
  readonly password: string | null
  /** For trying out what is refused: null where this database has none. */
  readonly others: {
    /** May see everything and change nothing. */
    readonly readOnly: Credentials | null
    /** Code of a second customer of the same user. */
    readonly customer: string | null
    /** Calls /warehouse/, in place of the simulated warehouse. */
    readonly warehouse: Credentials | null
  }
}

/** Passwords that are known because somebody was just made with them. */
interface Made {
  /** The world that was stored just now; null where the database was there before. */
  readonly seeded: World | null
  /** Password of the warehouse's user; null where that user was there before, or is not there. */
  readonly madePassword: string | null
}

/**
 * Invites the user with the most roles, then the most customers, then the first name.
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
 * Whether somebody could log in with a password of the demo, which everybody can read in our sources: users of the
 * database, or of the world that it is to be filled with while it holds none.
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

/** The demo's password of a user who bears a name of the demo and still has it. */
async function demoPassword({ username, passwordHash }: User): Promise<string | null> {
  const password = demoUsers.get(username)
  if (password === undefined) return null
  return (await verifyPassword(password, passwordHash, usualCost)) ? password : null
}
