import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readingAtMost } from '#middleware/data/engine/reading-limit.ts'
import { variantsInUse } from '#middleware/data/goods/variants.ts'
import type { PortionedChange } from '#middleware/data/schema/webhooks.ts'
import { Afterwards } from '#middleware/services/afterwards.ts'
import { storedNow, transact } from '#middleware/services/context.ts'
import { createArticles, getArticle, listArticles } from '#middleware/services/goods/articles.ts'
import { listStock } from '#middleware/services/goods/stock.ts'
import {
  changeVariant,
  createVariant,
  getVariant,
  listVariants,
  mostVariants,
} from '#middleware/services/goods/variants.ts'
import { createModification } from '#middleware/services/moves/modifications.ts'
import { cancelOrder } from '#middleware/services/orders/orders.ts'
import type { Unit } from '#middleware/services/unit.ts'
import { createWarehousePort } from '#middleware/services/warehouse/create-port.ts'
import { mostLotsTaken } from '#middleware/services/warehouse/port.ts'
import { noteChangedLocations } from '#middleware/services/warehouse/stock.ts'
import { addLots } from '#support/lots.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallOrders } from '#support/small-orders.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

let bench: WarehouseBench
beforeEach(async () => {
  bench = await startWarehouseBench()
})
afterEach(() => bench.close())

const quantityOf = async (index: number): Promise<unknown> =>
  (await bench.rows(`select quantity from batches where id = '${String(smallGoods.batches[index])}'`))[0]?.[
    'quantity'
  ]

describe('the stock at the warehouse', () => {
  const figures = async (code: string): Promise<unknown> => {
    const filters = { articleCode: code, ean: null, sku: null, search: null, changedFrom: null }
    const [record] = await listStock(bench.context, bench.alder, { filters, query: {} })
    return record && [record.physical, record.pickable, record.quarantine]
  }

  it('changes when the warehouse corrects it, and a correction to less than zero pieces is refused', async () => {
    const correction = { variantId: smallGoods.teaBox, locationId: smallGoods.shelf, expirationDate: null }
    await bench.port.correctStock({ ...correction, quantity: 4 })
    expect(await quantityOf(0)).toBe(9)
    await expect(bench.port.correctStock({ ...correction, quantity: -10 })).rejects.toMatchObject({
      kind: 'invalid',
    })
    await bench.port.correctStock({ ...correction, quantity: -9 })
    expect(await figures('A-0')).toEqual([0, 0, 0])
  })

  it('can move between locations, and its location decides whether it is in quarantine or pickable', async () => {
    const { id: quarantine } = await bench.port.nameLocation({ code: 'QUAR-09', pickable: false })
    const batchId = String(smallGoods.batches[0])
    await bench.port.moveLot({ batchId, quantity: 2, toLocationId: quarantine })
    expect(await figures('A-0')).toEqual([5, 3, 2])
    await bench.subscribeToAll()
    await bench.port.nameLocation({ code: 'A-01-01', pickable: false })
    expect(await figures('A-0')).toEqual([5, 0, 2])
    expect((await bench.topics()).every((topic) => topic === 'stock/updated')).toBe(true)
    expect(await bench.topics()).toHaveLength(3)
  })
})

