import type { Customer } from '#shared/wire/customer.ts'
import { routes } from '#shared/wire/routes.ts'
import type { CustomerTable } from '../data/schema/access.ts'
import { getCustomer, listCustomers } from '../services/access/customers.ts'
import { logIn, refreshSession } from '../services/access/sessions.ts'
import { register, registerOpen, type RouteHost } from './register.ts'
import { toWireTime } from './wire-values.ts'

/** Login and refresh (API.md 1.2). */
export function registerAuth(host: RouteHost): void {
  const { context } = host
  registerOpen(host, routes.login, { needsCustomer: false }, ({ body, ...call }) =>
    logIn(context, body, { door: 'client', ...call }),
  )
  registerOpen(host, routes.refresh, { needsCustomer: true }, ({ body, ...call }) =>
    refreshSession(context, body.refresh_token, {
      door: 'client',
      ...call,
      customerCode: call.customerCode ?? '',
    }),
  )
}

/** The customers for which the user may act (API.md 2). The contract defines only the paths of the two calls. */
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

export function toWireCustomer(row: CustomerTable): Customer {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    created_at: toWireTime(row.created_at),
    modified_at: toWireTime(row.modified_at),
  }
}
