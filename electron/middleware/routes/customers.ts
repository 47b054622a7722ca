import { routes } from '#shared/wire/routes.ts'
import { toWireCustomer } from '../mappers/customer.ts'
import { getCustomer, listCustomers } from '../services/access/customers.ts'
import { register, type RouteHost } from './register.ts'

/** The customers the user may act for; api.md names the paths only. */
export function registerCustomers(host: RouteHost): void {
  const { context } = host
  register(host, routes.listCustomers, { expand: [] }, async ({ caller, query }) => {
    const customers = await listCustomers(context, caller.claims.customer_ids, query)
    return customers.map(toWireCustomer)
  })
  register(host, routes.getCustomer, { expand: [] }, async ({ caller, params }) =>
    toWireCustomer(await getCustomer(context, caller.claims.customer_ids, params.id)),
  )
}