describe('a change of `pickable` of a location that has pieces of many variants', () => {
  const count = 1000
  const change = (): Promise<unknown> => bench.port.nameLocation({ code: 'A-01-01', pickable: false })

  /**
   * Creates 1,000 variants with one lot each at the shelf, and empties all other lots. Returns a list to which each
   * transaction after this call adds the number of its changes.
   */
  async function fillShelf(): Promise<number[]> {
    const variants = Array.from({ length: count }, (_, index) => ({ article_code: `V-${index}` }))
    await createArticles(bench.context, bench.alder, [{ name: 'Many', variants, place: '' }])
    await bench.rows('update batches set quantity = 0 returning id')
    await bench.rows(`insert into batches
      (id, customer_id, variant_id, location_id, quantity, expiration_date, inbound_id, created_at)
      select 'lot-' || id, customer_id, id, '${smallGoods.shelf}', 1, null, null, '2026' from variants
      where article_code like 'V-%' returning id`)
    bench.clock.advance(60_000)
    const sizes: number[] = []
    const { tell } = bench.context
    Object.assign(bench.context, {
      tell: (unit: Unit) => {
        sizes.push(unit.changes.length)
        return tell(unit)
      },
    })
    return sizes
  }

  const unchanged = async (): Promise<unknown> =>
    (
      await bench.rows(`select count(*) as variants from variants
        where article_code like 'V-%' and stock_modified_at < '${storedNow(bench.context)}'`)
    )[0]?.['variants']
  const unfinished = (): Promise<unknown[]> =>
    bench.rows('select id from locations where noted_to is not null')

  it('is stored by its call, and the stock of the variants is recorded as changed in transactions of at most 250 changes', async () => {
    const sizes = await fillShelf()
    await change()
    expect(await bench.rows(`select pickable from locations where id = '${smallGoods.shelf}'`)).toEqual([
      { pickable: 0 },
    ])
    expect(await unfinished()).toHaveLength(1)
    let turnsOfOthers = 0
    for (; (await unfinished()).length > 0; turnsOfOthers++)
      await bench.context.turns.runFor('another customer', () => Promise.resolve())
    expect(turnsOfOthers).toBeGreaterThan(2)
    expect(await unchanged()).toBe(0)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(250)
  })

  it('records the stock of all variants as changed if the server stops meanwhile and the same call is made again', async () => {
    await fillShelf()
    await change()
    await bench.context.afterwards.settle()
    expect(await unchanged()).toBeGreaterThan(0)
    const afterwards = new Afterwards(bench.context.logger, bench.context.leases)
    const context = { ...bench.context, afterwards }
    const port = createWarehousePort(context, (work) => transact(context, work))
    await port.nameLocation({ code: 'A-01-01', pickable: false })
    await vi.waitUntil(async () => (await unfinished()).length === 0)
    expect(await unchanged()).toBe(0)
    await afterwards.settle()
  })

  it('records the stock of each variant as changed exactly once, even if a variant has more lots there than one step reads', async () => {
    await fillShelf()
    await addLots(bench, { variantId: smallGoods.shirtRed, locationId: smallGoods.shelf, count: 600 })
    await bench.subscribeToAll()
    await change()
    await vi.waitUntil(async () => (await unfinished()).length === 0)
    const portions = await bench.rows('select changes from event_portions')
    const later = portions.flatMap(({ changes }) =>
      (JSON.parse(String(changes)) as PortionedChange[]).map(({ entityId }) => entityId),
    )
    const events = await bench.rows('select entity_id from events')
    const noted = [...events.map((event) => String(event['entity_id'])), ...later]
    const lying = await bench.rows(
      `select distinct variant_id from batches where location_id = '${smallGoods.shelf}' and quantity > 0`,
    )
    expect(noted.toSorted()).toEqual(lying.map((lot) => lot['variant_id']).toSorted())
  })

  /**
   * Stores 395 portions (rows of `event_portions`) of the customer. The next 250 changes add ten portions, and the
   * recording of further changes waits while at least 400 portions are stored.
   */
  const storePortions = (): Promise<unknown> =>
    bench.rows(`insert into event_portions
      (customer_id, topic_group, topic_action, created_at, webhook_ids, changes)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 395)
      select '${bench.alder.id}', 'stock', 'updated', '2026', '[]', '[]' from numbers returning id`)

  it('stops recording the stock of variants as changed while at least 400 portions of its customer’s events are not written yet', async () => {
    const sizes = await fillShelf()
    await bench.subscribeToAll()
    await storePortions()
    await change()
    for (let turns = 0; turns < 20; turns++)
      await bench.context.turns.runFor('another customer', () => Promise.resolve())
    // the call itself has recorded the first 250 variants as changed, and the others wait
    expect(await unchanged()).toBe(count - 250)
    await bench.port.nameLocation({ code: 'A-01-01', pickable: true })
    expect(await unchanged()).toBe(count - 250)
    expect(sizes.filter((size) => size > 0)).toEqual([250])
    await bench.rows('delete from event_portions returning id')
    await vi.waitUntil(async () => (await unfinished()).length === 0, { timeout: 10_000 })
    expect(await unchanged()).toBe(0)
  })

  it('records the stock of all variants as changed even if the events of a customer are never written', async () => {
    await fillShelf()
    await bench.subscribeToAll()
    await bench.rows(`update locations set noted_to = '' where id = '${smallGoods.shelf}' returning id`)
    await storePortions()
    await storePortions()
    noteChangedLocations(bench.context, 0)
    await vi.waitUntil(async () => (await unfinished()).length === 0, { timeout: 20_000 })
    expect(await unchanged()).toBe(0)
  }, 30_000)
})

