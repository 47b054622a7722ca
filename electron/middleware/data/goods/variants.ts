import {
  type AliasedRawBuilder,
  type ExpressionBuilder,
  type ExpressionWrapper,
  type RawBuilder,
  sql,
  type SqlBool,
} from 'kysely'
import { openInboundStatuses, openTransferStatuses } from '#shared/domain/resource-states.ts'
import {
  equalsWithoutIndex,
  type Connection,
  indexingInOnePass,
  portions,
  wantedValues,
} from '../engine/database.ts'
import { type Page, readPage } from '../engine/listing.ts'
import type { VariantTable } from '../schema/goods.ts'
import type { Schema } from '../schema/schema.ts'

/** Filters of variants. A variant must match all fields exactly; a field with null restricts nothing. */
export interface Identifiers {
  readonly articleCode: string | null
  readonly ean: string | null
  readonly sku: string | null
}

export async function listVariants(
  connection: Connection,
  customerId: string,
  page: Page,
): Promise<VariantTable[]> {
  return readPage(
    connection,
    connection
      .selectFrom('variants')
      .selectAll()
      .where('customer_id', '=', customerId)
      .where('deleted_at', 'is', null),
    page,
  )
}

/**
 * Returns one of the customer's variants with all columns, also a deleted variant. Null: the customer has no variant
 * with this id.
 */
