import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { warehouseBatch, warehouseCustomer, warehouseLocation } from '#shared/wire/warehouse.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { makeSmallWorld, smallIds } from '#support/small-world.ts'
import { connectWarehouse, type WarehouseClient } from '#support/warehouse-client.ts'

let server: TestServer
let warehouse: WarehouseClient
beforeEach(async () => {
  server = await startTestServer({ world: makeSmallWorld() })
  const password = 'warehouse-secret-word'
  warehouse = await connectWarehouse({ url: server.url, wms: 'DEV', username: 'warehouse', password })
})
afterEach(() => server.close())

const name = (code: string, pickable: boolean): Promise<Reply> =>
  warehouse.command('/warehouse/locations/', { method: 'PUT', body: { code, pickable } })

describe('the lists of the warehouse', () => {
  async function list<Item extends z.ZodType>(item: Item, path: string): Promise<z.output<Item>[]> {
    const reply = await warehouse.read(`/warehouse/${path}`)
    expect([path, reply.status]).toEqual([path, 200])
    return z.array(item).parse(reply.body)
  }
  const customers = (query = ''): Promise<z.output<typeof warehouseCustomer>[]> =>
    list(warehouseCustomer, `customers/${query}`)
  const locations = (query = ''): Promise<z.output<typeof warehouseLocation>[]> =>
    list(warehouseLocation, `locations/${query}`)
  const batches = (query = ''): Promise<z.output<typeof warehouseBatch>[]> =>
    list(warehouseBatch, `batches/${query}`)

  it('include a list of all customers, which the query code limits to the customer with this code', async () => {
    const all = await customers()
    expect(new Set(all.map(({ code }) => code))).toEqual(new Set(['ALDER', 'BIRCH']))
    expect(await customers('?code=BIRCH')).toEqual(all.filter(({ code }) => code === 'BIRCH'))
    expect(await customers('?code=NONE')).toEqual([])
  })

  it('include a list of all locations; the query pickable=true limits it to the pickable locations, the query code to the location with this code', async () => {
    await name('QUAR-1', false)
    const all = await locations()
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining([smallGoods.shelf, smallGoods.backRoom]))
    expect(await locations('?pickable=true')).toEqual(all.filter(({ pickable }) => pickable))
    expect(await locations('?code=QUAR-1')).toMatchObject([{ code: 'QUAR-1', pickable: false }])
  })

  it('include the lots of every customer with their variants and locations', async () => {
    const all = await batches()
    expect(all.find(({ id }) => id === smallGoods.batches[2])).toMatchObject({
      customer: smallIds.alder,
      variant: { id: smallGoods.shirtRed, article_code: 'A-1', using_serial_numbers: true },
      location: { id: smallGoods.shelf },
      quantity: 7,
    })
    expect(new Set(all.map(({ customer }) => customer))).toEqual(new Set([smallIds.alder, smallIds.birch]))
  })

  it('include the lots, which can be filtered by customer, variant, article code and location, and reduced to lots with pieces', async () => {
    const body = { batch: smallGoods.batches[2], quantity: 2, to_location: smallGoods.backRoom }
    await warehouse.command('/warehouse/stock/moves/', { method: 'POST', body })
    const all = await batches()
    type Row = (typeof all)[number]
    const cases: [string, (row: Row) => boolean][] = [
      [`customer=${smallIds.birch.toUpperCase()}`, ({ customer }) => customer === smallIds.birch],
      [`variant=${smallGoods.shirtRed}`, ({ variant }) => variant.id === smallGoods.shirtRed],
      ['article_code=A-1', ({ variant }) => variant.article_code === 'A-1'],
      [`location=${smallGoods.backRoom}`, ({ location }) => location.id === smallGoods.backRoom],
      ['positive_only=1', ({ quantity }) => quantity > 0],
      [
        `article_code=A-1&location=${smallGoods.shelf}&customer=${smallIds.alder}`,
        ({ variant, location }) => variant.article_code === 'A-1' && location.id === smallGoods.shelf,
      ],
      [`customer=${smallIds.birch}&variant=${smallGoods.shirtRed}`, () => false],
    ]
    for (const [query, fits] of cases)
      expect([query, await batches(`?${query}`)]).toEqual([query, all.filter(fits)])
    for (const [query] of cases.slice(0, 4)) expect((await batches(`?${query}`)).length).toBeGreaterThan(0)
  })

  it('include each lot with its id, which is valid in a call that moves pieces of the lot', async () => {
    const [batch] = await batches(`?article_code=A-1&location=${smallGoods.shelf}&positive_only=true`)
    await name('C-01', true)
    const [to] = await locations('?code=C-01')
    const body = { batch: batch?.id, quantity: 2, to_location: to?.id }
    expect((await warehouse.command('/warehouse/stock/moves/', { method: 'POST', body })).status).toBe(204)
    expect(await batches(`?location=${to?.id ?? ''}`)).toMatchObject([
      { quantity: 2, location: { code: 'C-01' } },
    ])
  })

  it.each(['customers/', 'locations/', 'batches/'])('can be read page by page: %s', async (path) => {
    const item = z.object({ cursor: z.string(), id: z.string() })
    const all = await list(item, path)
    const read: string[] = []
    for (let after = ''; ;) {
      const [next] = await list(item, `${path}?limit=1${after}`)
      if (next === undefined) break
      read.push(next.id)
      after = `&after=${next.cursor.toUpperCase()}`
    }
    expect(read).toEqual(all.map(({ id }) => id))
    expect(new Set(read).size).toBe(all.length)
    for (const query of ['limit=0', 'limit=201', 'after=1'])
      expect((await warehouse.read(`/warehouse/${path}?${query}`)).status).toBe(400)
  })
})
