import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { isOutsideQuarantine } from './locations.ts'
import {
  equalsWithoutIndex,
  type Connection,
  portions,
  rowsWithPart,
  wantedValues,
} from '../engine/database.ts'
import {
  anyContains,
  type Page,
  readInOrder,
  readPage,
  type RowPlace,
  type Visited,
  visitRows,
  withoutCase,
} from '../engine/listing.ts'
import { readingFreely } from '../engine/reading-limit.ts'
import type { VariantTable } from '../schema/goods.ts'
import type { Schema } from '../schema/schema.ts'
import {
  bears,
  type Identifiers,
  namesAnything,
  shownDescription,
  shownVariantColumns,
  variantsNamed,
} from './variants.ts'

export interface StockFilters extends Identifiers {
  /**
   * Only variants with this text in a code, in an identifier or in the name. The case of ASCII letters does not matter.
   * Null: no restriction.
   */
  readonly search: string | null
  /** Only variants whose stock changed at this time or later, in the stored format. Null: no restriction. */
  readonly changedFrom: string | null
}

/**
 * Returns a page of the customer's variants that match the filters, sorted, without deleted variants. Null: no index
 * supports the filters, or they match too many variants; then the caller must visit all variants (`visitVariants`).
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
      const ofCustomer = all.where(wanted).where(equalsWithoutIndex('customer_id', customerId))
      return readPage(connection, ofCustomer.where(bears(filters)).where(isStocked(filters)), page)
    }
    if (changedFrom !== null && page.sort !== 'stock_modified_at') return null
    const ofCustomer = all.where('customer_id', '=', customerId).where('deleted_at', 'is', null)
    return readPage(connection, ofCustomer.where(isStocked(filters)), page)
  }
  const named = await variantsNamed(connection, customerId, filters)
  if (named === null || named.length === 0) return named && []
  const ids = named.map(({ id }) => id)
  return readPage(connection, all.where('id', 'in', ids).where(isStocked(filters)), page)
}

/**
 * Maximum number of variants with the searched text that one statement sorts. If more variants contain the text, it is
 * faster to visit the variants in the order of the list.
 */
const mostFound = 5000
/**
 * Minimum length in characters of a text that can be looked up, because the index contains parts of three characters.
 */
const shortestPart = 3
/**
 * A text with more characters than this number is first looked up only by its last `lookedUpEnd` characters, because
 * codes and names differ most at their end. For each part of three characters the index reads a list of rows, so the
 * look-up of a whole article code would take ten times as long.
 */
const lookedUpEnd = 7
/**
 * Maximum number of rows that the search for the last `lookedUpEnd` characters of a text may find. If it finds more,
 * the whole text is looked up instead.
 */
const mostFoundByEnd = 500

/**
 * Returns the ids of all variants that contain the text. The result includes variants of other customers and may
 * include variants without the text, so the caller must compare the texts of the variants. Null: too many variants were
 * found, the text is too short, or the index cannot find it.
 */
async function variantsWith(connection: Connection, search: string): Promise<string[] | null> {
  // no stored text contains a NUL character, so no variant matches
  if (search.includes('\0')) return []
  const characters = Array.from(withoutCase(search))
  if (characters.length < shortestPart) return null
  // the rows that this search reads do not count for the reading limit of the call, because the response contains only
  // the variants of one page
  const find = async (part: readonly string[], most: number): Promise<string[] | null> => {
    const found = rowsWithPart(connection, part.join(''))
    if (found === null) return null
    const query = sql<{ id: string }>`${found} limit ${most + 1}`
    const { rows } = await readingFreely(() => query.execute(connection))
    return rows.length > most ? null : rows.map(({ id }) => id)
  }
  const byEnd =
    characters.length > lookedUpEnd ? await find(characters.slice(-lookedUpEnd), mostFoundByEnd) : null
  return byEnd ?? find(characters, mostFound)
}

/** Visits the next variants of the customer after a position, in the order of the list of stock (see `visitRows`). */
export async function visitVariants(
  connection: Connection,
  customerId: string,
  { filters, page, after }: { filters: StockFilters; page: Page; after: RowPlace | null },
): Promise<Visited> {
  const all = connection.selectFrom('variants').where('customer_id', '=', customerId)
  return visitRows(all, (rows) => rows.where(bears(filters)).where(isStocked(filters)), { page, after })
}

/** Returns the variants with these ids, in the order of the ids, with the columns that the list of stock shows. */
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

/** Returns the stock of the given variants, in the order of the variants. */
export async function stockOf<Variant extends { readonly id: string }>(
  connection: Connection,
  variants: readonly Variant[],
): Promise<StockRecord<Variant>[]> {
  const ids = variants.map(({ id }) => id)
  const lots = new Map((await sumPieces(connection, ids)).map((sums) => [sums.variant_id, sums]))
  return variants.map((variant) => {
    const { physical, pickable, quarantine, reserved } = lots.get(variant.id) ?? none
    const salable = physical - quarantine
    const available = Math.max(0, salable - reserved)
    return { variant, physical, salable, available, quarantine, pickable }
  })
}

const none = { physical: 0, pickable: 0, quarantine: 0, reserved: 0 }

interface PieceSums {
  readonly variant_id: string
  readonly physical: number
  readonly pickable: number
  readonly quarantine: number
  readonly reserved: number
}

/**
 * Returns the number of pieces of each variant: all pieces, those at pickable locations, those at `QUAR…` locations,
 * and those that orders have reserved and that were not shipped yet. Variants without pieces are left out. One
 * statement reads all sums: a shipment changes pieces and reservations, and it could commit between two statements of
 * PostgreSQL.
 */
async function sumPieces(connection: Connection, variantIds: readonly string[]): Promise<PieceSums[]> {
  if (variantIds.length === 0) return []
  const ofOrders = sql`select sum(pieces) from reservations where reservations.variant_id = batches.variant_id`
  const rows = await connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .select([
      'batches.variant_id',
      sql<number>`SUM(batches.quantity)`.as('physical'),
      sql<number>`SUM(batches.quantity * locations.pickable)`.as('pickable'),
      sql<number>`SUM(CASE WHEN ${isOutsideQuarantine} THEN 0 ELSE batches.quantity END)`.as('quarantine'),
      sql<number>`coalesce((${ofOrders}), 0)`.as('reserved'),
    ])
    .where('batches.variant_id', 'in', variantIds)
    // This condition makes the database use a partial index of lots with pieces. Without it the database would also
    // read all empty lots, which are never deleted. The condition is a literal, because SQLite does not use the index
    // for a condition with a parameter.
    .where(sql<boolean>`batches.quantity > 0`)
    .groupBy('batches.variant_id')
    .execute()
  return rows
}

/** Stores the time at which the stock or the available stock of the given variants changed. */
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
