import { type Connection, isUniqueViolation } from '../../data/engine/database.ts'
import { findArticles } from '../../data/goods/articles.ts'
import type { ArticleTable, VariantTable } from '../../data/schema/goods.ts'
import {
  changeVariant as changeRow,
  findVariant,
  insertVariants,
  listVariants as listRows,
  type VariantChanges,
} from '../../data/goods/variants.ts'
import type { Customer, ServiceContext } from '../context.ts'
import { codeNotUnique, type NewVariant, variantRow } from './goods-fields.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { invalidField, Refusal } from '../refusal.ts'
import { transact } from '../transact.ts'

export type VariantSort = 'id' | 'createdAt' | 'modifiedAt' | 'name' | 'articleCode'

const listing: Listing<VariantSort> = {
  columns: {
    id: 'id',
    createdAt: 'created_at',
    modifiedAt: 'modified_at',
    name: 'name',
    articleCode: 'article_code',
  },
  sort: 'name',
  direction: 'asc',
}

/** A variant and, when asked for, its article. */
export interface VariantRecord {
  readonly variant: VariantTable
  readonly article: ArticleTable | null
}

export async function listVariants(
  context: ServiceContext,
  customer: Customer,
  call: { query: ListQuery<VariantSort>; withArticle: boolean },
): Promise<VariantRecord[]> {
  const rows = await listRows(context.database, customer.id, toPage(call.query, listing))
  return withArticles(context, customer, rows, call.withArticle)
}

export async function getVariant(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; withArticle: boolean },
): Promise<VariantRecord> {
  const row = await findVariant(context.database, customer.id, call.id)
  const isThere = row !== null && row.deleted_at === null
  const [record] = isThere ? await withArticles(context, customer, [row], call.withArticle) : []
  if (record === undefined) throw new Refusal('not_found', 'Variant not found.')
  return record
}

/** Answers the new id. Refused with 400: an article the customer does not have, an article code in use. */
export async function createVariant(
  context: ServiceContext,
  customer: Customer,
  input: NewVariant & { readonly article_id: string },
): Promise<string> {
  return uniquely(
    transact(context, async (unit) => {
      const article = await customersArticle(unit.connection, customer, input.article_id)
      const owner = { articleId: article.id, articleName: article.name, customerId: customer.id }
      const row = variantRow(input, { ...owner, now: unit.now })
      await insertVariants(unit.connection, [row])
      unit.changed('variant', 'created', { customerId: customer.id, id: row.id })
      return row.id
    }),
  )
}

/** Changes what was sent and the variant's `modified_at`, not its article's; nothing sent changes nothing. */
export async function changeVariant(
  context: ServiceContext,
  customer: Customer,
  call: { id: string; changes: VariantChanges },
): Promise<void> {
  const { id, changes } = call
  await uniquely(
    transact(context, async (unit) => {
      const within = { ...context, database: unit.connection }
      await getVariant(within, customer, { id, withArticle: false })
      if (Object.keys(changes).length === 0) return
      if (changes.article_id !== undefined)
        await customersArticle(unit.connection, customer, changes.article_id)
      await changeRow(unit.connection, id, changes, unit.now)
      unit.changed('variant', 'updated', { customerId: customer.id, id })
    }),
  )
}

async function customersArticle(
  connection: Connection,
  customer: Customer,
  id: string,
): Promise<ArticleTable> {
  const article = (await findArticles(connection, customer.id, [id])).get(id)
  if (article === undefined) throw invalidField('article', 'Article not found.')
  return article
}

async function uniquely<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    throw isUniqueViolation(error) ? codeNotUnique() : error
  }
}

async function withArticles(
  context: ServiceContext,
  customer: Customer,
  variants: readonly VariantTable[],
  wanted: boolean,
): Promise<VariantRecord[]> {
  const ids = new Set(wanted ? variants.map((variant) => variant.article_id) : [])
  const articles = await findArticles(context.database, customer.id, [...ids])
  return variants.map((variant) => ({ variant, article: articles.get(variant.article_id) ?? null }))
}
