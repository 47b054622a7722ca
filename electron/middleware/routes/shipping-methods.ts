import { routes } from '#shared/wire/routes.ts'
import { toWireShippingMethod } from '../mappers/shipping-method.ts'
import { getShippingMethod, listShippingMethods } from '../services/shipments/shipping-methods.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: ['administration_code'] } as const

/** api.md, Shipping methods. */
export function registerShippingMethods(host: RouteHost): void {
  const { context } = host
  register(host, routes.listShippingMethods, options, async ({ query, expand }) => {
    const methods = await listShippingMethods(context, query, query)
    return methods.map((method) => toWireShippingMethod(method, expand))
  })
  register(host, routes.getShippingMethod, options, async ({ params, expand }) =>
    toWireShippingMethod(await getShippingMethod(context, params.id), expand),
  )
}
