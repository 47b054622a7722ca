import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { LeaseLost } from '#middleware/data/engine/coordination.ts'
import { createArticles } from '#middleware/services/goods/articles.ts'
import { createInbound } from '#middleware/services/moves/inbounds.ts'
import { createModification } from '#middleware/services/moves/modifications.ts'
import { createTransfer, requestTransfer } from '#middleware/services/moves/transfers.ts'
import { changeOrder } from '#middleware/services/orders/change-order.ts'
import { createOrder, type NewOrder } from '#middleware/services/orders/create-order.ts'
import { cancelOrder } from '#middleware/services/orders/orders.ts'
import { addOrderDocument } from '#middleware/services/orders/order-documents.ts'
import { polderPost } from '#middleware/warehouse/carriers/carriers.ts'
import type { Receipt, WarehousePort } from '#middleware/services/warehouse/port.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'
import { createSimulator, type Simulator } from '#middleware/warehouse/simulator/simulator.ts'
import { fromWireOrder } from '#middleware/routes/orders.ts'
import { orderCreate } from '#shared/wire/order-input.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { addLots } from '#support/lots.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

const logLines: string[] = []
const logger = createLogger('test', { destination: { write: (line) => logLines.push(line) } })

let bench: WarehouseBench
let simulator: Simulator
beforeEach(async () => {
  logLines.length = 0
  // the test data of `makeSmallWorld`, without its orders and modifications, because the simulator would move these too
  bench = await startWarehouseBench({ ...makeSmallWorld(), orders: [], modifications: [] })
  simulator = createSimulator({ ...bench.context, port: bench.port, logger })
})
afterEach(async () => {
  await bench.close()
  expect(logLines).toEqual([])
})

async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await simulator.step()
}

let orders = 0
const line = (article_code: string, quantity: number): unknown => ({
  article_code,
  quantity,
  description: 'd',
})

function order(rest: Record<string, unknown> = {}): NewOrder {
  const external_reference = `SHOP-${(orders += 1)}`
  const order_lines = [line('A-1', 2)]
  const body = newOrder({ external_reference, order_lines, shipping_method: smallIds.standard, ...rest })
  return fromWireOrder(orderCreate.parse(body))
}

const make = (rest: Record<string, unknown> = {}): Promise<string> =>
  createOrder(bench.context, bench.alder, order(rest))

const statusOf = async (table: string, id: string): Promise<unknown> =>
  (await bench.rows(`select status from ${table} where id = '${id}'`))[0]?.['status']

/**
 * Returns the statuses that a resource has during the given number of steps, in order and without consecutive
 * repetitions.
 */
async function way(table: string, id: string, count: number): Promise<unknown[]> {
  const seen: unknown[] = []
  for (let step = 0; step < count; step += 1) {
    await simulator.step()
    const status = await statusOf(table, id)
    if (status !== seen.at(-1)) seen.push(status)
  }
  return seen
}

const correct = (variantId: string, quantity: number): Promise<void> =>
  bench.port.correctStock({ variantId, locationId: smallGoods.shelf, quantity, expirationDate: null })

