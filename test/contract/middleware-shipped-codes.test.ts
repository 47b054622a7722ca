import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { exportRecord } from '#shared/wire/export.ts'
import { shipment } from '#shared/wire/shipment.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeMovingWorld } from '#support/small-moves.ts'
import { smallOrders } from '#support/small-orders.ts'
import { smallIds } from '#support/small-world.ts'
import { connectWarehouse, type WarehouseClient } from '#support/warehouse-client.ts'

const old = { shipped_ean: '8712345678906', shipped_article_code: 'A-1', shipped_sku: 'SKU-A-1' }
const changed = { ean: '4006381333931', article_code: 'NEW-1', sku: null }
const seeded = smallIds.shipments[1] ?? ''

let server: TestServer
let warehouse: WarehouseClient
let before = ''
let after = ''
beforeAll(async () => {
  server = await startTestServer({ world: makeMovingWorld(), exportDelayMs: 0 })
  const login = { wms: 'DEV', username: 'warehouse', password: 'warehouse-secret-word' }
  warehouse = await connectWarehouse({ url: server.url, ...login })
  before = await ship(smallOrders.byStatus('processing'), 'SN-77')
  const path = `/wms/variants/${smallGoods.shirtRed}/`
  expect((await server.call(path, { method: 'PATCH', body: changed })).status).toBe(200)
  after = await ship(smallOrders.byStatus('partially_shipped'), 'SN-78')
})
afterAll(() => server.close())

/** Ships one red shirt of an order, and returns the id of the shipment. */
async function ship(order: string, serial: string): Promise<string> {
  const lines = [{ variant: smallGoods.shirtRed, quantity: 1, serial_numbers: [serial] }]
  const path = `/warehouse/orders/${order}/shipments/`
  const made = await warehouse.command(path, { method: 'POST', body: { lines } })
  return z.object({ id: z.string() }).parse(made.body).id
}

async function linesOf(path: string): Promise<unknown> {
  const { body } = await server.call(path, { expand: 'shipment_lines,variant' })
  return shipment.parse(z.array(z.unknown()).parse([body].flat())[0]).shipment_lines
}

describe('after the codes of a variant were changed', () => {
  it('a shipment line still has the codes that the variant had when the order was shipped', async () => {
    for (const path of [before, seeded].map((id) => `/wms/shipments/${id}/`))
      expect(await linesOf(path)).toMatchObject([old])
    expect(await linesOf('/wms/shipments/?order_external_reference=WEB-2')).toMatchObject([old])
  })

  it('a shipment line has the new codes if the order was shipped after the change', async () => {
    expect(await linesOf(`/wms/shipments/${after}/`)).toMatchObject([
      { shipped_ean: changed.ean, shipped_article_code: changed.article_code, shipped_sku: null },
    ])
  })

  it('the expanded variant of a shipment line has the present codes', async () => {
    for (const id of [before, seeded])
      expect(await linesOf(`/wms/shipments/${id}/`)).toMatchObject([{ variant: changed }])
  })

  it('an export of serial numbers contains the codes of each shipment', async () => {
    const fields = ['serial_number', 'article_code', 'ean', 'sku']
    const body = { type: 'serial_numbers', fields }
    const { id } = exportRecord.parse((await server.call('/wms/exports/', { method: 'POST', body })).body)
    const isReady = async (): Promise<boolean> =>
      exportRecord.parse((await server.call(`/wms/exports/${id}/`)).body).ready
    await vi.waitUntil(isReady, { timeout: 10_000, interval: 5 })
    const file = await server.call(`/wms/exports/${id}/download/`)
    const codes = parse(String(file.body), { bom: true }).filter(([serial]) =>
      ['SN-2', 'SN-77', 'SN-78'].includes(serial ?? ''),
    )
    expect(codes.toSorted()).toEqual([
      ['SN-2', 'A-1', '8712345678906', 'SKU-A-1'],
      ['SN-77', 'A-1', '8712345678906', 'SKU-A-1'],
      ['SN-78', 'NEW-1', '4006381333931', ''],
    ])
  })
})
