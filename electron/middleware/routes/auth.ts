import { routes } from '#shared/wire/routes.ts'
import { logIn, refreshSession } from '../services/access/sessions.ts'
import { registerOpen, type RouteHost } from './register.ts'

/** api.md, Authentication. */
export function registerAuth(host: RouteHost): void {
  const { context } = host
  registerOpen(
    host,
    routes.login,
    { needsCustomer: false, refuses: [429] },
    ({ body, customerCode, address }) => logIn(context, body, { door: 'client', customerCode, address }),
  )
  registerOpen(host, routes.refresh, { needsCustomer: true }, ({ body, customerCode }) =>
    refreshSession(context, body.refresh_token, { door: 'client', customerCode: customerCode ?? '' }),
  )
}