describe('a simulated order of goods in stock', () => {
  it('ships within four steps, with a tracking code of its carrier and serial numbers', async () => {
    const id = await make()
    expect(await way('orders', id, 4)).toEqual(['plannable', 'planned', 'processing', 'shipped'])
    const [shipment] = await bench.rows(`select labels, reference from shipments where order_id = '${id}'`)
    expect(JSON.parse(String(shipment?.['labels']))).toEqual([polderPost.outboundParcel(7)])
    expect(await bench.rows(`select serial_numbers from order_lines where order_id = '${id}'`)).toEqual([
      { serial_numbers: '["SN1-1-1","SN1-1-2"]' },
    ])
  })

  it('passes through the status shipment_waiting_for_ewh if it is an order of a business', async () => {
    const id = await make()
    await bench.context.database.updateTable('orders').set({ business_to_business: 1 }).execute()
    expect((await way('orders', id, 5)).slice(2)).toEqual([
      'processing',
      'shipment_waiting_for_ewh',
      'shipped',
    ])
  })

  it('gets the statuses restock, problem, created and backorder, one after the other, if its pieces are removed from the stock', async () => {
    const id = await make()
    await steps(3)
    await correct(smallGoods.shirtRed, -6)
    expect(await way('orders', id, 4)).toEqual(['restock', 'problem', 'created', 'backorder'])
  })

  it('ships in two shipments if its pieces are in more lots than one shipment may use', async () => {
    const tea = { variantId: smallGoods.teaBox, locationId: smallGoods.shelf }
    await addLots(bench, { ...tea, count: 6000, expirationDate: '2027-01-01' })
    const id = await make({ order_lines: [line('A-0', 6000)] })
    expect((await way('orders', id, 6)).slice(2)).toEqual([
      'processing',
      'partially_shipped',
      'processing',
      'shipped',
    ])
    const shipped = await bench.rows(`select sum(quantity) as pieces from shipment_lines where shipment_id in
      (select id from shipments where order_id = '${id}') group by shipment_id order by 1`)
    expect(shipped).toHaveLength(2)
    expect(shipped.reduce((sum, { pieces }) => sum + Number(pieces), 0)).toBe(6000)
  }, 60_000)

  it('is planned again after the status `restock`, and then ships', async () => {
    const id = await make()
    await steps(3)
    await bench.port.moveOrder(id, 'restock')
    expect(await way('orders', id, 4)).toEqual(['plannable', 'planned', 'processing', 'shipped'])
  })
})

describe('a simulated order that needs too many serial numbers for one shipment', () => {
  beforeEach(() => correct(smallGoods.shirtRed, 20_000))

  it('is put on hold, reserves no pieces, and can be cancelled', async () => {
    const id = await make({ order_lines: [line('A-1', 10_001)] })
    expect(await way('orders', id, 20)).toEqual(['on_hold'])
    const other = await make({ order_lines: [line('A-1', 10_000)] })
    await steps(3)
    expect(await statusOf('orders', other)).toBe('processing')
    await cancelOrder(bench.context, bench.alder, id)
    expect(await statusOf('orders', id)).toBe('cancelled')
  })

  it('gets the status restock instead of a shipment, and then is put on hold', async () => {
    const id = await make({ order_lines: [line('A-1', 10_001)] })
    for (const status of ['plannable', 'planned', 'processing'] as const)
      await bench.port.moveOrder(id, status)
    expect(await way('orders', id, 20)).toEqual(['restock', 'problem', 'created', 'on_hold'])
  })
})

describe('a simulated order with too few goods in stock', () => {
  it('waits in backorder until its goods arrive, and takes them before later orders', async () => {
    const first = await make({ order_lines: [line('A-1', 6)] })
    const second = await make({ order_lines: [line('A-1', 3)] })
    await steps(4)
    expect([await statusOf('orders', first), await statusOf('orders', second)]).toEqual([
      'shipped',
      'backorder',
    ])
    const third = await make({ order_lines: [line('A-1', 3)] })
    await correct(smallGoods.shirtRed, 2)
    await steps(5)
    expect([await statusOf('orders', second), await statusOf('orders', third)]).toEqual([
      'shipped',
      'backorder',
    ])
  })

  it('goes to backorder if all its goods in stock have expired', async () => {
    const id = await make({ order_lines: [line('A-0', 1)] })
    bench.clock.advance(30 * 86_400_000)
    expect(await way('orders', id, 2)).toEqual(['backorder'])
  })

  it('ships the pieces in stock first and the others later if partial delivery is allowed', async () => {
    const id = await make({ order_lines: [line('A-1', 9)] })
    await bench.context.database.updateTable('orders').set({ partial_delivery: 1 }).execute()
    expect((await way('orders', id, 6)).at(-1)).toBe('partially_shipped')
    await correct(smallGoods.shirtRed, 5)
    expect(await way('orders', id, 2)).toEqual(['processing', 'shipped'])
    const shipped = await bench.rows(`select quantity from shipment_lines where shipment_id in
      (select id from shipments where order_id = '${id}') order by quantity`)
    expect(shipped).toEqual([{ quantity: 2 }, { quantity: 7 }])
  })
})

