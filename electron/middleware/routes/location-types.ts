import { routes } from '#shared/wire/routes.ts'
import { toWireLocationType } from '../mappers/location-type.ts'
import { getLocationType, listLocationTypes } from '../services/goods/location-types.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: ['administration_code'] } as const

/** api.md, Location types. */
export function registerLocationTypes(host: RouteHost): void {
  const { context } = host
  register(host, routes.listLocationTypes, options, async ({ query, expand }) => {
    const filters = { code: query.code ?? null, pickableOnly: query.pickable ?? false }
    const types = await listLocationTypes(context, { filters, query })
    return types.map((type) => toWireLocationType(type, expand))
  })
  register(host, routes.getLocationType, options, async ({ params, expand }) =>
    toWireLocationType(await getLocationType(context, params.id), expand),
  )
}
