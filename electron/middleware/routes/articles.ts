import type { Article } from '#shared/wire/article.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Identifiers } from '../data/variants.ts'
import { toWireArticle } from '../mappers/article.ts'
import { fromWireVariant } from '../mappers/variant.ts'
import { changeArticle, createArticle, getArticle, listArticles } from '../services/articles.ts'
import type { Customer } from '../services/context.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: [] } as const

/** api.md, Articles. Every change answers with the article as it then is. */
export function registerArticles(host: RouteHost): void {
  const { context } = host
  const answer = async (customer: Customer, id: string): Promise<Article> =>
    toWireArticle(await getArticle(context, customer, id))
  register(host, routes.listArticles, options, async ({ caller, query }) => {
    const call = { identifiers: identifiersIn(query), query }
    return (await listArticles(context, caller.customer, call)).map(toWireArticle)
  })
  register(host, routes.getArticle, options, ({ caller, params }) => answer(caller.customer, params.id))
  register(host, routes.createArticle, options, async ({ caller: { customer }, body }) => {
    const variants = (body.variants ?? []).map(fromWireVariant)
    return answer(customer, await createArticle(context, customer, { name: body.name, variants }))
  })
  register(host, routes.patchArticle, options, async ({ caller: { customer }, params: { id }, body }) => {
    await changeArticle(context, customer, { id, name: body.name ?? null })
    return answer(customer, id)
  })
}

/** Filters of articles and batches (api.md, Endpoints). */
export function identifiersIn(query: {
  article_code?: string | undefined
  ean?: string | undefined
  sku?: string | undefined
}): Identifiers {
  return { articleCode: query.article_code ?? null, ean: query.ean ?? null, sku: query.sku ?? null }
}
