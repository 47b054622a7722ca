import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { goodsBatch, goodsVariant, GoodsService } from '#support/goods-service.ts'

let service: GoodsService
let bench: DeskBench
let desk: Desk

const ean = '8712345678906'
const open = (): Promise<Desk> => bench.open(() => service.url, { catalogue: { everyMs: 200 } })

beforeEach(async () => {
  service = new GoodsService()
  await service.start()
  service.variants = Array.from({ length: 1_500 }, (_, n) =>
    goodsVariant(n, n === 7 ? { ean, sku: 'KN-7', name: 'Crème brûlée', expirable: true } : {}),
  )
  service.batches = [
    goodsBatch(1, 7, { expiration_date: '2020-02-01' }),
    goodsBatch(2, 7, { expiration_date: '2999-02-01' }),
    goodsBatch(3, 8, { expiration_date: '2020-01-01' }),
    { ...goodsBatch(4, 7), quantity: 'many' },
  ]
  bench = await DeskBench.create()
  desk = await open()
  await logIn(desk)
  await eventually(() => desk.status().catalogue.state === 'ready')
})
afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

describe('a desk with a catalogue', () => {
  it('recognizes an article after a restart without the service, and reports the age of its articles', async () => {
    expect(desk.status().catalogue).toMatchObject({ variants: 1_500, progress: null, failure: null })
    await service.stop()
    await bench.close(desk)
    desk = await open()
    for (const code of [ean, `0${ean}`, 'kn-7', 'a-7'])
      expect(await desk.scan.submit({ raw: code, expect: 'anything' }), code).toMatchObject({
        kind: 'article',
        variant: { id: goodsVariant(7).id, name: 'Crème brûlée' },
      })
    const { asOf } = desk.status().catalogue
    expect(asOf).not.toBeNull()
    expect(await desk.scan.submit({ raw: 'NO-SUCH-THING', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      askedService: false,
      articlesAsOf: asOf,
    })
    expect(await eventually(() => desk.status().catalogue.failure)).toMatchObject({ code: 'network.offline' })
    expect(desk.status().catalogue).toMatchObject({ state: 'ready', variants: 1_500 })
  })

  it('finds articles by a part of their name, and returns lots with the time of their data, while the service does not run', async () => {
    const lotsAsOf = await eventually(() => desk.catalogue.overview().lots.asOf)
    await service.stop()
    await bench.close(desk)
    desk = await open()
    expect(desk.article.search({ text: 'brul', limit: 20 })).toMatchObject({
      articles: [{ id: goodsVariant(7).id, asOf: desk.status().catalogue.asOf }],
      more: false,
      complete: true,
      asOf: desk.status().catalogue.asOf,
    })
    expect(desk.article.search({ text: 'article', limit: 20 })).toMatchObject({ more: true })
    // The desk did not request the lots of this article: it has them from its read of all lots.
    expect(await desk.article.lots({ variantId: goodsVariant(7).id })).toMatchObject({
      ok: true,
      value: { source: 'kept', asOf: lotsAsOf, lots: [{ quantity: 2 }, { quantity: 3 }] },
    })
    expect(await desk.article.expiring({ withinDays: 30 })).toMatchObject({
      lots: [{ variant: { name: 'Crème brûlée' }, lot: { expirationDate: '2020-02-01' } }],
      more: false,
      asOf: lotsAsOf,
    })
    expect(desk.catalogue.overview()).toMatchObject({
      pageRows: 1_000,
      lots: { state: 'ready', count: 3, everyHours: 6 },
      skippedRows: [{ list: 'batches', id: goodsBatch(4, 7).id, problem: 'quantity: invalid_type' }],
    })
    expect(desk.status().catalogue.skipped).toBe(1)
  })

  it('keeps the chosen interval between two reads of all lots after a restart', async () => {
    await eventually(() => desk.catalogue.overview().lots.asOf)
    expect(desk.catalogue.keepLots({ everyHours: 48 }).lots.everyHours).toBe(48)
    await bench.close(desk)
    desk = await open()
    const { lots } = desk.catalogue.overview()
    expect(Date.parse(lots.nextAt ?? '') - Date.parse(lots.asOf ?? '')).toBe(48 * 3600_000)
  })

  it('receives a change of an article automatically without reading all articles again', async () => {
    const isFull = ({ searchParams }: URL): boolean => Number(searchParams.get('limit')) === 1_000
    const full = (): number =>
      service.calls.filter((url) => isFull(url) && url.searchParams.get('sort') === 'createdAt').length
    const before = full()
    service.variants[3] = goodsVariant(3, { name: 'Renamed', modified_at: new Date().toISOString() })
    for (let name = ''; name !== 'Renamed';) {
      // Waits a moment, so that the messages of the catalogue thread arrive.
      await new Promise((resolve) => setTimeout(resolve, 5))
      const scan = await desk.scan.submit({ raw: 'A-3', expect: 'anything' })
      name = scan.kind === 'article' ? scan.variant.name : ''
    }
    expect(full()).toBe(before)
  })

  it('can close during a read of articles: the read ends without a fault, and its connections close', async () => {
    service.delayMs = 50
    const wish = desk.catalogue.sync()
    await new Promise<void>((resolve) => (service.onCall = () => resolve()))
    await bench.close(desk)
    await wish
    // The service notices a closed connection a moment later. If the connection stays open, the test fails by its
    // timeout.
    while ((await service.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(bench.log.filter((line) => /fault|thread that reads articles failed/.test(line))).toEqual([])
  })
})
