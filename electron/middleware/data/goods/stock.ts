import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { isOutsideQuarantine } from './locations.ts'
import { type Connection, portions, rowsWithPart, wantedValues } from '../engine/database.ts'
import { anyContains, type Page, readInOrder, readPage, withoutCase } from '../engine/listing.ts'
import { readingFreely } from '../engine/reading-limit.ts'
import type { VariantTable } from '../schema/goods.ts'
import type { Schema } from '../schema/schema.ts'
import { bears, type Identifiers, namesAnything, shownDescription, shownVariantColumns } from './variants.ts'

export interface StockFilters extends Identifiers {
  /** Part of a code, an identifier or the name. The case of ASCII letters does not matter. Null: no restriction. */
  readonly search: string | null
  /** A time in its stored format. */
  readonly changedFrom: string | null
}

/** A place in a sorted list of variants: the value of its sort column, and the id. */
export interface StockPlace {
  readonly sort: string
  readonly id: string
}

/** Maximum number of variants with a code that one statement sorts. */
const mostNamed = 1000

/**
 * Returns a page of the customer's variants that are not deleted, filtered and sorted for the list of their stock. Null:
 * no index finds those of the filters, or there are too many, so all have to be visited (`visitVariants`).
 */
export async function listStockedVariants(
  connection: Connection,
  customerId: string,
  filters: StockFilters,
  page: Page,
): Promise<VariantTable[] | null> {
  const { search, changedFrom } = filters
  const all = shownVariants(connection)
  if (!namesAnything(filters)) {
    if (search !== null) {
      const found = await variantsWith(connection, search)
      if (found === null) return null
      if (found.length === 0) return []
      const wanted = sql<boolean>`id in (select value from ${wantedValues(connection, found)})`
      // `not` keeps SQLite from reading all variants of the customer along an index
      const ofCustomer = all.where(wanted).where(sql<boolean>`not customer_id <> ${customerId}`)
      return readPage(connection, ofCustomer.where(bears(filters)).where(isStocked(filters)), page)
    }
    if (changedFrom !== null && page.sort !== 'stock_modified_at') return null
    const ofCustomer = all.where('customer_id', '=', customerId).where('deleted_at', 'is', null)
    return readPage(connection, ofCustomer.where(isStocked(filters)), page)
  }
  const named = await connection
    .selectFrom('variants')
    .select('id')
    .where('customer_id', '=', customerId)
    .where(bears(filters))
    .limit(mostNamed + 1)
    .execute()
  if (named.length > mostNamed) return null
  const ids = named.map(({ id }) => id)
  return ids.length === 0
    ? []
    : readPage(connection, all.where('id', 'in', ids).where(isStocked(filters)), page)
}

/** Maximum number of variants with a text that one statement sorts. More are found sooner by a visit in their order. */
const mostFound = 5000
/** In characters. The index of parts has no shorter ones. */
const shortestPart = 3

/** Returns variants of any customer, among them all that contain the text. Null: too many contain it, or it is short. */
async function variantsWith(connection: Connection, search: string): Promise<string[] | null> {
  // no stored text contains it
  if (search.includes('\0')) return []
  const part = withoutCase(search)
  if (Array.from(part).length < shortestPart) return null
  const query = sql<{ id: string }>`${rowsWithPart(connection, part)} limit ${mostFound + 1}`
  // the call shows only those of its page
  const { rows } = await readingFreely(() => query.execute(connection))
  return rows.length > mostFound ? null : rows.map(({ id }) => id)
}

/** Number of variants that one step visits, during which no other call runs. */
const visitedAtOnce = 500

/**
 * Visits the next variants of the customer after a place, in the order of the page. Null: from the beginning. Returns
 * the ids of those that the filters select, and the place where the next step continues. Null: there are no further
 * ones.
 */
export async function visitVariants(
  connection: Connection,
  customerId: string,
  { filters, page, after }: { filters: StockFilters; page: Page; after: StockPlace | null },
): Promise<{ ids: string[]; next: StockPlace | null }> {
  const column = sql.ref(page.sort)
  const isById = page.sort === 'id'
  const compare = (operator: RawBuilder<unknown>, { sort, id }: StockPlace): RawBuilder<boolean> =>
    isById ? sql`id ${operator} ${id}` : sql`(${column}, id) ${operator} (${sort}, ${id})`
  const [beyond, upTo] = page.direction === 'asc' ? [sql`>`, sql`<=`] : [sql`<`, sql`>=`]
  const all = connection.selectFrom('variants').where('customer_id', '=', customerId)
  const rest = after === null ? all : all.where(compare(beyond, after))
  const byColumn = rest.orderBy(column, page.direction)
  const inOrder = isById ? byColumn : byColumn.orderBy('id', page.direction)
  const last = await inOrder
    .select(['id', sql<string>`${column}`.as('sort')])
    .offset(visitedAtOnce - 1)
    .limit(1)
    .executeTakeFirst()
  let selected = inOrder.where(bears(filters)).where(isStocked(filters))
  if (last !== undefined) selected = selected.where(compare(upTo, last))
  if (page.from !== null) selected = selected.where('created_at', '>=', page.from)
  if (page.to !== null) selected = selected.where('created_at', '<=', page.to)
  const rows = await selected.select('id').execute()
  return { ids: rows.map(({ id }) => id), next: last ?? null }
}