describe('a simulated order that cannot ship yet', () => {
  it('is invalid until it gets a shipping method', async () => {
    const id = await make({ shipping_method: null })
    expect(await way('orders', id, 2)).toEqual(['invalid'])
    const change = {
      customerId: null,
      fields: { shipping_method_id: smallIds.express },
      address: null,
      lines: null,
    }
    await changeOrder(bench.context, bench.alder, { id, change })
    expect(await way('orders', id, 5)).toEqual(['created', 'plannable', 'planned', 'processing', 'shipped'])
  })

  it('has the status invalid_address until its address is corrected', async () => {
    const id = await make({ shipping_address: newAddress({ invalid: true }) })
    expect(await way('orders', id, 3)).toEqual(['invalid_address'])
    const change = { customerId: null, fields: {}, address: { fields: {}, invalid: 0 as const }, lines: null }
    await changeOrder(bench.context, bench.alder, { id, change })
    expect((await way('orders', id, 4)).at(-1)).toBe('shipped')
  })

  it('gets the status invalid_address before it is picked if its address is marked as invalid', async () => {
    const id = await make()
    await steps(1)
    await bench.rows(`update orders set address_invalid = 1 where id = '${id}'`)
    expect(await way('orders', id, 3)).toEqual(['invalid_address'])
  })

  it('waits for customs documents if it has incoterms and goes to a country outside the EU', async () => {
    const abroad = newAddress({ country: 'CH', zipcode: '8001' })
    const id = await make({ shipping_address: abroad, inco_terms: 'DAP' })
    const without = await make({ shipping_address: abroad })
    expect(await way('orders', id, 4)).toEqual(['awaiting_documents'])
    expect(await statusOf('orders', without)).toBe('shipped')
    const document = {
      title: 'invoice',
      quantity: 1,
      isShippingLabel: false,
      orderPrice: null,
      labelType: null,
    }
    await addOrderDocument(bench.context, bench.alder, {
      id,
      document: { ...document, content: Buffer.from('%PDF-1.4') },
    })
    expect((await way('orders', id, 5)).at(-1)).toBe('shipped')
  })

  it('is on hold while its delivery date is more than 30 days away', async () => {
    const id = await make({ requested_delivery_date: '2026-07-10' })
    expect(await way('orders', id, 2)).toEqual(['on_hold'])
    bench.clock.advance(9 * 86_400_000)
    expect((await way('orders', id, 5)).at(-1)).toBe('shipped')
  })
})