export async function findVariant(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<VariantTable | null> {
  const row = await connection
    .selectFrom('variants')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** The columns of a variant inside another record, except the description, which `shownDescription` shortens. */
export const shownVariantColumns = [
  'id',
  'article_id',
  'customer_id',
  'article_code',
  'name',
  'ean',
  'sku',
  'hs_tariff_code',
  'height',
  'depth',
  'width',
  'weight',
  'expirable',
  'country_of_origin',
  'using_serial_numbers',
  'value',
  'created_at',
  'modified_at',
  'stock_modified_at',
  'deleted_at',
] as const satisfies readonly (keyof VariantTable)[]

/**
 * Maximum characters of a description inside another record. It is limited, because a response may repeat one variant
 * on a thousand lines.
 */
const longestShownDescription = 500

export function shownDescription(): AliasedRawBuilder<string | null, 'description'> {
  return sql<string | null>`substr(description, 1, ${longestShownDescription})`.as('description')
}

/**
 * Returns the customer's variants with these ids, with the columns that other records include. Deleted variants are
 * returned too, because older records show them.
 */
export async function findVariants(
  connection: Connection,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, VariantTable>> {
  const found = new Map<string, VariantTable>()
  for (const portion of portions(ids.map((id) => ({ id })))) {
    const rows = await connection
      .selectFrom('variants')
      .select([...shownVariantColumns, shownDescription()])
      .where('customer_id', '=', customerId)
      .where(
        'id',
        'in',
        portion.map(({ id }) => id),
      )
      .execute()
    for (const row of rows) found.set(row.id, row)
  }
  return found
}

/** The columns that are read of a variant to identify it by a code. */
const namingColumns = [
  'id',
  'article_id',
  'article_code',
  'name',
  'ean',
  'sku',
] as const satisfies readonly (keyof VariantTable)[]

export type NamedVariant = Pick<VariantTable, (typeof namingColumns)[number]>

/**
 * Returns the customer's variants whose `column` has one of the values, without deleted variants. For each value at
 * most two variants are returned. Two are enough to detect an ambiguous code, and many variants may have the same EAN.
 */
export async function variantsBearing(
  connection: Connection,
  customerId: string,
  column: 'article_code' | 'ean' | 'sku',
  values: readonly string[],
): Promise<NamedVariant[]> {
  if (values.length === 0) return []
  const columns = sql.join(namingColumns.map((name) => sql.ref(`variants.${name}`)))
  // `cross join` keeps the order of the tables, so that the database looks up each value in an index
  const bearer = sql`select id from variants as bearer
    where customer_id = ${customerId} and ${sql.ref(`bearer.${column}`)} = wanted.value and deleted_at is null`
  // the query has two subqueries with `limit 1` each, because for one subquery with `limit 2` PostgreSQL would not use
  // an index
  const { rows } = await sql<NamedVariant>`
    select ${columns} from ${wantedValues(connection, values)} cross join variants
    where variants.id in ((${bearer} limit 1), (${bearer} limit 1 offset 1))`.execute(connection)
  return rows
}

/**
 * Returns the variants of the given articles that are not deleted, sorted by article. The variants of an article are
 * sorted by name.
 */
export async function variantsOfArticles(
  connection: Connection,
  articleIds: readonly string[],
): Promise<VariantTable[]> {
  if (articleIds.length === 0) return []
  return connection
    .selectFrom('variants')
    .selectAll()
    .where('article_id', 'in', articleIds)
    .where('deleted_at', 'is', null)
    .orderBy('article_id')
    .orderBy('name')
    .orderBy('id')
    .execute()
}

/** The codes and the customer of a variant. */
export type VariantKey = Pick<VariantTable, 'id' | 'customer_id' | 'article_code'>

/** Returns the variants of the article that are not deleted, sorted by name. */
export async function variantKeysOf(connection: Connection, articleId: string): Promise<VariantKey[]> {
  return connection
    .selectFrom('variants')
    .select(['id', 'customer_id', 'article_code'])
    .where('article_id', '=', articleId)
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

/** Whether one of the given articles has more than `most` variants that are not deleted. */
export async function hasMoreVariants(
  connection: Connection,
  articleIds: readonly string[],
  most: number,
): Promise<boolean> {
  if (articleIds.length === 0) return false
  const row = await connection
    .selectFrom('variants')
    .select('article_id')
    .where('article_id', 'in', articleIds)
    .where('deleted_at', 'is', null)
    .groupBy('article_id')
    .having((variant) => variant.fn.countAll(), '>', most)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns those of the given codes that the customer already uses. */
export async function takenArticleCodes(
  connection: Connection,
  customerId: string,
  codes: readonly string[],
): Promise<Set<string>> {
  const taken = new Set<string>()
  for (const portion of portions(codes.map((code) => ({ code })))) {
    const rows = await connection
      .selectFrom('variants')
      .select('article_code')
      .where('customer_id', '=', customerId)
      .where('deleted_at', 'is', null)
      .where(
        'article_code',
        'in',
        portion.map(({ code }) => code),
      )
      .execute()
    for (const row of rows) taken.add(row.article_code)
  }
  return taken
}

/** Returns the total number of characters of the variants' searched texts: article code, EAN, SKU and name. */
export function searchedCharacters(rows: readonly VariantTable[]): number {
  const texts = rows.flatMap((row) => [row.article_code, row.ean, row.sku, row.name])
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
}

/**
 * If the searched texts of an insertion have more characters than this, PostgreSQL adds all these texts to the search
 * index in one pass.
 */
const manyCharacters = 10_000

/**
 * Stores variants in the transaction of `connection`. Fails with a unique violation if the customer already uses one of
 * the article codes.
 */
export async function insertVariants(connection: Connection, rows: readonly VariantTable[]): Promise<void> {
  const insert = async (): Promise<void> => {
    for (const portion of portions(rows)) await connection.insertInto('variants').values(portion).execute()
  }
  if (searchedCharacters(rows) > manyCharacters) await indexingInOnePass(connection, insert)
  else await insert()
}

/** The columns of a variant that a client can set. */
export type VariantFields = Omit<
  VariantTable,
  'id' | 'article_id' | 'customer_id' | 'created_at' | 'modified_at' | 'stock_modified_at' | 'deleted_at'
>
export type VariantChanges = Partial<VariantFields & Pick<VariantTable, 'article_id'>>

/** Changes a variant. Fails with a unique violation if another variant of the customer has the new article code. */
export async function changeVariant(
  connection: Connection,
  id: string,
  changes: VariantChanges,
  modifiedAt: string,
): Promise<void> {
  await connection
    .updateTable('variants')
    .set({ ...changes, modified_at: modifiedAt })
    .where('id', '=', id)
    .execute()
}

export function namesAnything({ articleCode, ean, sku }: Identifiers): boolean {
  return articleCode !== null || ean !== null || sku !== null
}

/** Returns the condition that a variant is not deleted and matches the filters. */
export function bears({
  articleCode,
  ean,
  sku,
}: Identifiers): (
  variant: ExpressionBuilder<Schema, 'variants'>,
) => ExpressionWrapper<Schema, 'variants', SqlBool> {
  return (variant) =>
    variant.and([
      variant('deleted_at', 'is', null),
      ...(articleCode === null ? [] : [variant('article_code', '=', articleCode)]),
      ...(ean === null ? [] : [variant('ean', '=', ean)]),
      ...(sku === null ? [] : [variant('sku', '=', sku)]),
    ])
}

/** Maximum number of variants with the same code that one statement sorts. */
const mostNamed = 1000

/**
 * Returns the customer's variants that have all given codes, without deleted ones; at least one code must be given.
 * Null: each of the given codes belongs to more than `mostNamed` variants, including deleted ones. Then the caller must
 * read its list in portions and filter the rows of each portion. Reads at most `mostNamed` + 1 variants for each code,
 * because very many variants may share one code, even if few variants have all given codes.
 */
export async function variantsNamed(
  connection: Connection,
  customerId: string,
  identifiers: Identifiers,
): Promise<readonly Pick<VariantTable, 'id' | 'article_id'>[] | null> {
  const { articleCode, ean, sku } = identifiers
  for (const [column, code] of [
    ['article_code', articleCode],
    ['ean', ean],
    ['sku', sku],
  ] as const) {
    if (code === null) continue
    const withCode = await connection
      .selectFrom('variants')
      .select('id')
      .where('customer_id', '=', customerId)
      .where(column, '=', code)
      .limit(mostNamed + 1)
      .execute()
    if (withCode.length === 0) return []
    if (withCode.length > mostNamed) continue
    return connection
      .selectFrom('variants')
      .select(['id', 'article_id'])
      .where(
        'id',
        'in',
        withCode.map(({ id }) => id),
      )
      .where(bearsWithoutIndex(identifiers))
      .execute()
  }
  return null
}

/**
 * Returns the condition that a variant is not deleted and matches the filters, for a query that finds the variant by
 * its id or its article. SQLite uses no index of a code for it, because very many variants may have the same code;
 * PostgreSQL chooses by its statistics.
 */
export function bearsWithoutIndex({ articleCode, ean, sku }: Identifiers): RawBuilder<boolean> {
  const is = (column: string, value: string | null): RawBuilder<boolean>[] =>
    value === null ? [] : [equalsWithoutIndex(`variants.${column}`, value)]
  const conditions = [...is('article_code', articleCode), ...is('ean', ean), ...is('sku', sku)]
  return sql<boolean>`${sql.join([sql<boolean>`variants.deleted_at is null`, ...conditions], sql` and `)}`
}

/** Returns variants of any customer by id, without deleted ones. */
export async function findAnyVariants(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, VariantTable>> {
  const found = new Map<string, VariantTable>()
  for (const portion of portions([...new Set(ids)].map((id) => ({ id })))) {
    const rows = await connection
      .selectFrom('variants')
      .selectAll()
      .where('deleted_at', 'is', null)
      .where(
        'id',
        'in',
        portion.map(({ id }) => id),
      )
      .execute()
    for (const row of rows) found.set(row.id, row)
  }
  return found
}

/** Marks variants as deleted. From then on only older records show them, and their codes can be used again. */
export async function markVariantsDeleted(
  connection: Connection,
  ids: readonly string[],
  deletedAt: string,
): Promise<void> {
  for (const portion of portions(ids.map((id) => ({ id }))))
    await connection
      .updateTable('variants')
      .set({ deleted_at: deletedAt })
      .where(
        'id',
        'in',
        portion.map(({ id }) => id),
      )
      .execute()
}

/**
 * Returns those of the given variants that have pieces in stock, or that occur in an open inbound, order, modification
 * or transfer.
 */
export async function variantsInUse(
  connection: Connection,
  variantIds: readonly string[],
): Promise<Set<string>> {
  const used = new Set<string>()
  for (const portion of portions(variantIds.map((id) => ({ id })))) {
    const rows = await connection
      .selectFrom('variants')
      .select('id')
      .where(
        'id',
        'in',
        portion.map(({ id }) => id),
      )
      .where((variant) => variant.or(usesOf(variant).map((use) => variant.exists(use))))
      .execute()
    for (const { id } of rows) used.add(id)
  }
  return used
}

/**
 * Returns one query for each kind of use of a variant. Each query begins with the rows of the variant. `cross join`
 * keeps this order in SQLite; otherwise SQLite may read the open inbounds, modifications or transfers of all customers.
 */
function usesOf(variant: ExpressionBuilder<Schema, 'variants'>) {
  return [
    variant
      .selectFrom('batches')
      .select('batches.id')
      .whereRef('variant_id', '=', 'variants.id')
      // the query contains this condition with a literal, not with a parameter, because SQLite uses a partial index
      // only for a query that repeats the condition of the index
      .where(sql<boolean>`quantity > 0`),
    // returns the open orders with the variant: an open order has one reservation for each of its variants, and any
    // other order has none
    variant
      .selectFrom('reservations')
      .select('order_id as id')
      .whereRef('reservations.variant_id', '=', 'variants.id'),
    variant
      .selectFrom('inbound_lines')
      .crossJoin('inbounds')
      .select('inbounds.id')
      .whereRef('inbound_lines.variant_id', '=', 'variants.id')
      .whereRef('inbounds.id', '=', 'inbound_id')
      .where('inbounds.status', 'in', openInboundStatuses),
    variant
      .selectFrom('modification_lines')
      .crossJoin('modifications')
      .select('modifications.id')
      .whereRef('modification_lines.variant_id', '=', 'variants.id')
      .whereRef('modifications.id', '=', 'modification_id')
      .where('modifications.status', '=', 'created'),
    ...(['from_variant_id', 'to_variant_id'] as const).map((side) =>
      variant
        .selectFrom('transfer_lines')
        .crossJoin('transfers')
        .select('transfers.id')
        .whereRef(`transfer_lines.${side}`, '=', 'variants.id')
        .whereRef('transfers.id', '=', 'transfer_id')
        .where('transfers.status', 'in', openTransferStatuses),
    ),
  ]
}
