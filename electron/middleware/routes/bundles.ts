import type { z } from 'zod'
import type { bundleCreate, VariantBundle } from '#shared/wire/bundle.ts'
import { routes } from '#shared/wire/routes.ts'
import { toWireBundle } from '../mappers/bundle.ts'
import {
  changeBundle,
  createBundle,
  getBundle,
  listBundles,
  type NewBundleItem,
} from '../services/goods/bundles.ts'
import type { Customer } from '../services/context.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: ['variant_bundle_items'] } as const
type Expand = ReadonlySet<'variant_bundle_items'>

/** api.md, Variant bundles. Every change answers with the bundle as it then is. */
export function registerBundles(host: RouteHost): void {
  const { context } = host
  const answer = async (customer: Customer, id: string, expand: Expand): Promise<VariantBundle> =>
    toWireBundle(await getBundle(context, customer, { id, withItems: expand.has('variant_bundle_items') }))
  register(host, routes.listBundles, options, async ({ caller, query, expand }) => {
    const call = { query, withItems: expand.has('variant_bundle_items') }
    return (await listBundles(context, caller.customer, call)).map(toWireBundle)
  })
  register(host, routes.getBundle, options, ({ caller, params, expand }) =>
    answer(caller.customer, params.id, expand),
  )
  register(host, routes.createBundle, options, async ({ caller: { customer }, body, expand }) => {
    const input = { code: body.variant_bundle, items: itemsIn(body.variant_bundle_items) }
    return answer(customer, await createBundle(context, customer, input), expand)
  })
  register(host, routes.patchBundle, options, async ({ caller: { customer }, params, body, expand }) => {
    const items = body.variant_bundle_items === undefined ? null : itemsIn(body.variant_bundle_items)
    await changeBundle(context, customer, { id: params.id, items })
    return answer(customer, params.id, expand)
  })
}

function itemsIn(items: z.output<typeof bundleCreate>['variant_bundle_items']): NewBundleItem[] {
  return items.map(({ article_code: code, quantity }) => ({ code, quantity }))
}
