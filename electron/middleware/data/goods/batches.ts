import { sql } from 'kysely'
import { isOutsideQuarantine } from './locations.ts'
import type { Connection } from '../engine/database.ts'
import {
  type Page,
  readInOrder,
  readPage,
  type RowPlace,
  type Visited,
  visitRows,
} from '../engine/listing.ts'
import type { BatchTable } from '../schema/goods.ts'
import type { Flag } from '../schema/table.ts'
import { bearsWithoutIndex, type Identifiers, namesAnything, variantsNamed } from './variants.ts'

/**
 * The condition for lots with pieces. It contains a literal, not a parameter, because SQLite uses a partial index only
 * for a query that repeats the condition of the index.
 */
const hasPieces = sql<boolean>`batches.quantity > 0`

export interface BatchFilters extends Identifiers {
  /** Whether empty lots are left out. */
  readonly positiveOnly: boolean
}

/**
 * Returns a page of the customer's lots that match the filters. Null: too many variants may match; then the caller must
 * visit the lots (`visitBatches`).
 */
export async function listBatches(
  connection: Connection,
  customerId: string,
  filters: BatchFilters,
  page: Page,
): Promise<BatchTable[] | null> {
  const lots = connection.selectFrom('batches').selectAll()
  const all = filters.positiveOnly ? lots.where(hasPieces) : lots
  if (!namesAnything(filters)) return readPage(connection, all.where('customer_id', '=', customerId), page)
  const named = await variantsNamed(connection, customerId, filters)
  if (named === null || named.length === 0) return named && []
  // The query needs no condition on the customer, because the ids are those of variants of this customer. With such a
  // condition SQLite would read all lots of the customer.
  const ids = named.map(({ id }) => id)
  return readPage(connection, all.where('variant_id', 'in', ids), page)
}

/**
 * Visits the next lots of the customer after a position, in the order of the list (see `visitRows`). Use this function
 * for filters that match many variants.
 */
export async function visitBatches(
  connection: Connection,
  customerId: string,
  { filters, page, after }: { filters: BatchFilters; page: Page; after: RowPlace | null },
): Promise<Visited> {
  const ofCustomer = connection.selectFrom('batches').where('customer_id', '=', customerId)
  const all = filters.positiveOnly ? ofCustomer.where(hasPieces) : ofCustomer
  // the condition is a subquery for each lot, because a join could begin with all variants that match the filter
  const isNamed = sql<boolean>`batches.variant_id = (
    select id from variants where variants.id = batches.variant_id and ${bearsWithoutIndex(filters)})`
  return visitRows(all, (lots) => lots.where(isNamed), { page, after })
}

/** Returns the lots with these ids, in the order of the ids. */
export function batchesInOrder(connection: Connection, ids: readonly string[]): Promise<BatchTable[]> {
  return readInOrder(connection.selectFrom('batches').selectAll(), ids)
}

