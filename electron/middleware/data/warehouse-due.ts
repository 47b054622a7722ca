import { sql } from 'kysely'
import type { InboundStatus, OrderStatus, TransferStatus } from '#shared/domain/resource-states.ts'
import type { Connection } from './engine/database.ts'
import type { BatchTable, LocationTable } from './schema/goods.ts'
import type { InboundTable, ModificationTable, TransferTable } from './schema/moves.ts'
import type { OrderTable, ShipmentTable } from './schema/orders.ts'

/**
 * Reads the records that the simulated warehouse processes. They are of all customers, the least recently changed
 * first, and at most `limit`.
 */

export async function ordersIn(
  connection: Connection,
  statuses: readonly OrderStatus[],
  limit: number,
): Promise<OrderTable[]> {
  return connection
    .selectFrom('orders')
    .selectAll()
    .where('status', 'in', statuses)
    .orderBy('modified_at')
    .orderBy('reference')
    .limit(limit)
    .execute()
}

/**
 * Returns orders that may wait for a long time: a page by id from `after`, so that every order has its turn. Within the
 * page the oldest is first.
 */
export async function waitingOrders(
  connection: Connection,
  statuses: readonly OrderStatus[],
  after: string,
  limit: number,
): Promise<{ orders: OrderTable[]; next: string }> {
  const orders = await connection
    .selectFrom('orders')
    .selectAll()
    .where('status', 'in', statuses)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const next = orders.length < limit ? '' : (orders.at(-1)?.id ?? '')
  const age = ({ created_at, reference }: OrderTable): string => `${created_at} ${reference}`
  return { orders: orders.toSorted((one, other) => (age(one) < age(other) ? -1 : 1)), next }
}

export async function inboundsIn(
  connection: Connection,
  statuses: readonly InboundStatus[],
  limit: number,
): Promise<InboundTable[]> {
  return connection
    .selectFrom('inbounds')
    .selectAll()
    .where('status', 'in', statuses)
    .orderBy('modified_at')
    .orderBy('reference')
    .orderBy('id')
    .limit(limit)
    .execute()
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
  return connection
    .selectFrom('transfers')
    .selectAll()
    .where('status', 'in', statuses)
    .orderBy('modified_at')
    .orderBy('serial')
    .limit(limit)
    .execute()
}

/** Returns received lots that are not put away yet: at `DOCK…` and `RET…` locations, which are not pickable. */
export async function lotsToPutAway(connection: Connection, limit: number): Promise<BatchTable[]> {
  return connection
    .selectFrom('batches')
    .innerJoin('locations', 'locations.id', 'batches.location_id')
    .selectAll('batches')
    .where('quantity', '>', 0)
    .where('locations.pickable', '=', 0)
    .where((row) => row.or([row('locations.code', 'like', 'DOCK%'), row('locations.code', 'like', 'RET%')]))
    .orderBy('batches.created_at')
    .orderBy('batches.id')
    .limit(limit)
    .execute()
}

/** Returns shipments of orders without tracking data. */
export async function untrackedShipments(connection: Connection, limit: number): Promise<ShipmentTable[]> {
  return (
    connection
      .selectFrom('shipments')
      .selectAll()
      .where('order_id', 'is not', null)
      // literal, as in the partial index of these shipments
      .where(sql<boolean>`labels = '[]'`)
      .orderBy('created_at')
      .orderBy('reference')
      .limit(limit)
      .execute()
  )
}

/** A shipment's place in the order of their age. */
export type ShipmentPlace = Pick<ShipmentTable, 'created_at' | 'reference'>

/** Returns the next shipments that are older than a place, the newest first. Null: the newest of all. */
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

/** Returns those of the shipments that have lines and were not returned yet: no return has their reference. */
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
            // literal, as in the partial index of returns
            .where(sql<boolean>`is_return = 1`),
        ),
      ),
    )
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns the customer's shipment with that reference. */
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
 * Returns the pieces of each variant outside quarantine. `pickableOn`: only pieces that can be picked for an order on
 * that day.
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
    .where('locations.code', 'not like', 'QUAR%')
  if (pickableOn !== null)
    query = query
      .where('locations.pickable', '=', 1)
      .where((row) => row.or([row('expiration_date', 'is', null), row('expiration_date', '>=', pickableOn)]))
  const rows = await query.groupBy('variant_id').execute()
  return new Map(rows.map((row) => [row.variant_id, row.pieces]))
}

/** Returns the pieces of each variant that orders in those statuses have reserved, except those of one order. */
export async function piecesPromised(
  connection: Connection,
  variantIds: readonly string[],
  statuses: readonly OrderStatus[],
  exceptOrderId: string,
): Promise<Map<string, number>> {
  const rows = await connection
    .selectFrom('reservations')
    .innerJoin('orders', 'orders.id', 'reservations.order_id')
    .select(['variant_id', sql<number>`sum(pieces)`.as('pieces')])
    .where('variant_id', 'in', variantIds)
    .where('orders.status', 'in', statuses)
    .where('orders.id', '<>', exceptOrderId)
    .groupBy('variant_id')
    .execute()
  return new Map(rows.map((row) => [row.variant_id, row.pieces]))
}
