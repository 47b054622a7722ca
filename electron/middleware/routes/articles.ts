import type { z } from 'zod'
import type { Article, articlesCreate } from '#shared/wire/article.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Identifiers } from '../data/goods/variants.ts'
import { toWireArticle } from '../mappers/article.ts'
import { fromWireVariant } from '../mappers/variant.ts'
import {
  changeArticle,
  createArticles,
  getArticle,
  listArticles,
  type NewArticle,
} from '../services/goods/articles.ts'
import type { Customer } from '../services/context.ts'
import { register, type RouteHost } from './register.ts'

const options = { expand: [] } as const
/** 1000 articles with five usual variants each are 1.5 MB. */
const several = { ...options, bodyLimit: 16 * 1024 * 1024 } as const

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
  register(host, routes.createArticle, several, async ({ caller: { customer }, body }) => {
    if (body.articles !== undefined) return createSeveral(host, customer, body.articles)
    const [made] = await createArticles(context, customer, [newArticle(body, '')])
    if (made === undefined) throw new Error('An article was made and is not there')
    return toWireArticle(made)
  })
  register(host, routes.createArticles, several, ({ caller, body }) =>
    createSeveral(host, caller.customer, body.articles),
  )
  register(host, routes.patchArticle, options, async ({ caller: { customer }, params: { id }, body }) => {
    await changeArticle(context, customer, { id, name: body.name ?? null })
    return answer(customer, id)
  })
}

type ArticleInput = z.output<typeof articlesCreate>['articles'][number]

async function createSeveral(
  { context }: RouteHost,
  customer: Customer,
  articles: readonly ArticleInput[],
): Promise<Article[]> {
  const inputs = articles.map((article, index) => newArticle(article, `articles.${index}.`))
  return (await createArticles(context, customer, inputs)).map(toWireArticle)
}

function newArticle({ name, variants }: ArticleInput, place: NewArticle['place']): NewArticle {
  return { name, variants: (variants ?? []).map(fromWireVariant), place }
}

/** Filters of articles and batches (api.md, Endpoints). */
export function identifiersIn(query: {
  article_code?: string | undefined
  ean?: string | undefined
  sku?: string | undefined
}): Identifiers {
  return { articleCode: query.article_code ?? null, ean: query.ean ?? null, sku: query.sku ?? null }
}
