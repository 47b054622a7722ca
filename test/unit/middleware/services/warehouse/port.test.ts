import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OrderStatus, orderStatuses } from '#shared/domain/resource-states.ts'
import { createInbound } from '#middleware/services/moves/inbounds.ts'
import { createModification } from '#middleware/services/moves/modifications.ts'
import { createTransfer, requestTransfer } from '#middleware/services/moves/transfers.ts'
import { createWarehousePort, type RunUnit } from '#middleware/services/warehouse/create-port.ts'
import type { NewShipment } from '#middleware/services/warehouse/port.ts'
import { shipNow } from '#middleware/services/warehouse/sandbox.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallId } from '#support/small-id.ts'
import { smallOrders } from '#support/small-orders.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

let bench: WarehouseBench
beforeEach(async () => {
  bench = await startWarehouseBench()
})
afterEach(() => bench.close())

const rows = (query: string): Promise<Record<string, unknown>[]> => bench.rows(query)
const topics = (): Promise<string[]> => bench.topics()
const subscribeToAll = (): Promise<void> => bench.subscribeToAll()

const parcel = { labelCode: 'L', trackingCode: 'T', trackingUrl: 'https://t.example/T' }

function shipment(variantId: string, quantity: number, rest: Partial<NewShipment> = {}): NewShipment {
  const serialNumbers =
    variantId === smallGoods.teaBox ? [] : Array.from({ length: quantity }, (_, index) => `SN-${index}`)
  return {
    lines: [{ variantId, quantity, serialNumbers, locationId: null }],
    shippingMethodId: null,
    labels: [parcel],
    externalReference: null,
    ...rest,
  }
}

/** Returns the order of one red shirt in the given status. */
const standing = (status: OrderStatus): string => smallOrders.byStatus(status)
const quantityOf = async (index: number): Promise<unknown> =>
  (await rows(`select quantity from batches where id = '${String(smallGoods.batches[index])}'`))[0]?.[
    'quantity'
  ]