describe('a simulated inbound', () => {
  it('is put on hold if it has 1,000,000,000 pieces, too many to list their serial numbers', async () => {
    const announce = (quantity: number): Promise<string> =>
      createInbound(bench.context, bench.alder, {
        externalReference: `IN-${quantity}`,
        inboundDate: '2026-09-02',
        note: null,
        metaData: {},
        lines: [{ code: 'A-1', quantity, packingSlip: 1, metaData: {} }],
      })
    const [many, few] = [await announce(1_000_000_000), await announce(100)]
    await steps(3)
    expect([await statusOf('inbounds', many), await statusOf('inbounds', few)]).toEqual([
      'on_hold',
      'completed',
    ])
  })

  const announce = (): Promise<string> =>
    createInbound(bench.context, bench.alder, {
      externalReference: 'PO-9',
      inboundDate: '2026-09-02',
      note: null,
      metaData: {},
      lines: [
        { code: 'A-0', quantity: 10, packingSlip: 10, metaData: {} },
        { code: 'A-2', quantity: 3, packingSlip: 3, metaData: {} },
      ],
    })

  it('is completed within two steps, and its lots move from the dock to the shelf in the third step', async () => {
    const { id: dock } = await bench.port.nameLocation({ code: 'DOCK-1', pickable: false })
    const id = await announce()
    expect(await way('inbounds', id, 2)).toEqual(['processing', 'completed'])
    const lots = (): Promise<unknown> =>
      bench.rows(`select quantity, location_id, expiration_date from batches
        where inbound_id = '${id}' and quantity > 0 order by quantity`)
    const received = [
      { quantity: 3, location_id: dock, expiration_date: null },
      { quantity: 10, location_id: dock, expiration_date: '2027-06-01' },
    ]
    expect(await lots()).toEqual(received)
    await simulator.step()
    expect(await lots()).toEqual(received.map((lot) => ({ ...lot, location_id: smallGoods.shelf })))
  })

  it('is received in portions of at most 100 lines, so that other calls can run between them', async () => {
    const receipts: Receipt[] = []
    const receive = (inboundId: string, receipt: Receipt): Promise<void> => {
      receipts.push(receipt)
      return bench.port.receive(inboundId, receipt)
    }
    simulator = createSimulator({ ...bench.context, port: { ...bench.port, receive }, logger })
    const variants = Array.from({ length: 250 }, (_, index) => ({ article_code: `M-${index}`, name: 'x' }))
    await createArticles(bench.context, bench.alder, [{ name: 'Many', variants, place: '' }])
    const id = await createInbound(bench.context, bench.alder, {
      externalReference: 'PO-250',
      inboundDate: '2026-09-02',
      note: null,
      metaData: {},
      lines: variants.map((variant) => ({
        code: variant.article_code,
        quantity: 2,
        packingSlip: 2,
        metaData: {},
      })),
    })
    expect(await way('inbounds', id, 2)).toEqual(['processing', 'completed'])
    expect(receipts.map(({ lines, complete }) => [lines.length, complete])).toEqual([
      [100, false],
      [100, false],
      [50, true],
    ])
    const lots = `select count(*) as lots, sum(quantity) as pieces from batches where inbound_id = '${id}'`
    expect(await bench.rows(lots)).toEqual([{ lots: 250, pieces: 500 }])
    const counted = `select distinct processed from inbound_lines where inbound_id = '${id}'`
    expect(await bench.rows(counted)).toEqual([{ processed: 2 }])
  })

  it('provides the pieces with which an order in backorder ships', async () => {
    const id = await make({ order_lines: [line('A-2', 2)] })
    await steps(2)
    await announce()
    expect((await way('orders', id, 6)).at(-1)).toBe('shipped')
  })

  it('gets the serial numbers of its shipment if it is a return with several lines of one variant, of which one piece arrived before', async () => {
    await make({ order_lines: [line('A-1', 5)] })
    await steps(4)
    const [shipment] = await bench.rows('select id, reference from shipments order by created_at desc')
    const { customer_id: customerId } = (await bench.rows('select customer_id from orders'))[0] ?? {}
    const [sold] = await bench.rows(
      `select variant_id from shipment_lines where shipment_id = '${String(shipment?.['id'])}'`,
    )
    const variantId = String(sold?.['variant_id'])
    const { id } = await bench.port.arrive({
      customerId: String(customerId),
      externalReference: String(shipment?.['reference']),
      isReturn: true,
      note: null,
      lines: [2, 2].map((quantity) => ({ variantId, quantity })),
    })
    await bench.port.moveInbound(id, 'processing')
    const place = { variantId, locationId: smallGoods.shelf, expirationDate: null }
    const piece = { ...place, quantity: 1, serialNumbers: ['SN1-1-2'] }
    await bench.port.receive(id, { lines: [piece], complete: false })
    expect((await way('inbounds', id, 2)).at(-1)).toBe('completed')
    const rows = await bench.rows(`select serial_numbers from inbound_lines where inbound_id = '${id}'`)
    const numbers = rows.flatMap((row) => JSON.parse(String(row['serial_numbers'])) as string[])
    expect(numbers.toSorted()).toEqual(['SN1-1-1', 'SN1-1-2', 'SN1-1-3', 'SN1-1-4'])
  })

  it('is created every 20 steps as an unannounced return of the newest shipment, partly in quarantine', async () => {
    const { id: quarantine } = await bench.port.nameLocation({ code: 'QUAR-1', pickable: false })
    await make({ order_lines: [line('A-1', 5)] })
    await steps(22)
    const [back] = await bench.rows("select * from inbounds where type = 'unannounced'")
    expect(back).toMatchObject({ is_return: 1, status: 'completed', external_reference: 'SHP00000000007' })
    const lots =
      await bench.rows(`select quantity, location_id from batches where inbound_id = '${String(back?.['id'])}'
      order by quantity`)
    expect(lots).toEqual([
      { quantity: 1, location_id: quarantine },
      { quantity: 2, location_id: smallGoods.shelf },
    ])
    expect(
      await bench.rows(
        `select serial_numbers from inbound_lines where inbound_id = '${String(back?.['id'])}'`,
      ),
    ).toEqual([{ serial_numbers: '["SN1-1-1","SN1-1-2","SN1-1-3"]' }])
    expect(await bench.rows('select id from quality_controls')).toHaveLength(1)
  })
})

