import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { DeskBench, eventually } from '#support/desk-bench.ts'
import { goodsVariant, GoodsService } from '#support/goods-service.ts'

let service: GoodsService
let bench: DeskBench
let desk: Desk

const ean = '8712345678906'
const open = (): Promise<Desk> => bench.open(() => service.url, { catalogue: { everyMs: 200 } })

beforeEach(async () => {
  service = new GoodsService()
  await service.start()
  service.variants = Array.from({ length: 1_500 }, (_, n) =>
    goodsVariant(n, n === 7 ? { ean, sku: 'KN-7' } : {}),
  )
  bench = await DeskBench.create()
  desk = await open()
  await desk.session.login({ username: 'sam', password: 'right' })
  await eventually(() => desk.status().catalogue.state === 'ready')
})
afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

describe('a desk and its catalogue', () => {
  it('answers a scan of an article with the service gone, over a restart, and says as of when', async () => {
    expect(desk.status().catalogue).toMatchObject({ variants: 1_500, progress: null, failure: null })
    await service.stop()
    await bench.close(desk)
    desk = await open()
    for (const code of [ean, `0${ean}`, 'kn-7', 'a-7'])
      expect(await desk.scans.submit(code), code).toMatchObject({
        kind: 'article',
        variant: { id: goodsVariant(7).id, name: 'Article 7' },
      })
    const { asOf } = desk.status().catalogue
    expect(asOf).not.toBeNull()
    expect(await desk.scans.submit('NO-SUCH-THING')).toMatchObject({
      kind: 'unknown',
      askedService: false,
      articlesAsOf: asOf,
    })
    expect(await eventually(() => desk.status().catalogue.failure)).toMatchObject({ code: 'network.offline' })
    expect(desk.status().catalogue).toMatchObject({ state: 'ready', variants: 1_500 })
  })

  it('learns of a change by itself, without reading everything again', async () => {
    const isFull = ({ searchParams }: URL): boolean => Number(searchParams.get('limit')) === 1_000
    const full = (): number =>
      service.calls.filter((url) => isFull(url) && url.searchParams.get('sort') === 'createdAt').length
    const before = full()
    service.variants[3] = goodsVariant(3, { name: 'Renamed', modified_at: new Date().toISOString() })
    for (let name = ''; name !== 'Renamed';) {
      // lets the thread's messages in
      await new Promise((resolve) => setTimeout(resolve, 5))
      const scan = await desk.scans.submit('A-3')
      name = scan.kind === 'article' ? scan.variant.name : ''
    }
    expect(full()).toBe(before)
  })

  it('closes in the middle of a read and leaves no thread behind', async () => {
    service.delayMs = 50
    const wish = desk.catalogue.sync()
    await new Promise<void>((resolve) => (service.onCall = () => resolve()))
    await bench.close(desk)
    await wish
    // the other side hears of a closed connection a moment later; one that stays ends in the test's own time limit
    while ((await service.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(bench.log.filter((line) => /fault|broke down/.test(line))).toEqual([])
  })
})
