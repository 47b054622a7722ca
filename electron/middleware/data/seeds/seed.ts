import type { World } from '../../warehouse/world.ts'
import { startSerialAfter } from '../engine/counters.ts'
import type { Connection, Database } from '../engine/database.ts'
import { readWmsCode, writeWmsCode } from '../engine/meta.ts'
import { openLedger, openSerials, openWork } from '../warehouse-opening.ts'
import { portions } from '../engine/portions.ts'
import { articleRows, locationRows, locationTypeRows, shippingMethodRows, variantRows } from './seed-goods.ts'
import { seedClients } from './seed-clients.ts'
import { seedMoves } from './seed-moves.ts'
import { seedOrders } from './seed-orders.ts'
import {
  batchRows,
  inboundLineRows,
  inboundRows,
  modificationLineRows,
  modificationRows,
} from './seed-stock.ts'
import { customerRows, shipmentLineRows, shipmentRows, userCustomerRows, userRows } from './seed-rows.ts'

/**
 * Stores a world in a database that holds none yet, in one transaction.
 * `passwordHashes`: by user id. Answers false, changing nothing, when the database was seeded before.
 */
export async function seedWorld(
  database: Database,
  world: World,
  passwordHashes: ReadonlyMap<string, string>,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    if ((await readWmsCode(transaction)) !== null) return false
    await writeWmsCode(transaction, world.wmsCode)
    for (const rows of portions(shippingMethodRows(world)))
      await transaction.insertInto('shipping_methods').values(rows).execute()
    for (const rows of portions(customerRows(world)))
      await transaction.insertInto('customers').values(rows).execute()
    for (const rows of portions(userRows(world, passwordHashes)))
      await transaction.insertInto('users').values(rows).execute()
    for (const rows of portions(userCustomerRows(world)))
      await transaction.insertInto('user_customers').values(rows).execute()
    for (const rows of portions(articleRows(world)))
      await transaction.insertInto('articles').values(rows).execute()
    for (const rows of portions(variantRows(world)))
      await transaction.insertInto('variants').values(rows).execute()
    for (const rows of portions(locationRows(world)))
      await transaction.insertInto('locations').values(rows).execute()
    for (const rows of portions(locationTypeRows(world)))
      await transaction.insertInto('location_types').values(rows).execute()
    await seedStock(transaction, world)
    await seedMoves(transaction, world)
    await seedOrders(transaction, world)
    for (const rows of portions(shipmentRows(world)))
      await transaction.insertInto('shipments').values(rows).execute()
    for (const rows of portions(shipmentLineRows(world)))
      await transaction.insertInto('shipment_lines').values(rows).execute()
    const shipped = world.shipments.map(({ reference }) => Number(reference.slice(3)))
    await startSerialAfter(transaction, 'shipment', Math.max(0, ...shipped))
    await openLedger(transaction)
    await openSerials(transaction)
    await openWork(transaction)
    await seedClients(transaction, world)
    return true
  })
}

async function seedStock(connection: Connection, world: World): Promise<void> {
  for (const rows of portions(inboundRows(world)))
    await connection.insertInto('inbounds').values(rows).execute()
  for (const rows of portions(inboundLineRows(world)))
    await connection.insertInto('inbound_lines').values(rows).execute()
  for (const rows of portions(batchRows(world))) await connection.insertInto('batches').values(rows).execute()
  for (const rows of portions(modificationRows(world)))
    await connection.insertInto('modifications').values(rows).execute()
  for (const rows of portions(modificationLineRows(world)))
    await connection.insertInto('modification_lines').values(rows).execute()
  const last = Math.max(0, ...world.modifications.map(({ reference }) => Number(reference.slice(3))))
  await startSerialAfter(connection, 'modification', last)
}
