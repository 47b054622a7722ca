import type { World } from '../../warehouse/world.ts'
import type { Connection, Database } from '../engine/database.ts'
import { readWmsCode, writeWmsCode } from '../engine/meta.ts'
import { openLedger, openSerials, openWork } from '../warehouse-opening.ts'
import { seedGoods } from './seed-goods.ts'
import { seedMoves } from './seed-moves.ts'
import { seedOrders, seedShipments } from './seed-orders.ts'
import { flag, insertAll, storedTime } from './seed-rows.ts'

/**
 * Stores a world in an empty database, in one transaction. `passwordHashes`: by user id. Returns false, without a
 * change, if the database was seeded before.
 */
export async function seedWorld(
  database: Database,
  world: World,
  passwordHashes: ReadonlyMap<string, string>,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
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

/** Throws if a user has no password hash. */
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
