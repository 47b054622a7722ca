import { routes } from '#shared/wire/routes.ts'
import {
  fromWireModification,
  toWireModification,
  toWireModificationDetail,
} from '../mappers/modification.ts'
import { createModification, getModification, listModifications } from '../services/moves/modifications.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: [] } as const

/** api.md, Modifications. */
export function registerModifications(host: RouteHost): void {
  const { context } = host
  register(host, routes.listModifications, options, async ({ caller, query }) => {
    const call = { status: query.status ?? null, query }
    return (await listModifications(context, caller.customer, call)).map(toWireModification)
  })
  register(host, routes.getModification, options, async ({ caller, params }) =>
    toWireModificationDetail(await getModification(context, caller.customer, params.id)),
  )
  register(host, routes.createModification, options, async ({ caller: { customer }, body }) => {
    const id = await createModification(context, customer, fromWireModification(body))
    return toWireModificationDetail(await getModification(context, customer, id))
  })
}
