import type { Connection } from '../engine/database.ts'
import { type Page, paged } from '../engine/listing.ts'
import type { CustomerTable } from '../schema/clients.ts'

/** The given customers; ids that do not exist are left out. */
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
  return paged(connection.selectFrom('customers').selectAll().where('id', 'in', ids), page).execute()
}

/** Customers of the WMS in the order of their ids, from the one after `after` on; null: from the first. */
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
