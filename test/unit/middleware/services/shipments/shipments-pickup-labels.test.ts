import { describe, expect, it } from 'vitest'
import { findCustomers } from '#middleware/data/access/accounts.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { readAddress } from '#middleware/data/engine/stored-json.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { findShipment } from '#middleware/data/shipments/shipments.ts'
import { ensurePickupLabel } from '#middleware/services/shipments/shipments.ts'
import { testClock } from '#support/middleware-server.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'

describe('a pickup label for a shipment that was read before a redaction', () => {
  it('is drawn without the redacted person', async () => {
    const database = openSqliteDatabase(':memory:')
    const world = makeSmallWorld()
    await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'hash'])))
    const [customer] = await findCustomers(database, [smallIds.alder])
    const shipment = await findShipment(database, smallIds.alder, smallIds.shipments[0] ?? '')
    if (customer === undefined || shipment === null) throw new Error('The small world has a shipment')
    const redacted = { ...readAddress(shipment.shipping_address), addressedTo: '-redacted-' }
    await database
      .updateTable('shipments')
      .set({ shipping_address: JSON.stringify(redacted) })
      .where('id', '=', shipment.id)
      .execute()
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
    // this shipment was read before the redaction, and its label is created after the redaction
    const late = await bytesOf(shipment)
    const anew = await bytesOf({ ...shipment, shipping_address: JSON.stringify(redacted) })
    expect(Buffer.from(late).equals(anew)).toBe(true)
    await database.destroy()
  })
})