describe('a modification of a variant with many lots', () => {
  const place = { variantId: smallGoods.shirtRed, locationId: smallGoods.shelf }
  const make = (quantity: number, lines: number): Promise<string> =>
    createModification(bench.context, bench.alder, {
      reason: 'LOST',
      note: 'n',
      lines: Array.from({ length: lines }, () => ({ ...place, quantity })),
    })
  const lotsWith = async (condition: string): Promise<unknown> =>
    (await bench.rows(`select count(*) as lots from batches where id like 'lot-%' and ${condition}`))[0]?.[
      'lots'
    ]

  it.each([1, -1])(
    'reads only a few of these lots when it is approved with 1000 lines of %i pieces',
    async (quantity) => {
      await addLots(bench, { ...place, count: 5000 })
      const id = await make(quantity, 1000)
      await readingAtMost(3_000_000, () => bench.port.approveModification(id))
      expect(await bench.rows(`select status from modifications where id = '${id}'`)).toEqual([
        { status: 'approved' },
      ])
    },
  )

  it('takes from the lots that expire first, and of these from the oldest, even if it reads them in several steps', async () => {
    await bench.rows(`update batches set quantity = 0 where variant_id = '${place.variantId}'`)
    await addLots(bench, { ...place, count: 1500, expirationDate: null })
    await addLots(bench, { ...place, count: 30, expirationDate: '2027-01-02', from: 2001 })
    await addLots(bench, { ...place, count: 30, expirationDate: '2027-01-01', from: 3001 })
    await bench.port.approveModification(await make(-40, 1))
    expect(await lotsWith(`quantity = 1 and expiration_date = '2027-01-01'`)).toBe(0)
    expect(await lotsWith(`quantity = 1 and expiration_date = '2027-01-02'`)).toBe(20)
    await bench.port.approveModification(await make(-1000, 1))
    await bench.port.approveModification(await make(-500, 1))
    expect(await lotsWith('quantity = 1')).toBe(20)
    expect(await lotsWith(`quantity = 1 and id > 'lot-01480'`)).toBe(20)
    const tooMany = await make(-21, 1)
    await expect(bench.port.approveModification(tooMany)).rejects.toMatchObject({
      message: '21 pieces are requested and 20 are available.',
    })
  })

  it('is refused and changes nothing if it needs more lots than the maximum', async () => {
    await bench.rows(`update batches set quantity = 0 where variant_id = '${place.variantId}'`)
    await addLots(bench, { ...place, count: mostLotsTaken + 1 })
    const id = await make(-(mostLotsTaken + 1), 1)
    await expect(bench.port.approveModification(id)).rejects.toMatchObject({ kind: 'invalid' })
    expect(await lotsWith('quantity = 1')).toBe(mostLotsTaken + 1)
    await bench.port.approveModification(await make(-mostLotsTaken, 1))
    expect(await lotsWith('quantity = 1')).toBe(1)
  }, 60_000)
})

describe('an article with the maximum number of variants', () => {
  const numbered = (count: number, prefix: string): { article_code: string }[] =>
    Array.from({ length: count }, (_, index) => ({ article_code: `${prefix}-${index}` }))
  const full = { kind: 'invalid', fields: { article: ['An article may have 1000 variants at most.'] } }

  async function makeFull(): Promise<string> {
    const variants = numbered(mostVariants, 'F')
    const [made] = await createArticles(bench.context, bench.alder, [{ name: 'Full', variants, place: '' }])
    return made?.article.id ?? ''
  }

  it('gets neither a new nor a moved variant until one of its variants is deleted', async () => {
    const { context, alder, port } = bench
    const articleId = await makeFull()
    const input = { article_code: 'G', article_id: articleId }
    await expect(createVariant(context, alder, input)).rejects.toMatchObject(full)
    const id = await createVariant(context, alder, { ...input, article_id: smallGoods.shirt })
    const move = { id, changes: { article_id: articleId } }
    await expect(changeVariant(context, alder, move)).rejects.toMatchObject(full)
    const [variant] = await bench.rows("select id from variants where article_code = 'F-7'")
    await port.deleteVariant(String(variant?.['id']))
    await changeVariant(context, alder, move)
    await changeVariant(context, alder, { id, changes: { name: 'Other', article_id: articleId } })
    expect((await getArticle(context, alder, articleId)).variants).toHaveLength(mostVariants)
  })
})

