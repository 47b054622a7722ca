import { sql } from 'kysely'
import { isOutsideQuarantine } from './goods/locations.ts'
import type { InboundStatus, OrderStatus, TransferStatus } from '#shared/domain/resource-states.ts'
import type { Connection } from './engine/database.ts'
import type { BatchTable, LocationTable } from './schema/goods.ts'
import type { InboundTable, ModificationTable, TransferTable } from './schema/moves.ts'
import type { OrderTable, ShipmentTable } from './schema/orders.ts'

/**
 * Reads the records that the simulated warehouse processes next. A query with a `limit` returns at most this number of
 * records of all customers together. `ordersIn`, `inboundsIn` and `transfersIn` return the least recently changed
 * first, `undecidedModifications`, `lotsToPutAway` and `untrackedShipments` the oldest first. Each status and each
 * location has a separate query that uses an index; one query for several of them would sort all records that are due.
 */

type SortKey = readonly (string | number)[]

/**
 * Reads the rows of each source, such as a status or a location. Returns the first `limit` of all rows in the order of
 * their keys.
 */
async function firstOf<Source, Row>(
  sources: readonly Source[],
  limit: number,
  read: (source: Source) => Promise<Row[]>,
  keyOf: (row: Row) => SortKey,
): Promise<Row[]> {
  const found: Row[] = []
  for (const source of sources) found.push(...(await read(source)))
  return found.toSorted((one, other) => compareKeys(keyOf(one), keyOf(other))).slice(0, limit)
}

function compareKeys(one: SortKey, other: SortKey): number {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? ''
    if (value !== against) return value < against ? -1 : 1
  }
  return 0
}

/** Returns the rows with the ids of the keys, in the order of the keys. */
function inOrderOf<Row extends { readonly id: string }>(
  keys: readonly { readonly id: string }[],
  rows: readonly Row[],
): Row[] {
  const found = new Map(rows.map((row) => [row.id, row]))
  return keys.flatMap(({ id }) => found.get(id) ?? [])
}

export async function ordersIn(
  connection: Connection,
  statuses: readonly OrderStatus[],
  limit: number,
): Promise<OrderTable[]> {
  const keys = await firstOf(
    statuses,
    limit,
    (status) =>
      connection
        .selectFrom('orders')
        .select(['id', 'modified_at', 'reference'])
        .where('status', '=', status)
        .orderBy('modified_at')
        .orderBy('reference')
        .limit(limit)
        .execute(),
    ({ modified_at, reference }) => [modified_at, reference],
  )
  return inOrderOf(keys, await ordersOf(connection, keys))
}

async function ordersOf(
  connection: Connection,
  keys: readonly { readonly id: string }[],
): Promise<OrderTable[]> {
  if (keys.length === 0) return []
  const ids = keys.map(({ id }) => id)
  return connection.selectFrom('orders').selectAll().where('id', 'in', ids).execute()
}

/**
 * Returns a page of the orders in `statuses`, which must be statuses in which an order can stay for a long time. The
 * page has the first `limit` orders by id with an id after `after`, so that repeated calls reach every order. They are
 * returned sorted by age, the oldest first. `next`: the `after` of the next page; an empty text after the last page, so
 * that the following page is the first one.
 */
export async function waitingOrders(
  connection: Connection,
  statuses: readonly OrderStatus[],
  after: string,
  limit: number,
): Promise<{ orders: OrderTable[]; next: string }> {
  const keys = await firstOf(
    statuses,
    limit,
    (status) =>
      connection
        .selectFrom('orders')
        .select('id')
        .where('status', '=', status)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    ({ id }) => [id],
  )
  const next = keys.length < limit ? '' : (keys.at(-1)?.id ?? '')
  const orders = await ordersOf(connection, keys)
  const age = ({ created_at, reference }: OrderTable): string => `${created_at} ${reference}`
  return { orders: orders.toSorted((one, other) => (age(one) < age(other) ? -1 : 1)), next }
}

export async function inboundsIn(
  connection: Connection,
  statuses: readonly InboundStatus[],
  limit: number,
): Promise<InboundTable[]> {
  const keys = await firstOf(
    statuses,
    limit,
    (status) =>
      connection
        .selectFrom('inbounds')
        .select(['id', 'modified_at', 'reference'])
        .where('status', '=', status)
        .orderBy('modified_at')
        .orderBy('reference')
        .orderBy('id')
        .limit(limit)
        .execute(),
    ({ modified_at, reference, id }) => [modified_at, reference, id],
  )
  if (keys.length === 0) return []
  const ids = keys.map(({ id }) => id)
  const rows = await connection.selectFrom('inbounds').selectAll().where('id', 'in', ids).execute()
  return inOrderOf(keys, rows)
}

export async function undecidedModifications(
  connection: Connection,
  limit: number,
): Promise<ModificationTable[]> {
  return connection
    .selectFrom('modifications')
    .selectAll()
    .where('status', '=', 'created')
    .orderBy('created_at')
    .orderBy('reference')
    .limit(limit)
    .execute()
}

export async function transfersIn(
  connection: Connection,
  statuses: readonly TransferStatus[],
  limit: number,
): Promise<TransferTable[]> {
  return firstOf(
    statuses,
    limit,
    (status) =>
      connection
        .selectFrom('transfers')
        .selectAll()
        .where('status', '=', status)
        .orderBy('modified_at')
        .orderBy('serial')
        .limit(limit)
        .execute(),
    ({ modified_at, serial }) => [modified_at, serial],
  )
}

/**
 * Returns at most `limit` received lots that are not put away yet, the oldest first: lots with pieces at `DOCK…` and
 * `RET…` locations that are not pickable.
 */
