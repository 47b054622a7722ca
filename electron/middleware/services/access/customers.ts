import { findCustomers, listCustomers as listRows } from '../../data/access/accounts.ts'
import type { Customer, ServiceContext } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'

const listing: Listing<'name' | 'createdAt'> = {
  columns: { name: 'name', createdAt: 'created_at' },
  sort: 'name',
  direction: 'asc',
}

/**
 * Returns the customer with this code if the user may act for it. Every other code is refused with the same message.
 */
export async function customerByCode(
  context: ServiceContext,
  customerIds: readonly string[],
  code: string,
): Promise<Customer> {
  const wanted = code.trim().toLowerCase()
  const customers = await findCustomers(context.database, customerIds)
  const customer = customers.find((candidate) => candidate.code.toLowerCase() === wanted)
  if (customer === undefined) throw new Refusal('forbidden', 'No access to this customer.')
  return customer
}

/** Returns a page of the customers that the user may act for. */
export async function listCustomers(
  context: ServiceContext,
  customerIds: readonly string[],
  query: ListQuery<'name' | 'createdAt'>,
): Promise<Customer[]> {
  return listRows(context.database, customerIds, toPage(query, listing))
}

export async function getCustomer(
  context: ServiceContext,
  customerIds: readonly string[],
  id: string,
): Promise<Customer> {
  const [customer] = await findCustomers(
    context.database,
    customerIds.filter((candidate) => candidate === id),
  )
  if (customer === undefined) throw new Refusal('not_found', 'Customer not found.')
  return customer
}
