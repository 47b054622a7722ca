import { describe, expect, it } from 'vitest'
import { findCustomers } from '#middleware/data/access/accounts.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { readAddress, readTracking } from '#middleware/data/engine/stored-json.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { findShipment } from '#middleware/data/shipments/shipments.ts'
import { ensurePickupLabel } from '#middleware/services/shipments/shipments.ts'
import type { ShipmentTable } from '#middleware/data/schema/orders.ts'
import { testClock } from '#support/middleware-server.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

/** Returns the columns of a shipment that the test changes, with their new values. */
type Change = (shipment: ShipmentTable) => Partial<ShipmentTable>

describe('a pickup label for a shipment that has changed since it was read', () => {
  it.each<[string, Change]>([
    [
      'is drawn without the person who was redacted',
      ({ shipping_address: address }) => ({
        shipping_address: JSON.stringify({ ...readAddress(address), addressedTo: '-redacted-' }),
      }),
    ],
    [
      'is drawn with the new tracking code',
      ({ labels }) => ({
        labels: JSON.stringify(
          readTracking(labels).map((parcel) => ({ ...parcel, trackingCode: '3SNEW00042' })),
        ),
      }),
    ],
  ])('%s', async (_, change) => {
    const database = openSqliteDatabase(':memory:')
    const world = makeSmallWorld()
    await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'hash'])))
    const [customer] = await findCustomers(database, [smallIds.alder])
    const shipment = await findShipment(database, smallIds.alder, smallIds.shipments[0] ?? '')
    if (customer === undefined || shipment === null) throw new Error('The small world has a shipment')
    const context = { database, clock: testClock(), sandbox: true }
    const bytesOf = async (row: typeof shipment): Promise<Uint8Array> => {
      const label = await ensurePickupLabel(context, customer, row)
      const { content } = await database
        .selectFrom('documents')
        .select('content')
        .where('id', '=', label?.id ?? '')
        .executeTakeFirstOrThrow()
      await database.deleteFrom('shipment_documents').execute()
      return content
    }
    const before = await bytesOf(shipment)
    const changed = change(shipment)
    await database.updateTable('shipments').set(changed).where('id', '=', shipment.id).execute()
    // this shipment was read before the change, and its label is created after the change
    const late = await bytesOf(shipment)
    const drawnAgain = await bytesOf({ ...shipment, ...changed })
    expect(Buffer.from(late).equals(drawnAgain)).toBe(true)
    expect(Buffer.from(late).equals(before)).toBe(false)
    await database.destroy()
  })
})
