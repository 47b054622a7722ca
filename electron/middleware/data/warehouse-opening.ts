import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  changeableOrderStatuses,
  openOrderStatuses,
  reservingOrderStatuses,
} from '#shared/domain/resource-states.ts'
import type { Schema } from './schema/schema.ts'
import type { WarehouseWorkTable } from './schema/warehouse.ts'

/** Writes the first entries for the lots and orders of a newly seeded database. */
export async function openLedger(connection: Kysely<Schema>): Promise<void> {
  await sql`insert into stock_entries (variant_id, batch_id, pieces, kind, cause_id, created_at)
    select variant_id, id, quantity, 'opening', inbound_id, created_at from batches where quantity <> 0`.execute(
    connection,
  )
  await sql`insert into reservations (order_id, variant_id, pieces)
    select order_id, variant_id,
      sum(case when orders.status in (${sql.join(reservingOrderStatuses)}) then quantity - processed else 0 end)
    from order_lines join orders on orders.id = order_lines.order_id
    where orders.status in (${sql.join(openOrderStatuses)})
    group by order_id, variant_id`.execute(connection)
  await sql`insert into stock_entries (variant_id, order_id, pieces, kind, cause_id, created_at)
    select reservations.variant_id, order_id, pieces, 'opening', order_id, orders.modified_at from reservations
    join orders on orders.id = reservations.order_id where pieces > 0`.execute(connection)
}

/**
 * Stores serial numbers of a newly seeded database as shipped, if they are in more shipments of their variant than in
 * returns.
 */
export async function openSerials(connection: Kysely<Schema>): Promise<void> {
  await sql`insert into shipped_serials (variant_id, serial, shipment_id)
    with gone as (
      select shipment_lines.variant_id, number.value as serial, count(*) as times, max(shipment_id) as shipment_id
      from shipment_lines, json_each(shipment_lines.serial_numbers) as number
      group by shipment_lines.variant_id, number.value),
    back as (
      select inbound_lines.variant_id, number.value as serial, count(*) as times
      from inbound_lines join inbounds on inbounds.id = inbound_lines.inbound_id and inbounds.is_return = 1,
      json_each(inbound_lines.serial_numbers) as number
      group by inbound_lines.variant_id, number.value)
    select gone.variant_id, gone.serial, gone.shipment_id from gone
    left join back on back.variant_id = gone.variant_id and back.serial = gone.serial
    where gone.times > coalesce(back.times, 0)`.execute(connection)
}

/** Adds all resources that wait for the warehouse in a newly seeded database to its work. */
export async function openWork(connection: Kysely<Schema>): Promise<void> {
  const orders = [...changeableOrderStatuses, 'processing', 'partially_shipped', 'shipment_waiting_for_ewh']
  const inbounds = [
    'announced',
    'process_no_announcement',
    'awaiting_transfer',
    'transfer',
    'processing',
    'on_hold',
  ]
  await add(connection, 'order', sql`from orders where status in (${sql.join(orders)})`)
  await add(connection, 'inbound', sql`from inbounds where status in (${sql.join(inbounds)})`)
  await add(connection, 'modification', sql`from modifications where status = 'created'`)
  await add(connection, 'transfer', sql`from transfers where status in ('requested', 'processing')`)
}

async function add(
  connection: Kysely<Schema>,
  kind: WarehouseWorkTable['kind'],
  source: RawBuilder<unknown>,
): Promise<void> {
  await sql`insert into warehouse_work (kind, customer_id, entity_id, created_at)
    select ${kind}, customer_id, id, modified_at ${source} order by created_at, id`.execute(connection)
}
