import { randomUUID } from 'node:crypto'
import {
  findArticles,
  insertArticle,
  listArticles as listRows,
  renameArticle as renameRow,
} from '../data/articles.ts'
import { isUniqueViolation } from '../data/dialect.ts'
import type { ArticleTable, VariantTable } from '../data/schema.ts'
import { type Identifiers, insertVariants, variantsOfArticles } from '../data/variants.ts'
import { type Customer, type ServiceContext, storedNow } from './context.ts'
import { codeNotUnique, type NewVariant, refuseTakenCodes, variantRow } from './goods-fields.ts'
import { type Listing, type ListQuery, toPage } from './paging.ts'
import { Refusal } from './refusal.ts'

const listing: Listing<'createdAt' | 'name'> = {
  columns: { createdAt: 'created_at', name: 'name' },
  sort: 'name',
  direction: 'asc',
}

export interface ArticleRecord {
  readonly article: ArticleTable
  /** By name. */
  readonly variants: readonly VariantTable[]
}

/** Articles with all their variants, also where only one of them bears the identifiers asked for. */
export async function listArticles(
  context: ServiceContext,
  customer: Customer,
  call: { identifiers: Identifiers; query: ListQuery<'createdAt' | 'name'> },
): Promise<ArticleRecord[]> {
  const { database } = context
  const rows = await listRows(database, customer.id, call.identifiers, toPage(call.query, listing))
  return withVariants(context, rows)
}

export async function getArticle(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<ArticleRecord> {
  const [record] = await withVariants(context, [await existingArticle(context, customer, id)])
  if (record === undefined) throw articleNotFound()
  return record
}

/** Makes the article and all its variants, or nothing: 400 when an article code is taken. Answers its id. */
export async function createArticle(
  context: ServiceContext,
  customer: Customer,
  input: { name: string; variants: readonly NewVariant[] },
): Promise<string> {
  const articleId = randomUUID()
  const now = storedNow(context)
  const owner = { articleId, articleName: input.name, customerId: customer.id, now }
  const article = { id: articleId, customer_id: customer.id, name: input.name }
  try {
    await context.database.transaction().execute(async (transaction) => {
      await insertArticle(transaction, { ...article, created_at: now, modified_at: now })
      const codes = input.variants.map(({ article_code }) => article_code)
      await refuseTakenCodes(transaction, customer, codes)
      const rows = input.variants.map((variant) => variantRow(variant, owner))
      await insertVariants(transaction, rows)
    })
  } catch (error) {
    throw isUniqueViolation(error) ? codeNotUnique() : error
  }
  return articleId
}

/** `name` null: nothing to change. */
export async function changeArticle(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; name: string | null },
): Promise<void> {
  await existingArticle(context, customer, call.id)
  if (call.name !== null) await renameRow(context.database, call.id, call.name, storedNow(context))
}

async function existingArticle(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<ArticleTable> {
  const article = (await findArticles(context.database, customer.id, [id])).get(id)
  if (article === undefined) throw articleNotFound()
  return article
}

async function withVariants(
  context: ServiceContext,
  articles: readonly ArticleTable[],
): Promise<ArticleRecord[]> {
  const ids = articles.map(({ id }) => id)
  const variants = Map.groupBy(
    await variantsOfArticles(context.database, ids),
    (variant) => variant.article_id,
  )
  return articles.map((article) => ({ article, variants: variants.get(article.id) ?? [] }))
}

function articleNotFound(): Refusal {
  return new Refusal('not_found', 'Article not found.')
}
