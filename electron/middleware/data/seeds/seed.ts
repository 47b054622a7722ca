import { type RawBuilder, sql } from 'kysely'
import {
  changeableOrderStatuses,
  openOrderStatuses,
  reservingOrderStatuses,
} from '#shared/domain/resource-states.ts'
import type { World } from '../../warehouse/world.ts'
import { type Connection, type Database, entriesOf, inTransaction } from '../engine/database.ts'
import { readWmsCode, writeWmsCode } from '../engine/meta.ts'
import type { WarehouseWorkTable } from '../schema/warehouse.ts'
import { seedGoods } from './seed-goods.ts'
import { seedMoves } from './seed-moves.ts'
import { seedOrders, seedShipments } from './seed-orders.ts'
import { flag, insertAll, storedTime } from './seed-rows.ts'

/**
 * Stores the records of a world (the initial data) in an empty database, in one transaction. `passwordHashes`: the
 * hashes by user id. Returns false, without a change, if the database was seeded before.
 */
export async function seedWorld(
  database: Database,
  world: World,
  passwordHashes: ReadonlyMap<string, string>,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    if ((await readWmsCode(transaction)) !== null) return false
    await writeWmsCode(transaction, world.wmsCode)
    await seedCustomers(transaction, world)
    await seedUsers(transaction, world, passwordHashes)
    await seedGoods(transaction, world)
    await seedMoves(transaction, world)
    await seedOrders(transaction, world)
    await seedShipments(transaction, world)
    await openLedger(transaction)
    await openSerials(transaction)
    await openWork(transaction)
    await seedExports(transaction, world)
    await seedWebhooks(transaction, world)
    return true
  })
}

async function seedCustomers(connection: Connection, { shippingMethods, customers }: World): Promise<void> {
  await insertAll(
    connection,
    'shipping_methods',
    shippingMethods.map((method) => ({
      id: method.id,
      code: method.code,
      description: method.description,
      shipper: method.shipper,
      shipper_code: method.shipperCode,
      shipping_software: method.shippingSoftware,
      administration_code: method.administrationCode,
      carrier: method.carrier,
      supports_return_labels: flag(method.supportsReturnLabels),
      label_layout: method.labelLayout,
      created_at: storedTime(method.createdAt),
      modified_at: storedTime(method.createdAt),
    })),
  )
  await insertAll(
    connection,
    'customers',
    customers.map((customer) => ({
      id: customer.id,
      code: customer.code,
      name: customer.name,
      return_shipping_method_id: customer.returnShippingMethodId,
      return_address: JSON.stringify(customer.returnAddress),
      created_at: storedTime(customer.createdAt),
      modified_at: storedTime(customer.createdAt),
    })),
  )
}

/** Stores users. Throws if a user has no password hash. */
async function seedUsers(
  connection: Connection,
  { users }: World,
  passwordHashes: ReadonlyMap<string, string>,
): Promise<void> {
  await insertAll(
    connection,
    'users',
    users.map((user) => {
      const hash = passwordHashes.get(user.id)
      if (hash === undefined) throw new Error(`No password hash for user ${user.id}`)
      return {
        id: user.id,
        username: user.username,
        password_hash: hash,
        user_type: user.isWarehouse === true ? 'warehouse' : 'api',
        roles: JSON.stringify(user.roles),
        transfers_granted: flag(user.transfersGranted === true),
      }
    }),
  )
  await insertAll(
    connection,
    'user_customers',
    users.flatMap((user) =>
      user.customerIds.map((customerId) => ({ user_id: user.id, customer_id: customerId })),
    ),
  )
}

async function seedExports(connection: Connection, { exports }: World): Promise<void> {
  await insertAll(
    connection,
    'exports',
    exports.map(({ id, customerId, family, type, status, createdAt }) => ({
      id,
      customer_id: customerId,
      family,
      type,
      filters: JSON.stringify({ search: null, from: null, to: null }),
      fields: JSON.stringify([]),
      status,
      created_at: storedTime(createdAt),
      modified_at: storedTime(createdAt),
    })),
  )
}

async function seedWebhooks(connection: Connection, { webhooks }: World): Promise<void> {
  await insertAll(
    connection,
    'webhooks',
    webhooks.map(({ id, customerId, url, group, action, hashSecret, createdAt }) => ({
      id,
      customer_id: customerId,
      url,
      topic_group: group,
      topic_action: action,
      hash_secret: hashSecret,
      created_at: storedTime(createdAt),
      modified_at: storedTime(createdAt),
    })),
  )
}

/** Writes the first ledger entries for the lots and orders of a newly seeded database. */
async function openLedger(connection: Connection): Promise<void> {
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
 * In a newly seeded database, marks a serial number of a variant as shipped if more shipments than returns contain it.
 */
export async function openSerials(connection: Connection): Promise<void> {
  await sql`insert into shipped_serials (variant_id, serial, shipment_id)
    with gone as (
      select shipment_lines.variant_id, entry.value as serial, count(*) as times, max(shipment_id) as shipment_id
      from shipment_lines, ${entriesOf(connection, 'shipment_lines.serial_numbers')}
      group by shipment_lines.variant_id, entry.value),
    back as (
      select inbound_lines.variant_id, entry.value as serial, count(*) as times
      from inbound_lines join inbounds on inbounds.id = inbound_lines.inbound_id and inbounds.is_return = 1,
      ${entriesOf(connection, 'inbound_lines.serial_numbers')}
      group by inbound_lines.variant_id, entry.value)
    select gone.variant_id, gone.serial, gone.shipment_id from gone
    left join back on back.variant_id = gone.variant_id and back.serial = gone.serial
    where gone.times > coalesce(back.times, 0)`.execute(connection)
}

/** In a newly seeded database, inserts each resource that the warehouse still has to process into `warehouse_work`. */
async function openWork(connection: Connection): Promise<void> {
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
  connection: Connection,
  kind: WarehouseWorkTable['kind'],
  source: RawBuilder<unknown>,
): Promise<void> {
  await sql`insert into warehouse_work (kind, customer_id, entity_id, created_at)
    select ${kind}, customer_id, id, modified_at ${source} order by created_at, id`.execute(connection)
}
