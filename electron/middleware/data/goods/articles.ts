import { sql } from 'kysely'
import { equalsWithoutIndex, wantedValues, type Connection, portions } from '../engine/database.ts'
import {
  type Page,
  readInOrder,
  readPage,
  type RowPlace,
  type Visited,
  visitRows,
} from '../engine/listing.ts'
import type { ArticleTable } from '../schema/goods.ts'
import { bearsWithoutIndex, type Identifiers, namesAnything, variantsNamed } from './variants.ts'

/**
 * Returns a page of the customer's articles that are not deleted. If `identifiers` has a filter, only articles with a
 * matching variant. Null: too many variants may match; then the caller must visit the articles (`visitArticles`).
 */
export async function listArticles(
  connection: Connection,
  customerId: string,
  identifiers: Identifiers,
  page: Page,
): Promise<ArticleTable[] | null> {
  const all = connection.selectFrom('articles').selectAll().where('deleted_at', 'is', null)
  if (!namesAnything(identifiers))
    return readPage(connection, all.where('customer_id', '=', customerId), page)
  const named = await variantsNamed(connection, customerId, identifiers)
  if (named === null || named.length === 0) return named && []
  // The query needs no condition on the customer, because the ids come from variants of this customer. With such a
  // condition SQLite would read all articles of the customer.
  const ids = [...new Set(named.map((variant) => variant.article_id))]
  return readPage(connection, all.where('id', 'in', ids), page)
}

/** Number of articles that one step visits. It is small, because all variants of these articles may be read. */
const visitedAtOnce = 50

/**
 * Visits the next articles of the customer after a position, in the order of the list (see `visitRows`). Use this
 * function for filters that match many variants.
 */
export async function visitArticles(
  connection: Connection,
  customerId: string,
  { identifiers, page, after }: { identifiers: Identifiers; page: Page; after: RowPlace | null },
): Promise<Visited> {
  const all = connection.selectFrom('articles').where('customer_id', '=', customerId)
  // the condition is a subquery for each article, because a join could begin with all variants that match the filter
  const isNamed = sql<boolean>`articles.id = (
    select article_id from variants
    where variants.article_id = articles.id and ${bearsWithoutIndex(identifiers)} limit 1)`
  const narrow = (articles: typeof all): typeof all => articles.where('deleted_at', 'is', null).where(isNamed)
  return visitRows(all, narrow, { page, after, atOnce: visitedAtOnce })
}

/** Returns the articles with these ids, in the order of the ids. */
export function articlesInOrder(connection: Connection, ids: readonly string[]): Promise<ArticleTable[]> {
  return readInOrder(connection.selectFrom('articles').selectAll(), ids)
}

/** Returns the customer's articles with these ids, without deleted ones. */
export async function findArticles(
  connection: Connection,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, ArticleTable>> {
  if (ids.length === 0) return new Map()
  const rows = await connection
    .selectFrom('articles')
    .selectAll()
    .where('id', 'in', ids)
    .where(equalsWithoutIndex('customer_id', customerId))
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Returns, for each name, the id of the customer's oldest article with that name. Deleted articles do not count. A name
 * without an article is left out.
 */
export async function articlesNamed(
  connection: Connection,
  customerId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  // `cross join` keeps the order of the tables, so that the database looks up each name in an index
  const { rows } = await sql<Pick<ArticleTable, 'id' | 'name'>>`
    select articles.id, articles.name from ${wantedValues(connection, names)} cross join articles
    where articles.id = (
      select id from articles as named
      where customer_id = ${customerId} and named.name = wanted.value and deleted_at is null
      order by created_at, id
      limit 1
    )`.execute(connection)
  return new Map(rows.map(({ id, name }) => [name, id]))
}

export async function insertArticles(connection: Connection, rows: readonly ArticleTable[]): Promise<void> {
  for (const portion of portions(rows)) await connection.insertInto('articles').values(portion).execute()
}

export async function renameArticle(
  connection: Connection,
  id: string,
  name: string,
  modifiedAt: string,
): Promise<void> {
  await connection
    .updateTable('articles')
    .set({ name, modified_at: modifiedAt })
    .where('id', '=', id)
    .execute()
}

/** Returns an article of any customer. Null: it was deleted or never existed. */
export async function findAnyArticle(connection: Connection, id: string): Promise<ArticleTable | null> {
  const row = await connection
    .selectFrom('articles')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** Marks an article as deleted. From then on only older records show it. Its variants are not deleted. */
export async function markArticleDeleted(
  connection: Connection,
  id: string,
  deletedAt: string,
): Promise<void> {
  await connection.updateTable('articles').set({ deleted_at: deletedAt }).where('id', '=', id).execute()
}