describe('the search for a shipment to return', () => {
  const returned = async (): Promise<unknown[]> =>
    (await bench.rows('select external_reference from inbounds where is_return = 1 order by reference')).map(
      (row) => row['external_reference'],
    )

  it('checks two shipments per step (the limit), newest first, until it finds a shipment without a return', async () => {
    simulator = createSimulator({ ...bench.context, port: bench.port, logger, limit: 2, returnEvery: 100 })
    for (let index = 0; index < 7; index += 1) await make({ order_lines: [line('A-1', 1)] })
    await steps(99)
    const shipments = (
      await bench.rows('select reference from shipments where order_id is not null order by 1 desc')
    ).map(({ reference }) => reference)
    expect(shipments).toHaveLength(7)
    // all shipments except the oldest already have a return
    for (const reference of shipments.slice(0, -1))
      await bench.port.arrive({
        customerId: bench.alder.id,
        externalReference: String(reference),
        isReturn: true,
        note: null,
        lines: [{ variantId: smallGoods.shirtRed, quantity: 1 }],
      })
    const reports: number[] = []
    for (let step = 0; step < 6; step += 1) reports.push((await simulator.step()).returns)
    expect(reports).toEqual([0, 0, 0, 1, 0, 0])
    expect((await returned()).at(-1)).toBe(shipments.at(-1))
  })
})

describe('a simulated modification', () => {
  it.each([
    [-7, 'approved'],
    [-8, 'disapproved'],
    [1000, 'approved'],
    [1001, 'disapproved'],
  ])('of %i pieces, with 7 pieces in stock, is %s within one step', async (quantity, status) => {
    const lines = [{ variantId: smallGoods.shirtRed, locationId: smallGoods.shelf, quantity }]
    const id = await createModification(bench.context, bench.alder, { reason: 'LOST', note: 'n', lines })
    expect(await way('modifications', id, 1)).toEqual([status])
  })
})

describe('a simulated transfer', () => {
  it.each([
    [5, 'accepted'],
    [6, 'denied'],
  ])('of %i pieces, with 5 unreserved pieces in stock, is %s within two steps', async (quantity, status) => {
    await make({ order_lines: [line('A-1', 2)], requested_delivery_date: '2026-12-01' })
    const id = await createTransfer(bench.context, bench.alder, [bench.birch.id], {
      fromCustomerId: bench.alder.id,
      toCustomerId: bench.birch.id,
      externalReference: 'T-1',
      lines: [{ code: 'A-1', quantity }],
    })
    expect(await way('transfers', id, 1)).toEqual(['created'])
    await requestTransfer(bench.context, bench.alder, id)
    expect(await way('transfers', id, 2)).toEqual(['processing', status])
  })
})

