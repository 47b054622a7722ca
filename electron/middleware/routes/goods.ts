import type { z } from 'zod'
import type { Article, articlesCreate } from '#shared/wire/article.ts'
import type { bundleCreate, VariantBundle } from '#shared/wire/bundle.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Variant, variantInput, variantPatch } from '#shared/wire/variant.ts'
import type { Identifiers, VariantChanges, VariantFields } from '../data/goods/variants.ts'
import type { VariantTable } from '../data/schema/goods.ts'
import type { Customer } from '../services/context.ts'
import {
  type ArticleRecord,
  changeArticle,
  createArticles,
  getArticle,
  listArticles,
  type NewArticle,
} from '../services/goods/articles.ts'
import {
  type BundleRecord,
  changeBundle,
  createBundle,
  getBundle,
  listBundles,
  type NewBundleItem,
} from '../services/goods/bundles.ts'
import {
  changeVariant,
  createVariant,
  getVariant,
  listVariants,
  type NewVariant,
  type VariantRecord,
} from '../services/goods/variants.ts'
import { register, type RouteHost } from './register.ts'
import {
  asSent,
  columnsIn,
  flagField,
  oncePerRecord,
  toWireBy,
  toWireTime,
  type WireField,
} from './wire-values.ts'

const plain = { expand: [] } as const
/**
 * Options of calls with several articles. Their body may be large: 1000 articles, each with five typical variants, have
 * 1.5 MB in total.
 */
const several = { ...plain, bodyLimit: 16 * 1024 * 1024 } as const

