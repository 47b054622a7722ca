import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  cancelInbound,
  changeInbound,
  createInbound,
  getInbound,
  type NewInboundLine,
} from '#middleware/services/moves/inbounds.ts'
import { smallGoods } from '#support/small-goods.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

let bench: WarehouseBench
let id: string
beforeEach(async () => {
  bench = await startWarehouseBench()
  id = await createInbound(bench.context, bench.alder, {
    externalReference: 'PO-1',
    inboundDate: '2026-06-20',
    note: null,
    metaData: {},
    lines: [lineOf(4)],
  })
  await bench.port.moveInbound(id, 'processing')
})
afterEach(() => bench.close())

function lineOf(quantity: number): NewInboundLine {
  return { code: 'A-1', quantity, packingSlip: quantity, metaData: {} }
}

const change = (changes: Parameters<typeof changeInbound>[2]['change']): Promise<void> =>
  changeInbound(bench.context, bench.alder, { id, change: changes })

async function receive(serialNumbers: readonly string[], complete: boolean): Promise<void> {
  const { shirtRed: variantId, shelf: locationId } = smallGoods
  const line = { variantId, quantity: serialNumbers.length, locationId, expirationDate: null, serialNumbers }
  await bench.port.receive(id, { lines: serialNumbers.length === 0 ? [] : [line], complete })
}

async function counts(): Promise<unknown[]> {
  const parts = { controls: false, documents: false }
  const { lines } = await getInbound(bench.context, bench.alder, id, parts)
  return lines.map(({ line }) => [line.quantity, line.processed, line.serial_numbers])
}

describe('an inbound on hold with received pieces', () => {
  beforeEach(async () => {
    await receive(['S1', 'S2'], false)
    await bench.port.moveInbound(id, 'on_hold')
  })

  it('keeps its lines, its day and its status, and each serial number stays counted', async () => {
    const refusal = { kind: 'already_requested', message: 'Pieces of this inbound were received.' }
    await expect(change({ lines: [lineOf(5)] })).rejects.toMatchObject(refusal)
    await expect(change({ inboundDate: '2026-06-21' })).rejects.toMatchObject(refusal)
    await expect(cancelInbound(bench.context, bench.alder, id)).rejects.toMatchObject(refusal)
    // the status `announced` would allow a change and a cancellation if no pieces of the inbound were counted
    await bench.port.moveInbound(id, 'announced')
    await expect(change({ lines: [lineOf(5)] })).rejects.toMatchObject(refusal)
    await expect(cancelInbound(bench.context, bench.alder, id)).rejects.toMatchObject(refusal)
    expect(await counts()).toEqual([[4, 2, '["S1","S2"]']])
    await bench.port.moveInbound(id, 'processing')
    await expect(receive(['S1', 'S2'], false)).rejects.toMatchObject({ kind: 'invalid' })
    await receive(['S3', 'S4'], true)
    expect(await counts()).toEqual([[4, 4, '["S1","S2","S3","S4"]']])
  })

  it('still gets a new note', async () => {
    await change({ note: 'Two are missing' })
    const [row] = await bench.rows(`select note from inbounds where id = '${id}'`)
    expect(row).toEqual({ note: 'Two are missing' })
  })

  it('can be cancelled by the warehouse, and then keeps what was counted', async () => {
    await bench.port.moveInbound(id, 'cancelled')
    expect(await counts()).toEqual([[4, 2, '["S1","S2"]']])
    await cancelInbound(bench.context, bench.alder, id)
  })
})

describe('an inbound on hold without received pieces', () => {
  it('gets new lines and a new day, and can be cancelled', async () => {
    await receive([], false)
    await bench.port.moveInbound(id, 'on_hold')
    await change({ lines: [lineOf(5)], inboundDate: '2026-06-21' })
    expect(await counts()).toEqual([[5, null, '[]']])
    await cancelInbound(bench.context, bench.alder, id)
    expect(await bench.rows(`select status, inbound_date from inbounds where id = '${id}'`)).toEqual([
      { status: 'cancelled', inbound_date: '2026-06-21' },
    ])
  })
})