export async function findBatch(
  connection: Connection,
  customerId: string,
  id: string,
): Promise<BatchTable | null> {
  const row = await connection
    .selectFrom('batches')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** A filter for the lots of a variant. A field with null restricts nothing. */
export interface LotFilter {
  readonly variantId: string
  readonly locationId: string | null
  /** Only lots with this expiry date (YYYY-MM-DD). */
  readonly expirationDate: string | null
  readonly pickableOnly: boolean
  readonly outsideQuarantine: boolean
  /** Only lots that do not expire before this day (YYYY-MM-DD). */
  readonly freshOn: string | null
}

/** Matches any lot of the variant, at any location. */
export function anyLot(variantId: string): LotFilter {
  return {
    variantId,
    locationId: null,
    expirationDate: null,
    pickableOnly: false,
    outsideQuarantine: false,
    freshOn: null,
  }
}

/**
 * Matches the lots from which orders are picked: at pickable locations outside quarantine, without lots that expire
 * before the day `freshOn` (null: with these lots).
 */
export function pickableLots(variantId: string, freshOn: string | null): LotFilter {
  return { ...anyLot(variantId), pickableOnly: true, outsideQuarantine: true, freshOn }
}

/**
 * Returns the first `limit` lots with pieces that match the filter, in the order in which pieces are taken: by expiry
 * date, then by age, the oldest first. Lots without an expiry date are last. They are read separately, because one
 * query for all lots would sort all lots of the variant.
 */
export async function lotsToTake(
  connection: Connection,
  filter: LotFilter,
  limit: number,
): Promise<BatchTable[]> {
  const dated = await lotsInOrder(connection, filter, 'dated', 'asc', limit)
  if (filter.expirationDate !== null || dated.length === limit) return dated
  return [...dated, ...(await lotsInOrder(connection, filter, 'undated', 'asc', limit - dated.length))]
}

/** Returns the lot that is the last one in the order of `lotsToTake`. Null: no lot with pieces matches the filter. */
export async function lastLotToTake(connection: Connection, filter: LotFilter): Promise<BatchTable | null> {
  const last = (dates: 'dated' | 'undated'): Promise<BatchTable[]> =>
    lotsInOrder(connection, filter, dates, 'desc', 1)
  const undated = filter.expirationDate === null ? await last('undated') : []
  return undated[0] ?? (await last('dated'))[0] ?? null
}

function lotsInOrder(
  connection: Connection,
  { variantId, locationId, expirationDate, freshOn, pickableOnly, outsideQuarantine }: LotFilter,
  dates: 'dated' | 'undated',
  direction: 'asc' | 'desc',
  limit: number,
): Promise<BatchTable[]> {
  let query = connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .selectAll('batches')
    .where('variant_id', '=', variantId)
    .where(hasPieces)
  if (locationId !== null) query = query.where('location_id', '=', locationId)
  if (pickableOnly) query = query.where('locations.pickable', '=', 1)
  if (outsideQuarantine) query = query.where(isOutsideQuarantine)
  if (dates === 'undated') query = query.where('expiration_date', 'is', null)
  else query = query.where('expiration_date', 'is not', null).orderBy('expiration_date', direction)
  if (expirationDate !== null) query = query.where('expiration_date', '=', expirationDate)
  if (dates === 'dated' && freshOn !== null) query = query.where('expiration_date', '>=', freshOn)
  return query
    .orderBy('batches.created_at', direction)
    .orderBy('batches.id', direction)
    .limit(limit)
    .execute()
}

/** Returns the newest lot with the same variant, location, inbound and expiry date. Null: there is none. */
export async function lotLike(
  connection: Connection,
  like: Pick<BatchTable, 'variant_id' | 'location_id' | 'expiration_date' | 'inbound_id'>,
): Promise<BatchTable | null> {
  const row = await connection
    .selectFrom('batches')
    .selectAll()
    .where('variant_id', '=', like.variant_id)
    .where('location_id', '=', like.location_id)
    .where('expiration_date', 'is not distinct from', like.expiration_date)
    .where('inbound_id', 'is not distinct from', like.inbound_id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Returns a lot of any customer by its id. Null: it does not exist. */
export async function findAnyBatch(connection: Connection, id: string): Promise<BatchTable | null> {
  const row = await connection.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Filters of lots of any customer. A lot must match all fields; a field with null restricts nothing. */
export interface AnyBatchFilter {
  readonly customerId: string | null
  readonly variantId: string | null
  readonly articleCode: string | null
  readonly locationId: string | null
  /** Whether empty lots are left out. */
  readonly positiveOnly: boolean
}

/** A lot with the names of its variant and its location. */
export interface PlacedBatch extends BatchTable {
  readonly article_code: string
  readonly variant_name: string
  readonly expirable: Flag
  readonly using_serial_numbers: Flag
  readonly location_code: string
}

/**
 * Returns at most `limit` lots that match the filter, sorted by id, from the first id after `after` on (null: from the
 * first lot).
 */
export async function batchesAfter(
  connection: Connection,
  filter: AnyBatchFilter,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<PlacedBatch[]> {
  let query = connection
    .selectFrom('batches')
    .innerJoin('variants', 'variants.id', 'batches.variant_id')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .selectAll('batches')
    .select([
      'variants.article_code',
      'variants.name as variant_name',
      'variants.expirable',
      'variants.using_serial_numbers',
      'locations.code as location_code',
    ])
  const { customerId, variantId, articleCode, locationId } = filter
  if (variantId !== null) query = query.where('batches.variant_id', '=', variantId)
  // if an article code is given, the customer is a condition on the variants only: with a condition on
  // `batches.customer_id`, SQLite would read all lots of the customer
  if (articleCode !== null)
    query = query.where('batches.variant_id', 'in', (from) => {
      const named = from
        .selectFrom('variants as named')
        .select('named.id')
        .where('named.article_code', '=', articleCode)
        .where('named.deleted_at', 'is', null)
      // if no customer is given, the query names the ids of all customers, because it uses the index of article codes,
      // which begins with the customer
      return customerId === null
        ? named.where('named.customer_id', 'in', (all) => all.selectFrom('customers').select('customers.id'))
        : named.where('named.customer_id', '=', customerId)
    })
  else if (customerId !== null) query = query.where('batches.customer_id', '=', customerId)
  if (locationId !== null) query = query.where('batches.location_id', '=', locationId)
  if (filter.positiveOnly) query = query.where(hasPieces)
  if (after !== null) query = query.where('batches.id', '>', after)
  return query.orderBy('batches.id').limit(limit).execute()
}