describe('variants in use', () => {
  it('are found also among more variants than one statement can name', async () => {
    const others = Array.from({ length: 40_000 }, (_, index) => `none-${index}`)
    const used = await variantsInUse(bench.context.database, [...others, smallGoods.teaBox])
    expect([...used]).toEqual([smallGoods.teaBox])
  })
})

describe('a deleted article', () => {
  const all = { identifiers: { articleCode: null, ean: null, sku: null }, query: {} }

  async function make(): Promise<{ articleId: string; variantIds: string[] }> {
    const variants = [
      { article_code: 'Z-1', name: 'One', ean: '111' },
      { article_code: 'Z-2', name: 'Two' },
    ]
    const [made] = await createArticles(bench.context, bench.alder, [{ name: 'Zip', variants, place: '' }])
    if (made === undefined) throw new Error('Nothing was made')
    return { articleId: made.article.id, variantIds: made.variants.map(({ id }) => id) }
  }

  it('is contained completely in the event that reports its deletion, is no longer found or listed, and leaves its codes to new articles', async () => {
    const { articleId, variantIds } = await make()
    await bench.subscribeToAll()
    await bench.port.deleteArticle(articleId)
    expect(await bench.topics()).toEqual(['article/deleted', 'variant/deleted', 'variant/deleted'])
    const [event] = await bench.rows("select content from events where topic_group = 'article'")
    expect(JSON.parse(String(event?.['content']))).toMatchObject({
      body: { id: articleId, name: 'Zip', variants: [{ article_code: 'Z-1' }, { article_code: 'Z-2' }] },
    })
    await expect(getArticle(bench.context, bench.alder, articleId)).rejects.toMatchObject({
      kind: 'not_found',
    })
    const call = { id: String(variantIds[0]), withArticle: false }
    await expect(getVariant(bench.context, bench.alder, call)).rejects.toMatchObject({ kind: 'not_found' })
    expect((await listArticles(bench.context, bench.alder, all)).map(({ article }) => article.name)).toEqual([
      'Cardamom tea',
      'Shirt',
    ])
    const variants = await listVariants(bench.context, bench.alder, { query: {}, withArticle: true })
    expect(variants.map(({ variant }) => variant.article_code).toSorted()).toEqual(['A-0', 'A-1', 'A-2'])
    await expect(bench.port.deleteArticle(articleId)).rejects.toMatchObject({ kind: 'not_found' })
    const again = await make()
    expect(again.articleId).not.toBe(articleId)
    await bench.port.deleteVariant(String(again.variantIds[0]))
    expect(await bench.topics()).toContain('article/updated')
    await expect(bench.port.deleteVariant(String(again.variantIds[1]))).rejects.toMatchObject({
      kind: 'too_late',
    })
  })

  it('is still shown in the orders that contain it; its deletion is refused while it has pieces or open orders', async () => {
    await expect(bench.port.deleteArticle(smallGoods.shirt)).rejects.toMatchObject({ kind: 'too_late' })
    await expect(bench.port.deleteArticle(smallGoods.tea)).rejects.toMatchObject({ kind: 'too_late' })
    await bench.port.correctStock({
      variantId: smallGoods.birchVariant,
      locationId: smallGoods.shelf,
      quantity: -3,
      expirationDate: null,
    })
    await expect(bench.port.deleteArticle(smallGoods.birchArticle)).rejects.toMatchObject({
      kind: 'too_late',
    })
    await bench.port.disapproveModification(smallGoods.birchModification)
    for (const status of ['plannable', 'planned', 'processing', 'restock'] as const)
      await bench.port.moveOrder(smallOrders.birch, status)
    // an order that reserves no pieces is still an open order
    await expect(bench.port.deleteArticle(smallGoods.birchArticle)).rejects.toMatchObject({
      kind: 'too_late',
    })
    await bench.port.moveOrder(smallOrders.birch, 'problem')
    await cancelOrder(bench.context, bench.birch, smallOrders.birch)
    await bench.port.deleteArticle(smallGoods.birchArticle)
    const shown = await bench.context.eventBody(bench.context.database, 'order', {
      customerId: bench.birch.id,
      id: smallOrders.birch,
    })
    expect(shown).toMatchObject({ order_lines: [{ variant: { article_code: 'B-1' } }] })
  })
})