/** Returns the variants with these ids, in their order, as the list of their stock shows them. */
export function stockedVariants(connection: Connection, ids: readonly string[]): Promise<VariantTable[]> {
  return readInOrder(shownVariants(connection), ids)
}

function shownVariants(connection: Connection): SelectQueryBuilder<Schema, 'variants', VariantTable> {
  return connection.selectFrom('variants').select([...shownVariantColumns, shownDescription()])
}

function isStocked({ changedFrom, search }: StockFilters): RawBuilder<boolean> {
  const conditions = [
    ...(changedFrom === null ? [] : [sql<boolean>`stock_modified_at >= ${changedFrom}`]),
    ...(search === null ? [] : [anyContains(['article_code', 'ean', 'sku', 'name'], search)]),
  ]
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}

/** The stock of one variant, in pieces. */
export interface StockRecord<Variant = VariantTable> {
  readonly variant: Variant
  readonly physical: number
  readonly salable: number
  readonly available: number
  readonly quarantine: number
  readonly pickable: number
}

/** Returns the stock of the given variants, in their order. */
export async function stockOf<Variant extends { readonly id: string }>(
  connection: Connection,
  variants: readonly Variant[],
): Promise<StockRecord<Variant>[]> {
  const ids = variants.map(({ id }) => id)
  const lots = new Map((await sumLots(connection, ids)).map((sums) => [sums.variant_id, sums]))
  const reserved = await sumReserved(connection, ids)
  return variants.map((variant) => {
    const { physical, pickable, quarantine } = lots.get(variant.id) ?? none
    const salable = physical - quarantine
    const available = Math.max(0, salable - (reserved.get(variant.id) ?? 0))
    return { variant, physical, salable, available, quarantine, pickable }
  })
}

const none = { physical: 0, pickable: 0, quarantine: 0 }

interface LotSums {
  readonly variant_id: string
  readonly physical: number
  readonly pickable: number
  readonly quarantine: number
}

/** Returns the pieces of each variant: all, those at pickable locations, and those at `QUAR…` locations. */
async function sumLots(connection: Connection, variantIds: readonly string[]): Promise<LotSums[]> {
  if (variantIds.length === 0) return []
  const rows = await connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .select([
      'batches.variant_id',
      sql<number>`SUM(batches.quantity)`.as('physical'),
      sql<number>`SUM(batches.quantity * locations.pickable)`.as('pickable'),
      sql<number>`SUM(CASE WHEN ${isOutsideQuarantine} THEN 0 ELSE batches.quantity END)`.as('quarantine'),
    ])
    .where('batches.variant_id', 'in', variantIds)
    // Lots are never deleted; the partial index of those with pieces has their quantities. It needs a literal.
    .where(sql<boolean>`batches.quantity > 0`)
    .groupBy('batches.variant_id')
    .execute()
  return rows
}

/** Returns the pieces of each variant that orders have reserved and that were not shipped yet. */
async function sumReserved(
  connection: Connection,
  variantIds: readonly string[],
): Promise<Map<string, number>> {
  if (variantIds.length === 0) return new Map()
  const rows = await connection
    .selectFrom('reservations')
    .select(['variant_id', sql<number>`SUM(pieces)`.as('reserved')])
    .where('variant_id', 'in', variantIds)
    .groupBy('variant_id')
    .execute()
  return new Map(rows.map((row) => [row.variant_id, row.reserved]))
}

/** Notes a change of the stock or the available stock of the variants. */
export async function touchStock(
  connection: Connection,
  variantIds: ReadonlySet<string>,
  changedAt: string,
): Promise<void> {
  for (const portion of portions([...variantIds].map((id) => ({ id }))))
    await connection
      .updateTable('variants')
      .set({ stock_modified_at: changedAt })
      .where(
        'id',
        'in',
        portion.map(({ id }) => id),
      )
      .execute()
}
