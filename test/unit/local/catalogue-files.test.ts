import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCatalogueFiles } from '#local/catalogue-files.ts'
import { type CataloguePaths, cataloguePaths } from '#local/catalogue-paths.ts'
import { openCatalogueReader } from '#local/catalogue-reader.ts'
import { goodsVariant } from '#support/goods-service.ts'
import { smallId } from '#support/small-world.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
let paths: CataloguePaths
const lost: unknown[] = []
beforeEach(async () => {
  bench = await StoreBench.create()
  paths = cataloguePaths(bench.dataDir, 'scope')
  lost.length = 0
})
afterEach(() => bench.dispose())

const state = { startedAt: 5, limit: 1_000, page: 1, expected: 3 }
const rows = (
  from: number,
  to: number,
  asOf = 50,
): Parameters<ReturnType<typeof openCatalogueFiles>['change']>[0] => ({
  rows: Array.from({ length: to - from }, (_, n) => goodsVariant(from + n, { sku: `S-${from + n}` })),
  skipped: [],
  asOf,
})
const reader = (): ReturnType<typeof openCatalogueReader> =>
  openCatalogueReader(paths.goods, (error) => lost.push(error))

function publish(from: number, to: number, watermark = 60): void {
  const files = openCatalogueFiles(paths, false)
  files.next.begin()
  files.next.add(rows(from, to), state)
  files.next.index()
  files.next.publish(watermark, 40)
  files.close()
}

describe('a catalogue file', () => {
  it('is taken into use whole: nothing of a read under way is seen', () => {
    const own = reader()
    const files = openCatalogueFiles(paths, false)
    files.putLocationTypes({
      rows: [{ id: smallId(1), code: 'SHELF', name: 'Shelf', transport: false, pickable: true }],
      skipped: [],
      asOf: 30,
    })
    files.next.begin()
    files.next.add(rows(0, 500), state)
    expect(own.byCode('S-1')).toEqual([])
    expect(own.locationTypes()).toMatchObject({ rows: [{ code: 'SHELF' }], asOf: 30 })
    files.next.index()
    files.next.change(rows(499, 501))
    files.next.publish(60, 40)
    files.close()
    expect(own.byCode('S-1')).toEqual([])
    own.takeReady()
    expect(own.byCode('S-1')).toMatchObject([{ variant: { article_code: 'A-1' }, asOf: 60 }])
    expect(own.byCode('A-500')).toHaveLength(1)
    // the small lists came along
    expect(own.state()).toEqual({
      complete: true,
      variants: 501,
      shippingMethods: 0,
      locationTypes: 1,
      asOf: 60,
      skipped: 0,
    })
    expect(lost).toEqual([])
    own.close()
  })

  it('changes page by page under a reader that has it open', () => {
    publish(0, 100)
    const own = reader()
    expect(own.byCode('S-7')).toHaveLength(1)
    const files = openCatalogueFiles(paths, false)
    files.change({ rows: [goodsVariant(7, { sku: 'NEW', name: 'Renamed' })], skipped: [], asOf: 70 })
    expect(own.byCode('S-7')).toEqual([])
    expect(own.byCode('NEW')).toMatchObject([{ variant: { name: 'Renamed' }, asOf: 70 }])
    expect(own.variant(goodsVariant(8).id)?.asOf).toBe(60)
    files.settle(90)
    expect(own.variant(goodsVariant(8).id)?.asOf).toBe(90)
    files.close()
    own.close()
  })

  it('that was finished when the desk was killed is taken into use at the next start', () => {
    publish(0, 10)
    reader().close()
    publish(10, 20)
    expect(existsSync(paths.goods.ready)).toBe(true)
    const own = reader()
    expect(own.byCode('S-3')).toEqual([])
    expect(own.byCode('S-13')).toHaveLength(1)
    expect(existsSync(paths.goods.ready)).toBe(false)
    own.close()
  })

  it('never mixes with the log of the one before', async () => {
    publish(0, 2_000)
    const before = reader()
    before.byCode('S-1')
    const files = openCatalogueFiles(paths, false)
    files.change(rows(0, 500, 99))
    expect(existsSync(`${paths.goods.current}-wal`)).toBe(true)
    await mkdir(`${bench.dataDir}/aside`)
    await copyFile(`${paths.goods.current}-wal`, `${bench.dataDir}/aside/wal`)
    files.close()
    before.close()
    publish(5_000, 5_100)
    await copyFile(`${bench.dataDir}/aside/wal`, `${paths.goods.current}-wal`)
    const after = reader()
    expect(after.state().variants).toBe(100)
    expect(after.byCode('S-5001')).toHaveLength(1)
    expect(after.byCode('S-1')).toEqual([])
    expect(lost).toEqual([])
    after.close()
  })

  it('remembers how far a read was, and begins anew from half a file', async () => {
    const files = openCatalogueFiles(paths, false)
    files.next.begin()
    files.next.add(rows(0, 3), state)
    files.close()
    const again = openCatalogueFiles(paths, false)
    expect(again.next.resume()).toEqual(state)
    again.close()
    await writeFile(paths.goods.next, 'half a file'.repeat(1_000))
    const third = openCatalogueFiles(paths, false)
    expect(third.next.resume()).toBeNull()
    third.next.begin()
    third.next.add(rows(0, 3), state)
    third.close()
  })
})