describe('an order at the warehouse', () => {
  it('stores an event `updated` and an event of the new status when its status changes, and no event when its status stays', async () => {
    await subscribeToAll()
    await bench.port.moveOrder(standing('plannable'), 'planned')
    await bench.port.moveOrder(standing('plannable'), 'processing')
    await bench.port.moveOrder(standing('plannable'), 'processing')
    expect(await topics()).toEqual(['order/updated', 'order/planned', 'order/updated', 'order/processing'])
  })

  it.each(orderStatuses.filter((status) => status !== 'planned' && status !== 'processing'))(
    'can change to processing only from planned and partially_shipped: %s',
    async (status) => {
      const before = await rows('select * from orders')
      const refused = bench.port.moveOrder(standing(status), 'processing')
      if (status === 'partially_shipped') await refused
      else {
        await expect(refused).rejects.toMatchObject({ kind: 'too_late' })
        expect(await rows('select * from orders')).toEqual(before)
      }
    },
  )

  it('has `address_invalid` set from its change to the status invalid_address until its change back to created', async () => {
    const flag = async (): Promise<unknown> =>
      (await rows(`select address_invalid as flag from orders where id = '${standing('created')}'`))[0]?.[
        'flag'
      ]
    await bench.port.moveOrder(standing('created'), 'invalid_address')
    expect(await flag()).toBe(1)
    await bench.port.moveOrder(standing('created'), 'created')
    expect(await flag()).toBe(0)
  })

  it.each([
    ['on_hold', 'created'],
    ['on_hold', 'plannable'],
    ['backorder', 'plannable'],
  ] as const)(
    'becomes invalid_address while its address is marked as invalid, if the warehouse moves it from %s to %s',
    async (from, to) => {
      const id = standing(from)
      await bench.rows(`update orders set address_invalid = 1 where id = '${id}'`)
      await subscribeToAll()
      await bench.port.moveOrder(id, to)
      expect(await rows(`select status, address_invalid from orders where id = '${id}'`)).toEqual([
        { status: 'invalid_address', address_invalid: 1 },
      ])
      expect(await topics()).toEqual(['order/updated'])
    },
  )

  it.each([
    ['plannable', 'planned'],
    ['planned', 'processing'],
  ] as const)(
    'keeps its status while its address is marked as invalid, and the warehouse cannot move it from %s to %s',
    async (from, to) => {
      const id = standing(from)
      await bench.rows(`update orders set address_invalid = 1 where id = '${id}'`)
      await subscribeToAll()
      const message = 'The address of this order is marked as invalid.'
      await expect(bench.port.moveOrder(id, to)).rejects.toMatchObject({ kind: 'too_late', message })
      expect(await rows(`select status from orders where id = '${id}'`)).toEqual([{ status: from }])
      expect(await topics()).toEqual([])
    },
  )

  it('leaves a status that does not allow invalid_address while its address is marked as invalid, but cannot be planned', async () => {
    const id = standing('restock')
    await bench.rows(`update orders set address_invalid = 1 where id = '${id}'`)
    await bench.port.moveOrder(id, 'plannable')
    expect(await rows(`select status from orders where id = '${id}'`)).toEqual([{ status: 'plannable' }])
    await expect(bench.port.moveOrder(id, 'planned')).rejects.toMatchObject({ kind: 'too_late' })
    await bench.port.moveOrder(id, 'invalid_address')
    expect(await rows(`select status from orders where id = '${id}'`)).toEqual([
      { status: 'invalid_address' },
    ])
  })

  it.each(['on_hold', 'planned', 'restock'] as const)(
    'is shipped by the sandbox from %s, also while its address is marked as invalid',
    async (from) => {
      const id = standing(from)
      await bench.rows(`update orders set address_invalid = 1 where id = '${id}'`)
      const { context } = bench
      const warehouse = { port: (run: RunUnit) => createWarehousePort(context, run), step: null }
      await shipNow({ context, warehouse }, bench.alder, id)
      expect(await rows(`select status from orders where id = '${id}'`)).toEqual([{ status: 'shipped' }])
    },
  )

  it('changes its lot, line and reservation and creates a shipment when it ships, and stores events of these changes', async () => {
    const id = standing('processing')
    await subscribeToAll()
    const { reference, id: shipmentId } = await bench.port.shipOrder(id, shipment(smallGoods.shirtRed, 1))
    expect(reference).toBe('SHP00000000007')
    expect(await quantityOf(2)).toBe(6)
    expect(await rows(`select status from orders where id = '${id}'`)).toEqual([{ status: 'shipped' }])
    expect(await rows(`select * from reservations where order_id = '${id}'`)).toEqual([])
    expect(await rows(`select processed, serial_numbers from order_lines where order_id = '${id}'`)).toEqual([
      { processed: 1, serial_numbers: '["SN-0"]' },
    ])
    expect(await rows(`select order_id, labels from shipments where id = '${shipmentId}'`)).toEqual([
      { order_id: id, labels: JSON.stringify([parcel]) },
    ])
    expect((await topics()).toSorted()).toEqual([
      'batch/updated',
      'order/shipped',
      'order/updated',
      'shipment/created',
      'stock/updated',
    ])
  })

  it('is not shipped, and nothing changes, if its status is planned or the shipment has wrong lines or an unknown shipping method', async () => {
    const id = standing('processing')
    const before = await rows('select * from stock_entries')
    const refusals = [
      shipment(smallGoods.shirtRed, 2),
      shipment(smallGoods.teaBox, 1),
      shipment(smallGoods.shirtRed, 0),
      shipment(smallGoods.shirtRed, 1, { shippingMethodId: smallId(999) }),
      shipment(smallGoods.shirtRed, 1, {
        lines: [{ variantId: smallGoods.shirtRed, quantity: 1, serialNumbers: [], locationId: null }],
      }),
      shipment(smallGoods.shirtRed, 1, {
        lines: [
          {
            variantId: smallGoods.shirtRed,
            quantity: 1,
            serialNumbers: ['S'],
            locationId: smallGoods.backRoom,
          },
        ],
      }),
      shipment(smallGoods.shirtRed, 1, { lines: [] }),
    ]
    for (const each of refusals)
      await expect(bench.port.shipOrder(id, each)).rejects.toMatchObject({ kind: 'invalid' })
    await expect(
      bench.port.shipOrder(standing('planned'), shipment(smallGoods.shirtRed, 1)),
    ).rejects.toMatchObject({ kind: 'too_late' })
    expect(await rows('select * from stock_entries')).toEqual(before)
    expect(await rows(`select status from orders where id = '${id}'`)).toEqual([{ status: 'processing' }])
  })

  it('gets tracking codes after it was shipped, with one event even if they are sent twice', async () => {
    const { id } = await bench.port.shipOrder(
      standing('processing'),
      shipment(smallGoods.shirtRed, 1, { labels: [] }),
    )
    await subscribeToAll()
    await bench.port.trackShipment(id, [parcel])
    await bench.port.trackShipment(id, [parcel])
    expect(await topics()).toEqual(['shipment/updated'])
  })
})