export async function lotsToPutAway(connection: Connection, limit: number): Promise<BatchTable[]> {
  const places = await connection
    .selectFrom('locations')
    .select('id')
    .where('pickable', '=', 0)
    .where(sql<boolean>`(upper(code) like 'DOCK%' or upper(code) like 'RET%')`)
    .execute()
  return firstOf(
    places,
    limit,
    (place) => lotsAt(connection, place.id, limit),
    ({ created_at, id }) => [created_at, id],
  )
}

/** Returns the oldest lots with pieces at a location, at most `limit`, the oldest first. */
export function lotsAt(connection: Connection, locationId: string, limit: number): Promise<BatchTable[]> {
  return (
    connection
      .selectFrom('batches')
      .selectAll()
      .where('location_id', '=', locationId)
      // the query contains this condition with a literal, not with a parameter, because SQLite uses a partial index
      // only for a query that repeats the condition of the index
      .where(sql<boolean>`quantity > 0`)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute()
  )
}

/** Returns at most `limit` shipments that belong to an order and have no tracking data, the oldest first. */
export async function untrackedShipments(connection: Connection, limit: number): Promise<ShipmentTable[]> {
  return (
    connection
      .selectFrom('shipments')
      .selectAll()
      .where('order_id', 'is not', null)
      // the query contains this condition with a literal, not with a parameter, because SQLite uses a partial index
      // only for a query that repeats the condition of the index
      .where(sql<boolean>`labels = '[]'`)
      .orderBy('created_at')
      .orderBy('reference')
      .limit(limit)
      .execute()
  )
}

/** The position of a shipment in a list that is sorted by age. */
export type ShipmentPlace = Pick<ShipmentTable, 'created_at' | 'reference'>

/**
 * Returns at most `limit` shipments that are older than the given position, the newest first. Position null: starts
 * with the newest shipment.
 */
export async function olderShipments(
  connection: Connection,
  before: ShipmentPlace | null,
  limit: number,
): Promise<(ShipmentPlace & Pick<ShipmentTable, 'id'>)[]> {
  let query = connection.selectFrom('shipments').select(['id', 'created_at', 'reference'])
  if (before !== null)
    query = query.where(sql<boolean>`(created_at, reference) < (${before.created_at}, ${before.reference})`)
  return query.orderBy('created_at', 'desc').orderBy('reference', 'desc').limit(limit).execute()
}

/**
 * Returns those of the given shipments that have lines and were not returned yet. A shipment was returned if a return
 * has its reference.
 */
export async function returnableShipments(
  connection: Connection,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await connection
    .selectFrom('shipments')
    .select('id')
    .where('id', 'in', ids)
    .where((shipment) =>
      shipment.exists(
        shipment.selectFrom('shipment_lines').select('position').whereRef('shipment_id', '=', 'shipments.id'),
      ),
    )
    .where((shipment) =>
      shipment.not(
        shipment.exists(
          shipment
            .selectFrom('inbounds')
            .select('inbounds.id')
            .whereRef('inbounds.customer_id', '=', 'shipments.customer_id')
            .whereRef('inbounds.external_reference', '=', 'shipments.reference')
            // the query contains this condition with a literal, not with a parameter, because SQLite uses a partial
            // index only for a query that repeats the condition of the index
            .where(sql<boolean>`is_return = 1`),
        ),
      ),
    )
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns the customer's shipment with the given reference. Null: there is none. */
export async function shipmentNamed(
  connection: Connection,
  customerId: string,
  reference: string,
): Promise<ShipmentTable | null> {
  const row = await connection
    .selectFrom('shipments')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('reference', '=', reference)
    .executeTakeFirst()
  return row ?? null
}

/** Returns all locations, sorted by code. */
export async function allLocations(connection: Connection): Promise<LocationTable[]> {
  return connection.selectFrom('locations').selectAll().orderBy('code').execute()
}

/**
 * Returns the number of pieces of each variant outside quarantine. `pickableOn`: counts only pieces that can be picked
 * for an order on this day.
 */
export async function piecesOutsideQuarantine(
  connection: Connection,
  variantIds: readonly string[],
  pickableOn: string | null,
): Promise<Map<string, number>> {
  let query = connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .select(['variant_id', sql<number>`sum(quantity)`.as('pieces')])
    .where('variant_id', 'in', variantIds)
    .where(isOutsideQuarantine)
  if (pickableOn !== null)
    query = query
      .where('locations.pickable', '=', 1)
      .where((row) => row.or([row('expiration_date', 'is', null), row('expiration_date', '>=', pickableOn)]))
  const rows = await query.groupBy('variant_id').execute()
  return new Map(rows.map((row) => [row.variant_id, row.pieces]))
}

/**
 * Returns the number of pieces of each variant that orders in the given statuses have reserved. The order
 * `exceptOrderId` does not count.
 */
export async function piecesPromised(
  connection: Connection,
  variantIds: readonly string[],
  statuses: readonly OrderStatus[],
  exceptOrderId: string,
): Promise<Map<string, number>> {
  const rows = await connection
    .selectFrom('reservations')
    // The query uses a cross join, because SQLite keeps the order of the tables in a cross join. With another join
    // SQLite may read all orders in the given statuses first.
    .crossJoin('orders')
    .select(['variant_id', sql<number>`sum(pieces)`.as('pieces')])
    .whereRef('orders.id', '=', 'reservations.order_id')
    .where('variant_id', 'in', variantIds)
    .where('orders.status', 'in', statuses)
    .where('orders.id', '<>', exceptOrderId)
    .groupBy('variant_id')
    .execute()
  return new Map(rows.map((row) => [row.variant_id, row.pieces]))
}
