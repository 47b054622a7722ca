import { routes } from '#shared/wire/routes.ts'
import { fromWireVariant, fromWireVariantPatch, toWireVariantRecord } from '../mappers/variant.ts'
import { changeVariant, createVariant, getVariant, listVariants } from '../services/goods/variants.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: ['article'] } as const

/** api.md, Variants. A create always answers with the article. */
export function registerVariants(host: RouteHost): void {
  const { context } = host
  register(host, routes.listVariants, options, async ({ caller, query, expand }) => {
    const call = { query, withArticle: expand.has('article') }
    return (await listVariants(context, caller.customer, call)).map(toWireVariantRecord)
  })
  register(host, routes.getVariant, options, async ({ caller, params: { id }, expand }) => {
    const call = { id, withArticle: expand.has('article') }
    return toWireVariantRecord(await getVariant(context, caller.customer, call))
  })
  register(host, routes.createVariant, options, async ({ caller: { customer }, body }) => {
    const input = { ...fromWireVariant(body), article_id: body.article.toLowerCase() }
    const id = await createVariant(context, customer, input)
    return toWireVariantRecord(await getVariant(context, customer, { id, withArticle: true }))
  })
  register(host, routes.patchVariant, options, async ({ caller: { customer }, params, body, expand }) => {
    const { id } = params
    await changeVariant(context, customer, { id, changes: fromWireVariantPatch(body) })
    const call = { id, withArticle: expand.has('article') }
    return toWireVariantRecord(await getVariant(context, customer, call))
  })
}