describe('a tracking URL that the warehouse sends', () => {
  const script = { ...parcel, trackingUrl: 'javascript:alert(1)' }
  const refusal = {
    kind: 'invalid',
    fields: { 'labels.0.tracking_url': ['This value should be an http or https URL.'] },
  }

  it('is refused if its scheme is not http or https, for a new shipment and for an existing one', async () => {
    const id = standing('processing')
    const shipping = bench.port.shipOrder(id, shipment(smallGoods.shirtRed, 1, { labels: [script] }))
    await expect(shipping).rejects.toMatchObject(refusal)
    const shipped = await bench.port.shipOrder(id, shipment(smallGoods.shirtRed, 1))
    await expect(bench.port.trackShipment(shipped.id, [script])).rejects.toMatchObject(refusal)
  })
})

describe('an inbound at the warehouse', () => {
  const line = { variantId: smallGoods.teaBox, locationId: smallGoods.shelf, serialNumbers: [] }

  async function processing(): Promise<string> {
    const id = await createInbound(bench.context, bench.alder, {
      externalReference: 'PO-9',
      inboundDate: '2026-06-02',
      note: null,
      metaData: {},
      lines: [{ code: 'A-0', quantity: 10, packingSlip: 10, metaData: {} }],
    })
    await bench.port.moveInbound(id, 'processing')
    return id
  }

  it('gets one lot for each expiry date when it is received in several parts, and the events of all changes are stored', async () => {
    const id = await processing()
    await subscribeToAll()
    const part = { ...line, quantity: 4, expirationDate: '2027-01-01' }
    await bench.port.receive(id, { lines: [part], complete: false })
    await bench.port.receive(id, { lines: [part, { ...part, expirationDate: '2027-02-01' }], complete: true })
    expect(
      await rows(`select quantity, expiration_date from batches where inbound_id = '${id}' order by 2`),
    ).toEqual([
      { quantity: 8, expiration_date: '2027-01-01' },
      { quantity: 4, expiration_date: '2027-02-01' },
    ])
    expect(await rows(`select quantity, processed from inbound_lines where inbound_id = '${id}'`)).toEqual([
      { quantity: 10, processed: 12 },
    ])
    expect((await topics()).toSorted()).toEqual([
      'batch/updated',
      'batch/updated',
      'batch/updated',
      'inbound/completed',
      'inbound/updated',
      'inbound/updated',
      'stock/updated',
      'stock/updated',
    ])
    await expect(bench.port.receive(id, { lines: [part], complete: true })).rejects.toMatchObject({
      kind: 'too_late',
    })
  })

  it('is not received if a line lacks a required expiry date, or has goods of another customer, an unknown location or an unexpected serial number', async () => {
    const id = await processing()
    const wrong = [
      { ...line, quantity: 1, expirationDate: null },
      { ...line, quantity: 1, expirationDate: '2027-01-01', variantId: smallGoods.birchVariant },
      { ...line, quantity: 1, expirationDate: '2027-01-01', locationId: smallId(999) },
      { ...line, quantity: 1, expirationDate: '2027-01-01', serialNumbers: ['S'] },
    ]
    for (const each of wrong)
      await expect(bench.port.receive(id, { lines: [each], complete: true })).rejects.toMatchObject({
        kind: 'invalid',
      })
  })

  it('can arrive unannounced, and can then pass the quality control and be received', async () => {
    await subscribeToAll()
    const { id, reference } = await bench.port.arrive({
      customerId: bench.alder.id,
      externalReference: null,
      isReturn: true,
      note: 'came back',
      lines: [{ variantId: smallGoods.shirtRed, quantity: 1 }],
    })
    expect(reference).toBe('INB00000000003')
    await bench.port.moveInbound(id, 'processing')
    await bench.port.controlQuality(id, {
      palletCount: '1',
      wasDeliveryAppointment: false,
      hadPackingList: true,
      wasCorrectQuantity: true,
      hadProperMarkings: true,
      boxCondition: 'good',
      comments: '',
    })
    const received = { variantId: smallGoods.shirtRed, quantity: 1, locationId: smallGoods.shelf }
    await bench.port.receive(id, {
      lines: [{ ...received, expirationDate: null, serialNumbers: ['SN-1'] }],
      complete: true,
    })
    expect(await rows(`select status, type, is_return from inbounds where id = '${id}'`)).toEqual([
      { status: 'completed', type: 'unannounced', is_return: 1 },
    ])
    expect((await topics()).filter((topic) => topic.startsWith('inbound/'))).toEqual([
      'inbound/created',
      'inbound/updated',
      'inbound/updated',
      'inbound/updated',
      'inbound/completed',
    ])
  })
})

