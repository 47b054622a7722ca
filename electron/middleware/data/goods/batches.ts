import type { Connection } from '../engine/database.ts'
import { type Page, paged } from '../engine/paging.ts'
import type { BatchTable } from '../schema/goods.ts'
import { bears, type Identifiers, namesAnything } from './variants.ts'

export interface BatchFilters extends Identifiers {
  /** Leaves out lots of which nothing is left. */
  readonly positiveOnly: boolean
}

export async function listBatches(
  connection: Connection,
  customerId: string,
  filters: BatchFilters,
  page: Page,
): Promise<BatchTable[]> {
  const all = connection.selectFrom('batches').selectAll()
  // Narrowed by the customer's variants alone: with its own customer_id named as well, SQLite would walk all of them.
  const wanted = namesAnything(filters)
    ? all.where('variant_id', 'in', (from) =>
        from.selectFrom('variants').select('id').where('customer_id', '=', customerId).where(bears(filters)),
      )
    : all.where('customer_id', '=', customerId)
  return paged(filters.positiveOnly ? wanted.where('quantity', '>', 0) : wanted, page).execute()
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

/** Which lots of a variant are meant; null: those of any. */
export interface LotFilter {
  readonly variantId: string
  readonly locationId: string | null
  /** YYYY-MM-DD. */
  readonly expirationDate: string | null
  readonly pickableOnly: boolean
  readonly outsideQuarantine: boolean
  /** Leaves out what expired before that day (YYYY-MM-DD). */
  readonly freshOn: string | null
}

/** Lots with pieces in the order they are taken from: the earliest to expire first, then the oldest. */
export async function lotsToTake(connection: Connection, filter: LotFilter): Promise<BatchTable[]> {
  const { locationId, expirationDate, freshOn } = filter
  let query = connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .selectAll('batches')
    .where('variant_id', '=', filter.variantId)
    .where('quantity', '>', 0)
  if (locationId !== null) query = query.where('location_id', '=', locationId)
  if (expirationDate !== null) query = query.where('expiration_date', '=', expirationDate)
  if (filter.pickableOnly) query = query.where('locations.pickable', '=', 1)
  if (filter.outsideQuarantine) query = query.where('locations.code', 'not like', 'QUAR%')
  if (freshOn !== null)
    query = query.where((row) =>
      row.or([row('expiration_date', 'is', null), row('expiration_date', '>=', freshOn)]),
    )
  return query
    .orderBy((row) => row('expiration_date', 'is', null))
    .orderBy('expiration_date')
    .orderBy('batches.created_at')
    .orderBy('batches.id')
    .execute()
}

/** The newest lot of a variant at a location that came with that inbound and expires that day, if there is one. */
export async function lotLike(
  connection: Connection,
  like: Pick<BatchTable, 'variant_id' | 'location_id' | 'expiration_date' | 'inbound_id'>,
): Promise<BatchTable | null> {
  const row = await connection
    .selectFrom('batches')
    .selectAll()
    .where('variant_id', '=', like.variant_id)
    .where('location_id', '=', like.location_id)
    .where('expiration_date', 'is', like.expiration_date)
    .where('inbound_id', 'is', like.inbound_id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Of whatever customer. */
export async function findAnyBatch(connection: Connection, id: string): Promise<BatchTable | null> {
  const row = await connection.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}