describe('the simulated demo world', () => {
  it('stops changing within 14 steps, and no step fails', async () => {
    await bench.close()
    bench = await startWarehouseBench(makeDemoWorld({ seed: 7, now: new Date('2026-06-01T12:00:00Z') }))
    const world = createSimulator({ ...bench.context, port: bench.port, logger, returnEvery: 1000 })
    const reports = []
    for (let step = 0; step < 14; step += 1) reports.push(await world.step())
    expect(reports[0]?.orders).toBeGreaterThan(20)
    expect(Object.values(reports.at(-1) ?? {})).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    expect(reports.every(({ failures }) => failures === 0)).toBe(true)
  }, 60_000)
})

describe('a step of the simulator', () => {
  it('changes at most as many new orders as its limit, and orders that cannot be shipped do not delay other orders', async () => {
    simulator = createSimulator({ ...bench.context, port: bench.port, logger, limit: 2 })
    // five orders that can never be shipped, and three orders that can be shipped
    for (let index = 0; index < 5; index += 1) await make({ order_lines: [line('A-1', 50)] })
    const able = [await make(), await make(), await make()]
    expect((await simulator.step()).orders).toBe(2)
    await steps(20)
    for (const id of able) expect(await statusOf('orders', id)).toBe('shipped')
  })

  it('tries a failing order again after 1, 2, 4, 8 steps and so on, so that other orders ship', async () => {
    const tried: number[] = []
    let step = 0
    const failing = new Set<string>()
    const moveOrder: WarehousePort['moveOrder'] = (id, ...rest) => {
      if (!failing.has(id)) return bench.port.moveOrder(id, ...rest)
      tried.push(step)
      return Promise.reject(new Error('no shelf'))
    }
    simulator = createSimulator({ ...bench.context, port: { ...bench.port, moveOrder }, logger, limit: 2 })
    for (let index = 0; index < 2; index += 1) failing.add(await make())
    const able = [await make(), await make(), await make()]
    for (step = 1; step <= 40; step += 1) await simulator.step()
    for (const id of able) expect(await statusOf('orders', id)).toBe('shipped')
    expect(tried).toEqual([1, 2, 4, 8, 16, 32].flatMap((each) => [each, each]))
    expect(logLines.filter((text) => text.includes('no shelf'))).toHaveLength(tried.length)
    logLines.length = 0
    failing.clear()
    await steps(40)
    expect(await bench.rows(`select distinct status from orders`)).toEqual([{ status: 'shipped' }])
  })

  it('ends at the first action that finds the lease lost, logs nothing, and the next step ships the orders', async () => {
    let isLost = true
    let tried = 0
    const moveOrder: WarehousePort['moveOrder'] = (...move) => {
      tried += 1
      return isLost ? Promise.reject(new LeaseLost('warehouse step')) : bench.port.moveOrder(...move)
    }
    simulator = createSimulator({ ...bench.context, port: { ...bench.port, moveOrder }, logger })
    const made = [await make(), await make(), await make()]
    await expect(simulator.step()).rejects.toThrow(LeaseLost)
    expect(tried).toBe(1)
    isLost = false
    expect(await simulator.step()).toMatchObject({ orders: made.length, failures: 0 })
  })

  it('reports the number of its transitions of each kind, and begins after the previous step ended', async () => {
    await make()
    const [one, two] = await Promise.all([simulator.step(), simulator.step()])
    expect([one.orders, two.orders]).toEqual([1, 1])
    expect(one).toEqual({
      orders: 1,
      shipments: 0,
      inbounds: 0,
      lots: 0,
      returns: 0,
      modifications: 0,
      transfers: 0,
      failures: 0,
    })
  })
})