describe('a modification at the warehouse', () => {
  const make = (quantity: number): Promise<string> =>
    createModification(bench.context, bench.alder, {
      reason: 'LOST',
      note: 'n',
      lines: [
        { variantId: smallGoods.shirtRed, locationId: smallGoods.shelf, quantity },
        { variantId: smallGoods.teaBox, locationId: smallGoods.backRoom, quantity: 3 },
      ],
    })

  it('changes the stock only once even if it is approved twice', async () => {
    const id = await make(-2)
    await subscribeToAll()
    await bench.port.approveModification(id)
    await bench.port.approveModification(id)
    expect(await quantityOf(2)).toBe(5)
    expect((await topics()).toSorted()).toEqual([
      'batch/updated',
      'batch/updated',
      'modification/approved',
      'modification/updated',
      'stock/updated',
      'stock/updated',
    ])
    await expect(bench.port.disapproveModification(id)).rejects.toMatchObject({ kind: 'too_late' })
  })

  it('is not approved and changes no stock if a line takes more pieces than exist, and can be disapproved', async () => {
    const id = await make(-8)
    const before = await rows('select * from stock_entries')
    await expect(bench.port.approveModification(id)).rejects.toMatchObject({
      kind: 'invalid',
      fields: { 'modification_lines.0.quantity': ['8 pieces are requested and 7 are available.'] },
    })
    expect(await rows('select * from stock_entries')).toEqual(before)
    await bench.port.disapproveModification(id)
    expect(await rows(`select status from modifications where id = '${id}'`)).toEqual([
      { status: 'disapproved' },
    ])
  })
})

describe('a transfer at the warehouse', () => {
  async function requested(quantity: number): Promise<string> {
    const id = await createTransfer(bench.context, bench.alder, [bench.birch.id], {
      fromCustomerId: bench.alder.id,
      toCustomerId: bench.birch.id,
      externalReference: 'T-1',
      lines: [{ code: 'A-0', quantity }],
    })
    await requestTransfer(bench.context, bench.alder, id)
    await bench.port.beginTransfer(id)
    return id
  }

  it('moves pieces to the receiving customer, at the same location and with the same expiry date', async () => {
    const id = await requested(3)
    await bench.port.acceptTransfer(id)
    expect(
      await rows(`select quantity, expiration_date, location_id from batches
        where customer_id = '${bench.birch.id}' and expiration_date is not null`),
    ).toEqual([{ quantity: 3, expiration_date: '2026-06-20', location_id: smallGoods.shelf }])
    expect(await quantityOf(0)).toBe(2)
    expect(await rows(`select finalized_quantity from transfer_lines where transfer_id = '${id}'`)).toEqual([
      { finalized_quantity: 3 },
    ])
    await expect(bench.port.denyTransfer(id)).rejects.toMatchObject({ kind: 'too_late' })
  })

  it('cannot be accepted if it takes more pieces than are in stock, but can be denied', async () => {
    const id = await requested(6)
    await expect(bench.port.acceptTransfer(id)).rejects.toMatchObject({ kind: 'invalid' })
    await bench.port.denyTransfer(id)
    expect(await rows(`select status from transfers where id = '${id}'`)).toEqual([{ status: 'denied' }])
  })
})