/** Articles (API.md 3.1). Every change returns the article after the change. */
export function registerArticles(host: RouteHost): void {
  const { context } = host
  const answer = async (customer: Customer, id: string): Promise<Article> =>
    toWireArticle(await getArticle(context, customer, id))
  register(host, routes.listArticles, plain, async ({ caller, query }) => {
    const call = { identifiers: identifiersIn(query), query }
    return (await listArticles(context, caller.customer, call)).map(toWireArticle)
  })
  register(host, routes.getArticle, plain, ({ caller, params }) => answer(caller.customer, params.id))
  register(host, routes.createArticle, several, async ({ caller: { customer }, body }) => {
    if (body.articles !== undefined) return createSeveral(host, customer, body.articles)
    const [made] = await createArticles(context, customer, [newArticle(body, '')])
    if (made === undefined) throw new Error('An article was made and is not there')
    return toWireArticle(made)
  })
  register(host, routes.createArticles, several, ({ caller, body }) =>
    createSeveral(host, caller.customer, body.articles),
  )
  register(host, routes.patchArticle, plain, async ({ caller: { customer }, params: { id }, body }) => {
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

/** Returns the filters of articles, batches and stock levels (API.md 1.8). */
export function identifiersIn(query: {
  article_code?: string | undefined
  ean?: string | undefined
  sku?: string | undefined
}): Identifiers {
  return { articleCode: query.article_code ?? null, ean: query.ean ?? null, sku: query.sku ?? null }
}

const withArticle = { expand: ['article'] } as const

/** Variants (API.md 3.2). The response to a creation always contains the article too. */
export function registerVariants(host: RouteHost): void {
  const { context } = host
  register(host, routes.listVariants, withArticle, async ({ caller, query, expand }) => {
    const call = { query, withArticle: expand.has('article') }
    return (await listVariants(context, caller.customer, call)).map(toWireVariantRecord)
  })
  register(host, routes.getVariant, withArticle, async ({ caller, params: { id }, expand }) => {
    const call = { id, withArticle: expand.has('article') }
    return toWireVariantRecord(await getVariant(context, caller.customer, call))
  })
  register(host, routes.createVariant, withArticle, async ({ caller: { customer }, body }) => {
    const input = { ...fromWireVariant(body), article_id: body.article.toLowerCase() }
    const id = await createVariant(context, customer, input)
    return toWireVariantRecord(await getVariant(context, customer, { id, withArticle: true }))
  })
  register(host, routes.patchVariant, withArticle, async ({ caller: { customer }, params, body, expand }) => {
    const { id } = params
    await changeVariant(context, customer, { id, changes: fromWireVariantPatch(body) })
    const call = { id, withArticle: expand.has('article') }
    return toWireVariantRecord(await getVariant(context, customer, call))
  })
}

const withItems = { expand: ['variant_bundle_items'] } as const
type Expand = ReadonlySet<'variant_bundle_items'>

/** Variant bundles (API.md 3.3). Every change returns the bundle after the change. */
export function registerBundles(host: RouteHost): void {
  const { context } = host
  const answer = async (customer: Customer, id: string, expand: Expand): Promise<VariantBundle> =>
    toWireBundle(await getBundle(context, customer, { id, withItems: expand.has('variant_bundle_items') }))
  register(host, routes.listBundles, withItems, async ({ caller, query, expand }) => {
    const call = { query, withItems: expand.has('variant_bundle_items') }
    return (await listBundles(context, caller.customer, call)).map(toWireBundle)
  })
  register(host, routes.getBundle, withItems, ({ caller, params, expand }) =>
    answer(caller.customer, params.id, expand),
  )
  register(host, routes.createBundle, withItems, async ({ caller: { customer }, body, expand }) => {
    const input = { code: body.variant_bundle, items: itemsIn(body.variant_bundle_items) }
    return answer(customer, await createBundle(context, customer, input), expand)
  })
  register(host, routes.patchBundle, withItems, async ({ caller: { customer }, params, body, expand }) => {
    const items = body.variant_bundle_items === undefined ? null : itemsIn(body.variant_bundle_items)
    await changeBundle(context, customer, { id: params.id, items })
    return answer(customer, params.id, expand)
  })
}

function itemsIn(items: z.output<typeof bundleCreate>['variant_bundle_items']): NewBundleItem[] {
  return items.map(({ article_code: code, quantity }) => ({ code, quantity }))
}

/** Returns an article (API.md 3.1), always with its variants. */
export function toWireArticle({ article, variants }: ArticleRecord): Article {
  return {
    id: article.id,
    customer: article.customer_id,
    name: article.name,
    variants: variants.map(toWireVariant),
    created_at: toWireTime(article.created_at),
    modified_at: toWireTime(article.modified_at),
  }
}

type VariantInput = z.output<typeof variantInput>
type At<Fields, Name> = Name extends keyof Fields ? Exclude<Fields[Name], undefined> : never
type VariantField<Name> = WireField<At<VariantInput, Name>, At<VariantTable, Name>, At<Variant, Name>>

/**
 * The fields of a variant that clients set (API.md 3.2), in the order of responses. Each has a column of the same name.
 * A field without a row in this table does not compile.
 */
const variantFields: { readonly [Name in keyof VariantInput]-?: VariantField<Name> } = {
  article_code: asSent,
  name: asSent,
  description: asSent,
  ean: asSent,
  sku: asSent,
  hs_tariff_code: asSent,
  height: asSent,
  depth: asSent,
  width: asSent,
  weight: asSent,
  expirable: flagField,
  country_of_origin: asSent,
  using_serial_numbers: flagField,
  value: asSent,
} satisfies Record<keyof VariantFields, object>

/** Returns a variant (API.md 3.2) without its article. */
export const toWireVariant: (row: VariantTable) => Variant = oncePerRecord(
  toWireBy({
    id: { toWire: (id: string) => id },
    ...variantFields,
    created_at: { toWire: toWireTime },
    modified_at: { toWire: toWireTime },
  }),
)

/** Returns a variant, with its article if the record contains it. */
export function toWireVariantRecord({ variant, article }: VariantRecord): Variant {
  const shown = toWireVariant(variant)
  if (article === null) return shown
  return { ...shown, article: { id: article.id, name: article.name, customer: article.customer_id } }
}

function fromWireVariant(body: VariantInput): NewVariant {
  return { ...columnsIn(variantFields, body), article_code: body.article_code }
}

/** Returns only the fields that the client sent; null clears an optional field. */
function fromWireVariantPatch(body: z.output<typeof variantPatch>): VariantChanges {
  return {
    ...columnsIn(variantFields, body),
    ...(body.article !== undefined && { article_id: body.article.toLowerCase() }),
  }
}

/** Returns a variant bundle (API.md 3.3), with its items if requested. */
function toWireBundle({ bundle, variant, items }: BundleRecord): VariantBundle {
  return {
    id: bundle.id,
    bundled_variant: toWireVariant(variant),
    ...(items && {
      variant_bundle_items: items.map(({ item, variant: part }) => ({
        id: item.id,
        variant: toWireVariant(part),
        quantity: item.quantity,
      })),
    }),
  }
}
