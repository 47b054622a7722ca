import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NewShipment } from '#middleware/services/warehouse/port.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallOrders } from '#support/small-orders.ts'
import { makeSmallWorld } from '#support/small-world.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

let bench: WarehouseBench
beforeEach(async () => {
  bench = await startWarehouseBench()
})
afterEach(() => bench.close())

const rows = (query: string): Promise<Record<string, unknown>[]> => bench.rows(query)
const standing = smallOrders.byStatus

describe('a serial number in the warehouse', () => {
  const red = smallGoods.shirtRed
  const leaving = (serials: readonly string[]): NewShipment => ({
    lines: serials.map((serial) => ({
      variantId: red,
      quantity: 1,
      serialNumbers: [serial],
      locationId: null,
    })),
    shippingMethodId: null,
    labels: [],
    externalReference: null,
  })

  async function received(serials: readonly string[], isReturn: boolean): Promise<void> {
    const lines = [{ variantId: red, quantity: serials.length }]
    const of = { customerId: bench.alder.id, externalReference: null, isReturn, note: null }
    const { id } = await bench.port.arrive({ ...of, lines })
    await bench.port.moveInbound(id, 'processing')
    const at = { variantId: red, locationId: smallGoods.shelf, expirationDate: null, quantity: 1 }
    const counted = serials.map((serial) => ({ ...at, serialNumbers: [serial] }))
    await bench.port.receive(id, { lines: counted, complete: true })
  }

  /** Moves an existing order of one red shirt to the status processing. Returns its id. */
  async function picked(): Promise<string> {
    const id = standing('plannable')
    await bench.port.moveOrder(id, 'planned')
    await bench.port.moveOrder(id, 'processing')
    return id
  }

  it('is shipped once, and a second shipment with it is refused and changes nothing', async () => {
    await bench.port.shipOrder(standing('processing'), leaving(['SN-77']))
    const id = await picked()
    const before = await rows('select * from stock_entries')
    await expect(bench.port.shipOrder(id, leaving(['SN-77']))).rejects.toMatchObject({
      kind: 'invalid',
      fields: { 'lines.0.serial_numbers': ['Shipped before and not received since: SN-77.'] },
    })
    expect(await rows('select * from stock_entries')).toEqual(before)
    await bench.port.shipOrder(id, leaving(['SN-78']))
  })

  it('is accepted only once in a shipment', async () => {
    await bench.context.database.updateTable('order_lines').set({ quantity: 2 }).execute()
    const id = standing('processing')
    await expect(bench.port.shipOrder(id, leaving(['SN-77', 'SN-77']))).rejects.toMatchObject({
      kind: 'invalid',
      fields: { 'lines.1.serial_numbers': ['Shipped before and not received since: SN-77.'] },
    })
    await bench.port.shipOrder(id, leaving(['SN-77', 'SN-78']))
  })

  it.each([true, false])(
    'may be shipped again after an inbound brought it back, whether this is a return or not: %s',
    async (isReturn) => {
      await bench.port.shipOrder(standing('processing'), leaving(['SN-77']))
      await received(['SN-77', 'SN-90'], isReturn)
      const id = await picked()
      await bench.port.shipOrder(id, leaving(['SN-77']))
      expect(await rows("select serial from shipped_serials where serial like 'SN-77'")).toHaveLength(1)
    },
  )

  it('counts as shipped if a shipment of the seeded data contains it', async () => {
    const shipped = makeSmallWorld().shipments.flatMap(({ lines }) =>
      lines.flatMap(({ serialNumbers }) => serialNumbers),
    )
    await expect(rows('select serial from shipped_serials order by 1')).resolves.toEqual(
      shipped.toSorted().map((serial) => ({ serial })),
    )
  })

  it('is refused if an inbound contains it twice', async () => {
    await expect(received(['SN-77', 'SN-77'], true)).rejects.toMatchObject({
      kind: 'invalid',
      fields: { 'lines.1.serial_numbers': ['Received with this inbound already: SN-77.'] },
    })
    await received(['SN-77', 'SN-78'], true)
  })
})
