import { randomUUID } from 'node:crypto'
import { type Connection, isUniqueViolation } from '../../data/engine/database.ts'
import type { Page } from '../../data/engine/listing.ts'
import {
  articlesInOrder,
  findArticles,
  insertArticles,
  listArticles as listRows,
  renameArticle as renameRow,
  visitArticles,
} from '../../data/goods/articles.ts'
import { type Identifiers, insertVariants, variantsOfArticles } from '../../data/goods/variants.ts'
import type { ArticleTable, VariantTable } from '../../data/schema/goods.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { idsOfVisitedPage, type Listing, type ListQuery, toPage } from '../paging.ts'
import { Refusal } from '../refusal.ts'
import { codeNotUnique, type NewVariant, refuseLongTexts, refuseTakenCodes, variantRow } from './variants.ts'

const listing: Listing<'createdAt' | 'name'> = {
  columns: { createdAt: 'created_at', name: 'name' },
  sort: 'name',
  direction: 'asc',
}

export interface ArticleRecord {
  readonly article: ArticleTable
  /**
   * The variants of the article, sorted by name. Variants that the call has just created have the order of the payload.
   */
  readonly variants: readonly VariantTable[]
}

/**
 * Returns a page of the articles with a variant that matches the filters, each with all its variants, even if only one
 * of them matches.
 */
export async function listArticles(
  context: ServiceContext,
  customer: Customer,
  call: { identifiers: Identifiers; query: ListQuery<'createdAt' | 'name'> },
): Promise<ArticleRecord[]> {
  const page = toPage(call.query, listing)
  return withVariants(context, await pageOfArticles(context, customer, call.identifiers, page))
}

async function pageOfArticles(
  { database }: ServiceContext,
  { id: customerId }: Customer,
  identifiers: Identifiers,
  page: Page,
): Promise<ArticleTable[]> {
  const rows = await listRows(database, customerId, identifiers, page)
  if (rows) return rows
  const ids = await idsOfVisitedPage(page, (after) =>
    visitArticles(database, customerId, { identifiers, page, after }),
  )
  return articlesInOrder(database, ids)
}

export async function getArticle(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<ArticleRecord> {
  const [record] = await getArticles(context, customer, [id])
  if (record === undefined) throw articleNotFound()
  return record
}

/** Returns articles in the requested order, without those that the customer does not have. */
async function getArticles(
  context: ServiceContext,
  customer: Customer,
  ids: readonly string[],
): Promise<ArticleRecord[]> {
  const found = await findArticles(context.database, customer.id, ids)
  return withVariants(
    context,
    ids.flatMap((id) => found.get(id) ?? []),
  )
}

export interface NewArticle {
  readonly name: string
  readonly variants: readonly NewVariant[]
  /** Path of the article in the payload, for messages; '' for a single article. */
  readonly place: '' | `articles.${number}.`
}

/**
 * Creates all articles with all their variants, or none. Refused with 400 if an article code is taken, or if the texts
 * of all the variants together are too long. Returns the articles with their variants in the order of the payload, so
 * that a client can match each with its input.
 */
export async function createArticles(
  context: ServiceContext,
  customer: Customer,
  inputs: readonly NewArticle[],
): Promise<ArticleRecord[]> {
  const articles = inputs.map((input) => ({ ...input, id: randomUUID() }))
  const places = articles.flatMap(({ variants, place }) =>
    variants.map(({ article_code: code }, index) => ({
      code,
      field: `${place}variants.${index}.article_code`,
    })),
  )
  try {
    await transact(context, async (unit) => {
      const { connection: transaction, now } = unit
      const times = { created_at: now, modified_at: now, deleted_at: null }
      const rows = articles.flatMap(({ id, name, variants }) => {
        const owner = { articleId: id, articleName: name, customerId: customer.id, now }
        return variants.map((variant) => variantRow(variant, owner))
      })
      refuseLongTexts(rows, articles[0]?.place === '' ? 'variants' : 'articles')
      await insertArticles(
        transaction,
        articles.map(({ id, name }) => ({ id, customer_id: customer.id, name, ...times })),
      )
      await refuseTakenCodes(transaction, customer, places)
      await insertVariants(transaction, rows)
      for (const { id } of articles) unit.changed('article', 'created', { customerId: customer.id, id })
      for (const { id } of rows) unit.changed('variant', 'created', { customerId: customer.id, id })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? codeNotUnique() : error
  }
  const made = await getArticles(
    context,
    customer,
    articles.map(({ id }) => id),
  )
  return made.map((record, index) => inOrder(record, inputs[index]?.variants ?? []))
}

function inOrder(record: ArticleRecord, given: readonly NewVariant[]): ArticleRecord {
  const places = new Map(given.map(({ article_code: code }, index) => [code, index]))
  const placeOf = ({ article_code: code }: VariantTable): number => places.get(code) ?? given.length
  return { ...record, variants: record.variants.toSorted((a, b) => placeOf(a) - placeOf(b)) }
}

/** Changes the name of an article. `name` null: the name does not change. */
export async function changeArticle(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; name: string | null },
): Promise<void> {
  const { id, name } = call
  await transact(context, async (unit) => {
    await existingArticle(unit.connection, customer, id)
    if (name === null) return
    await renameRow(unit.connection, id, name, unit.now)
    unit.changed('article', 'updated', { customerId: customer.id, id })
  })
}

async function existingArticle(
  connection: Connection,
  customer: Customer,
  id: string,
): Promise<ArticleTable> {
  const article = (await findArticles(connection, customer.id, [id])).get(id)
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
