import type { Role, WarehouseRole } from '#shared/wire/roles.ts'
import type { Connection } from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import { readRoles } from '../engine/stored-json.ts'
import type { CustomerTable, UserTable } from '../schema/access.ts'

/** A user with the customers for which the user may act. */

export interface User {
  readonly id: string
  readonly username: string
  readonly passwordHash: string
  readonly userType: UserTable['user_type']
  readonly roles: readonly (Role | WarehouseRole)[]
  readonly customerIds: readonly string[]
}

/** Lists all users, sorted by name. */
export async function listUsers(connection: Connection): Promise<User[]> {
  const rows = await connection.selectFrom('users').selectAll().orderBy('username').execute()
  return Promise.all(rows.map((row) => withCustomers(connection, row)))
}

export async function findUserByName(connection: Connection, username: string): Promise<User | null> {
  const row = await connection
    .selectFrom('users')
    .selectAll()
    .where('username', '=', username)
    .executeTakeFirst()
  return row === undefined ? null : withCustomers(connection, row)
}

export async function findUser(connection: Connection, id: string): Promise<User | null> {
  const row = await connection.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : withCustomers(connection, row)
}

/** Returns the first warehouse user in the order of the names, or null if there is no warehouse user. */
export async function findWarehouseUser(connection: Connection): Promise<User | null> {
  const row = await connection
    .selectFrom('users')
    .selectAll()
    .where('user_type', '=', 'warehouse')
    .orderBy('username')
    .executeTakeFirst()
  return row === undefined ? null : withCustomers(connection, row)
}

/** Stores a user. Throws if the user name is taken. */
export async function insertUser(connection: Connection, user: UserTable): Promise<void> {
  await connection.insertInto('users').values(user).execute()
}

async function withCustomers(connection: Connection, row: UserTable): Promise<User> {
  const links = await connection
    .selectFrom('user_customers')
    .select('customer_id')
    .where('user_id', '=', row.id)
    .orderBy('customer_id')
    .execute()
  return {
    id: row.id,
    username: row.username,
    passwordHash: row.password_hash,
    userType: row.user_type,
    roles: readRoles(row.roles),
    customerIds: links.map((link) => link.customer_id),
  }
}

/** Returns the customers with these ids. Unknown ids are left out. */
export async function findCustomers(
  connection: Connection,
  ids: readonly string[],
): Promise<CustomerTable[]> {
  if (ids.length === 0) return []
  return connection.selectFrom('customers').selectAll().where('id', 'in', ids).orderBy('id').execute()
}

export async function listCustomers(
  connection: Connection,
  ids: readonly string[],
  page: Page,
): Promise<CustomerTable[]> {
  if (ids.length === 0) return []
  return readPage(connection, connection.selectFrom('customers').selectAll().where('id', 'in', ids), page)
}

/**
 * Returns at most `limit` customers of the WMS, sorted by id, from the first id after `after` on (null: from the first
 * customer). `code`: only the customer with this code. Null: all customers.
 */
export async function customersAfter(
  connection: Connection,
  {
    code,
    after,
    limit,
  }: { readonly code: string | null; readonly after: string | null; readonly limit: number },
): Promise<CustomerTable[]> {
  let query = connection.selectFrom('customers').selectAll()
  if (code !== null) query = query.where('code', '=', code)
  if (after !== null) query = query.where('id', '>', after)
  return query.orderBy('id').limit(limit).execute()
}
