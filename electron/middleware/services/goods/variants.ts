import { randomUUID } from 'node:crypto'
import { type Connection, isUniqueViolation } from '../../data/engine/database.ts'
import { findArticles } from '../../data/goods/articles.ts'
import {
  changeVariant as changeRow,
  findVariant,
  hasMoreVariants,
  insertVariants,
  listVariants as listRows,
  searchedCharacters,
  takenArticleCodes,
  type VariantChanges,
  type VariantFields,
} from '../../data/goods/variants.ts'
import type { ArticleTable, VariantTable } from '../../data/schema/goods.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { type FieldMessages, invalidField, Refusal } from '../refusal.ts'

type VariantSort = 'id' | 'createdAt' | 'modifiedAt' | 'name' | 'articleCode'

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

/** A variant and, if requested, its article. */
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

/**
 * Creates a variant and returns its id. Refused with 400: an article that the customer does not have, an article with
 * the maximum number of variants, an article code in use.
 */
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
      await refuseFullArticles(unit.connection, [article.id], 'article')
      unit.changed('variant', 'created', { customerId: customer.id, id: row.id })
      return row.id
    }),
  )
}

/**
 * Changes the sent fields and the `modified_at` of the variant, but not the `modified_at` of its article. A call
 * without fields changes nothing.
 */
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
      if (changes.article_id !== undefined)
        await refuseFullArticles(unit.connection, [changes.article_id], 'article')
      unit.changed('variant', 'updated', { customerId: customer.id, id })
    }),
  )
}

/**
 * Maximum number of variants of an article, without deleted ones (API.md 3.1). A call that reads or deletes an article
 * handles all its variants in one piece. With SQLite no other call runs meanwhile.
 */
export const mostVariants = 1000

/**
 * Throws a refusal (400, with an error for `field`) if one of the articles has more than `mostVariants` variants. Must
 * be called after the variants were stored, in the same transaction.
 */
export async function refuseFullArticles(
  connection: Connection,
  articleIds: readonly string[],
  field: string,
): Promise<void> {
  if (await hasMoreVariants(connection, articleIds, mostVariants))
    throw invalidField(field, `An article may have ${mostVariants} variants at most.`)
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

/** A variant as a client sends it. A missing field gets the default of its column. */
export type NewVariant = Partial<VariantFields> & Pick<VariantFields, 'article_code'>

/** Returns the row of a new variant. A variant without a name takes the name of its article. */
export function variantRow(
  input: NewVariant,
  owner: { articleId: string; articleName: string; customerId: string; now: string },
): VariantTable {
  return {
    id: randomUUID(),
    article_id: owner.articleId,
    customer_id: owner.customerId,
    article_code: input.article_code,
    name: input.name ?? owner.articleName,
    description: input.description ?? null,
    ean: input.ean ?? null,
    sku: input.sku ?? null,
    hs_tariff_code: input.hs_tariff_code ?? null,
    height: input.height ?? null,
    depth: input.depth ?? null,
    width: input.width ?? null,
    weight: input.weight ?? null,
    expirable: input.expirable ?? 0,
    country_of_origin: input.country_of_origin ?? null,
    using_serial_numbers: input.using_serial_numbers ?? 0,
    value: input.value ?? null,
    created_at: owner.now,
    modified_at: owner.now,
    stock_modified_at: owner.now,
    deleted_at: null,
  }
}

/**
 * Maximum number of characters of the searched texts (name, article code, EAN and SKU) of all variants that one call
 * creates. For comparison, 5,000 variants, each with a name of 60 characters and three codes of 30 characters, have
 * 750,000 characters. The time to add the texts to the search index is proportional to the number of characters. The
 * name of an article counts once for each variant that takes it, so even a short body can exceed the maximum.
 */
const mostSearchedCharacters = 800_000

/**
 * Throws a refusal (400, with an error for `field`) if the new variants together have more than
 * `mostSearchedCharacters` searched characters.
 */
export function refuseLongTexts(rows: readonly VariantTable[], field: string): void {
  if (searchedCharacters(rows) > mostSearchedCharacters)
    throw invalidField(
      field,
      `The names, article codes, EANs and SKUs of all new variants should have ${mostSearchedCharacters} characters or less together.`,
    )
}

/** Refuses article codes that occur twice in the call or that the customer already uses (API.md 1.11). */
export async function refuseTakenCodes(
  connection: Connection,
  customer: Customer,
  places: readonly { readonly code: string; readonly field: string }[],
): Promise<void> {
  const codes = new Set(places.map(({ code }) => code))
  const taken = await takenArticleCodes(connection, customer.id, [...codes])
  const refused: string[] = []
  for (const { code, field } of places) {
    if (taken.has(code)) refused.push(field)
    // the code counts as taken from now on, so a later variant in this call that has the same code is refused
    taken.add(code)
  }
  if (refused.length > 0) throw codeNotUnique(refused)
}

/**
 * Returns the refusal (400) of article codes that are not unique. The message appears for the call and for the field;
 * if several variants were sent, also for each variant in `places`.
 */
export function codeNotUnique(places: readonly string[] = []): Refusal {
  const message = 'Article code is not unique'
  const named = ['', 'article_code', ...places].map((field) => [field, [message]] as const)
  const fields: FieldMessages = Object.fromEntries(named)
  return new Refusal('invalid', message, { fields })
}
