import { routes } from '#shared/wire/routes.ts'
import { redactPersonData } from '../services/person-data.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: [] } as const

/** Persons' data (API.md 14). The answers do not tell whether anybody has that address. */
export function registerGdpr(host: RouteHost): void {
  register(host, routes.requestPersonData, options, () =>
    Promise.resolve({ message: 'The data of this person will be collected.' }),
  )
  register(host, routes.redactPersonData, options, async ({ caller, body }) => {
    await redactPersonData(host.context, caller.customer, body.email)
    return { message: 'The data of this person will be redacted.' }
  })
}
