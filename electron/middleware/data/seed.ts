import type { World } from '../warehouse/world.ts'
import type { Database } from './database.ts'
import { maxBoundValues } from './dialect.ts'
import { readWmsCode, writeWmsCode } from './meta.ts'
import { articleRows, batchRows, locationRows, shippingMethodRows, variantRows } from './seed-goods.ts'
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
    for (const rows of portions(batchRows(world)))
      await transaction.insertInto('batches').values(rows).execute()
    for (const rows of portions(shipmentRows(world)))
      await transaction.insertInto('shipments').values(rows).execute()
    for (const rows of portions(shipmentLineRows(world)))
      await transaction.insertInto('shipment_lines').values(rows).execute()
    return true
  })
}

/** Rows in portions that one statement can bind. */
function portions<Row extends object>(rows: readonly Row[]): Row[][] {
  const columns = Object.keys(rows[0] ?? {}).length
  const atOnce = Math.max(1, Math.floor(maxBoundValues / Math.max(1, columns)))
  const count = Math.ceil(rows.length / atOnce)
  return Array.from({ length: count }, (_, index) => rows.slice(index * atOnce, (index + 1) * atOnce))
}
