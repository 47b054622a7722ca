import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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

  /** Returns how often JSON with the serial number SN-201 was parsed or written during `work`. */
  async function uses(work: () => Promise<unknown>): Promise<{ parsed: number; written: number }> {
    const parse = vi.spyOn(JSON, 'parse')
    const stringify = vi.spyOn(JSON, 'stringify')
    try {
      await work()
      const parsed = parse.mock.calls.filter(([text]) => text.startsWith('["SN-201"'))
      const written = stringify.mock.calls.filter(([value]) => Array.isArray(value) && value[0] === 'SN-201')
      return { parsed: parsed.length, written: written.length }
    } finally {
      parse.mockRestore()
      stringify.mockRestore()
    }
  }

  it('is parsed and written once for a receipt, not for each line of the receipt', async () => {
    const of = { customerId: bench.alder.id, externalReference: null, isReturn: false, note: null }
    const { id } = await bench.port.arrive({ ...of, lines: [{ variantId: red, quantity: 9 }] })
    await bench.port.moveInbound(id, 'processing')
    const at = { variantId: red, locationId: smallGoods.shelf, expirationDate: null, quantity: 1 }
    const counted = (serials: readonly string[]): Promise<void> =>
      bench.port.receive(id, {
        lines: serials.map((serial) => ({ ...at, serialNumbers: [serial] })),
        complete: false,
      })
    await counted(['SN-201'])
    const used = await uses(() => counted(['SN-202', 'SN-203', 'SN-204', 'SN-205']))
    expect(used).toEqual({ parsed: 1, written: 1 })
    expect(
      await rows(`select processed, serial_numbers from inbound_lines where inbound_id = '${id}'`),
    ).toEqual([{ processed: 5, serial_numbers: '["SN-201","SN-202","SN-203","SN-204","SN-205"]' }])
  })

  it('is written to the order once per shipment, not once per line of the shipment', async () => {
    await bench.context.database.updateTable('order_lines').set({ quantity: 3 }).execute()
    const id = standing('processing')
    const used = await uses(() => bench.port.shipOrder(id, leaving(['SN-201', 'SN-202', 'SN-203'])))
    // the serial number is written twice: to the order, and to its line of the shipment
    expect(used).toEqual({ parsed: 0, written: 2 })
    expect(await rows(`select serial_numbers from order_lines where order_id = '${id}'`)).toEqual([
      { serial_numbers: '["SN-201","SN-202","SN-203"]' },
    ])
  })
})

describe('an inbound or order with 199,999 serial numbers', () => {
  const at = { variantId: smallGoods.shirtRed, locationId: smallGoods.shelf, expirationDate: null }
  const tooMany = {
    kind: 'invalid',
    fields: { lines: ['An inbound or order has at most 200000 serial numbers.'] },
  }
  const stored = JSON.stringify(Array.from({ length: 199_999 }, (_, number) => `SN-${number}`))
  const line = (...serialNumbers: string[]) => ({ ...at, quantity: serialNumbers.length, serialNumbers })

  it('accepts one more in a receipt and no second one, and can be completed', async () => {
    const of = { customerId: bench.alder.id, externalReference: null, isReturn: false, note: null }
    const { id } = await bench.port.arrive({ ...of, lines: [{ variantId: at.variantId, quantity: 1 }] })
    await bench.port.moveInbound(id, 'processing')
    const { database } = bench.context
    await database
      .updateTable('inbound_lines')
      .set({ serial_numbers: stored })
      .where('inbound_id', '=', id)
      .execute()
    const receive = (...serials: string[]): Promise<void> =>
      bench.port.receive(id, { lines: [line(...serials)], complete: false })
    await expect(receive('SN-A', 'SN-B')).rejects.toMatchObject(tooMany)
    await receive('SN-A')
    await expect(receive('SN-B')).rejects.toMatchObject(tooMany)
    await bench.port.receive(id, { lines: [], complete: true })
  })

  it('accepts one more in a shipment and no second one', async () => {
    const id = standing('processing')
    const { database } = bench.context
    const set = { quantity: 2, serial_numbers: stored }
    await database.updateTable('order_lines').set(set).where('order_id', '=', id).execute()
    const ship = (...serials: string[]): Promise<unknown> =>
      bench.port.shipOrder(id, {
        ...{ shippingMethodId: null, labels: [], externalReference: null },
        lines: [line(...serials)],
      })
    await expect(ship('SN-A', 'SN-B')).rejects.toMatchObject(tooMany)
    await ship('SN-A')
    await expect(ship('SN-B')).rejects.toMatchObject(tooMany)
  })
})

describe('a receipt for an inbound of 130,000 lines', () => {
  it('adds a line for a variant that was not announced', async () => {
    const { shirtRed, shirtBlue, shelf } = smallGoods
    const of = { customerId: bench.alder.id, externalReference: null, isReturn: false, note: null }
    const { id } = await bench.port.arrive({ ...of, lines: [{ variantId: shirtRed, quantity: 1 }] })
    await bench.port.moveInbound(id, 'processing')
    await sql`insert into inbound_lines (inbound_id, position, variant_id, quantity, serial_numbers, meta_data)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 129999)
      select ${id}, n, ${shirtRed}, 1, '[]', '{}' from numbers`.execute(bench.context.database)
    const at = { locationId: shelf, expirationDate: null }
    const line = { ...at, variantId: shirtBlue, quantity: 1, serialNumbers: ['SN-201'] }
    await bench.port.receive(id, { lines: [line], complete: false })
    const added = `select position from inbound_lines where inbound_id = '${id}' and variant_id = '${shirtBlue}'`
    expect(await rows(added)).toEqual([{ position: 130_000 }])
  })
})
