import { routes } from '#shared/wire/routes.ts'
import { redactPersonData } from '../services/person-data.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: [] } as const

/**
 * Redaction of personal data (API.md 14). The responses do not reveal whether any record contains the given e-mail
 * address.
 */
export function registerGdpr(host: RouteHost): void {
  register(host, routes.requestPersonData, options, () =>
    Promise.resolve({ message: 'The data of this person will be collected.' }),
  )
  register(host, routes.redactPersonData, options, async ({ caller, body }) => {
    await redactPersonData(host.context, caller.customer, body.email)
    return { message: 'The data of this person will be redacted.' }
  })
}
