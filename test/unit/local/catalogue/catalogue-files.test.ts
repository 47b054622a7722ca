import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toStoredLot } from '#desk/catalogue/lots.ts'
import { UnusableCache } from '#local/cache.ts'
import { openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { type CataloguePaths, cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { openCatalogueReader } from '#local/catalogue/catalogue-reader.ts'
import { openLotsReader } from '#local/catalogue/lots-store.ts'
import { type SpaceLimits, standardSpace } from '#kit/disk-space.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { goodsBatch, goodsVariant } from '#support/goods-service.ts'
import { smallId } from '#support/small-world.ts'
import { StoreBench } from '#support/store-bench.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

let bench: StoreBench
let paths: CataloguePaths
const lost: unknown[] = []
beforeEach(async () => {
  bench = await StoreBench.create()
  paths = cataloguePaths(bench.dataDir, scopeKeyOf('scope'))
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

describe('the catalogue files', () => {
  it('are not opened again by a read after they were closed, and this read finds nothing', () => {
    publish(0, 3)
    const own = reader()
    expect(own.byCode('S-1')).toHaveLength(1)
    own.close()
    expect(own.byCode('S-1')).toEqual([])
    expect(lost).toEqual([])
  })

  it('show no rows of an unfinished read, and are replaced as a whole by a finished read', () => {
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
    // the small lists (shipping methods and location types) are copied into the new file
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

  it('show each change to a reader that already has the file open', () => {
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

  it('return fifty of the 3,000 variants that share a code, in the order of EAN, SKU and article code', () => {
    const files = openCatalogueFiles(paths, false)
    files.next.begin()
    const shared = Array.from({ length: 3_000 }, (_, n) =>
      goodsVariant(n, {
        article_code: 'SHARED',
        sku: n < 60 ? 'SHARED' : null,
        ean: n === 7 ? 'SHARED' : null,
      }),
    )
    files.next.add({ rows: shared, skipped: [], asOf: 50 }, state)
    files.next.index()
    files.next.publish(60, 40)
    files.close()
    const own = reader()
    const found = own.byCode('SHARED')
    expect(found).toHaveLength(50)
    expect(new Set(found.map(({ variant }) => variant.id)).size).toBe(50)
    expect(found[0]).toMatchObject({ kind: 0, variant: { id: goodsVariant(7).id } })
    expect(found.slice(1).every(({ kind }) => kind === 1)).toBe(true)
    own.close()
  })

  it('are replaced at the next start if a read was finished and the new file was not yet in use', () => {
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

  it('ignore the write-ahead log that an earlier catalogue file left in the folder', async () => {
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

  it('continue an unfinished read where it stopped, or begin a new read if its file is damaged', async () => {
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

describe('an unfinished read of the catalogue', () => {
  const endless = (space: Partial<SpaceLimits>): ReturnType<typeof openCatalogueFiles> => {
    const files = openCatalogueFiles(paths, false, { ...standardSpace, ...space })
    files.next.begin()
    files.lots.begin()
    return files
  }
  const fillUntilRefused = (files: ReturnType<typeof openCatalogueFiles>): unknown => {
    try {
      for (let from = 0; from < 50_000; from += 500) files.next.add(rows(from, from + 500), state)
    } catch (error) {
      return error instanceof CataloguedError ? error.failure.code : error
    }
    return 'no end'
  }

  it('fails with catalogue.too_large when its file reaches the maximum size', () => {
    const files = endless({ mostBytes: 2 * 1024 ** 2 })
    expect(fillUntilRefused(files)).toBe('catalogue.too_large')
    files.close()
  })

  it('fails with catalogue.low_disk while a gigabyte is still free, and its files can then be removed', () => {
    publish(0, 10)
    let free = 1.002 * 1024 ** 3
    const files = endless({ freeBytes: () => (free -= 200_000) })
    expect(fillUntilRefused(files)).toBe('catalogue.low_disk')
    const lots = [{ variantId: 'v', lot: toStoredLot(goodsBatch(1, 1)) }]
    expect(() => files.lots.add({ rows: lots, skipped: [], asOf: 1 }, state)).toThrow(CataloguedError)
    expect(() => files.change(rows(0, 1))).toThrow(CataloguedError)
    expect(existsSync(paths.goods.next)).toBe(true)
    files.dropUnfinished()
    for (const ending of ['', '-wal', '-shm'])
      expect([existsSync(paths.goods.next + ending), existsSync(paths.lots.next + ending)]).toEqual([
        false,
        false,
      ])
    files.close()
    const own = reader()
    expect(own.byCode('S-1')).toHaveLength(1)
    own.close()
  })

  it('is removed when the catalogue of any station is opened, if its file was not written for more than a day', () => {
    const old = cataloguePaths(bench.dataDir, scopeKeyOf('another')).goods.next
    openCatalogueFiles(paths, false).close()
    writeFileSync(old, 'half a file')
    writeFileSync(`${old}-wal`, 'its log')
    openCatalogueFiles(paths, false).close()
    expect(existsSync(old)).toBe(true)
    utimesSync(old, 0, 0)
    openCatalogueFiles(paths, false).close()
    expect([existsSync(old), existsSync(`${old}-wal`)]).toEqual([false, false])
  })
})

describe('catalogue rows that cannot be read', () => {
  const odd = { id: goodsVariant(3).id, problem: 'article_code: invalid_type' }

  it('are reported with the name of their list and their age until they can be read again', () => {
    publish(0, 10)
    reader().close()
    const files = openCatalogueFiles(paths, false)
    files.putMethods({ rows: [], skipped: [{ id: null, problem: 'code: invalid_type' }], asOf: 65 })
    files.change({ rows: [], skipped: [odd], asOf: 70 })
    files.settle(80)
    const own = reader()
    expect(own.state().skipped).toBe(2)
    expect(own.details().skippedRows).toEqual([
      { list: 'variants', ...odd, seenAt: 70 },
      { list: 'shippingmethods', id: null, problem: 'code: invalid_type', seenAt: 65 },
    ])
    // the new state of this row is unreadable, so the row keeps its earlier state and the age of that state
    expect(own.variant(odd.id)).toMatchObject({ variant: { article_code: 'A-3' }, asOf: 60 })
    expect(own.variant(goodsVariant(4).id)?.asOf).toBe(80)
    files.change({ rows: [goodsVariant(3, { name: 'Whole again' })], skipped: [], asOf: 90 })
    files.putMethods({ rows: [], skipped: [], asOf: 90 })
    expect(own.state().skipped).toBe(0)
    expect(own.variant(odd.id)).toMatchObject({ variant: { name: 'Whole again' }, asOf: 90 })
    files.close()
    own.close()
  })

  it('keep their last readable state when the whole catalogue is read again', () => {
    publish(0, 10)
    reader().close()
    const files = openCatalogueFiles(paths, false)
    files.next.begin()
    files.next.add({ rows: rows(5, 10).rows, skipped: [odd], asOf: 95 }, state)
    files.next.index()
    files.next.publish(100, 95)
    files.close()
    const own = reader()
    expect(own.byCode('S-3')).toMatchObject([{ asOf: 60 }])
    expect(own.byCode('S-7')).toMatchObject([{ asOf: 100 }])
    expect(own.byCode('S-4')).toEqual([])
    expect(own.search('article 3', 5).variants).toHaveLength(1)
    expect(own.state()).toMatchObject({ variants: 6, skipped: 1 })
    own.close()
  })

  it('are counted once each, even if the service sends them again', () => {
    publish(0, 10)
    reader().close()
    const files = openCatalogueFiles(paths, false)
    const method = { id: 'm', problem: 'code: invalid_type' }
    files.putMethods({ rows: [], skipped: [method], asOf: 65 })
    files.putMethods({ rows: [], skipped: [method], asOf: 66 })
    files.change({ rows: [], skipped: [odd, { id: 'other', problem: 'id: invalid_type' }], asOf: 70 })
    files.change({ rows: [], skipped: [odd], asOf: 71 })
    const own = reader()
    expect(own.state().skipped).toBe(3)
    files.next.begin()
    files.next.add({ rows: [], skipped: [odd, odd], asOf: 95 }, state)
    files.next.add({ rows: rows(3, 4).rows, skipped: [{ id: 'third', problem: '' }], asOf: 95 }, state)
    files.next.index()
    files.next.publish(100, 95)
    files.close()
    own.takeReady()
    // the skipped rows are the shipping method `m` and the variant `third`
    expect(own.state().skipped).toBe(2)
    expect(own.details().skippedRows.map(({ id, seenAt }) => [id, seenAt])).toEqual([
      ['third', 95],
      ['m', 66],
    ])
    own.close()
  })

  it('are counted, and the newest 100 are listed, without a sort or a scan of all of them', () => {
    const files = openCatalogueFiles(paths, false)
    const many = Array.from({ length: 300 }, (_, n) => ({ id: `odd ${n}`, problem: 'sku: invalid_type' }))
    files.change({ rows: [], skipped: many, asOf: 70 })
    files.lots.begin()
    files.lots.add({ rows: [], skipped: many, asOf: 80 }, state)
    files.lots.publish(90)
    files.close()
    const prepare = vi.spyOn(Database.prototype, 'prepare')
    const goods = reader()
    const lots = openLotsReader(paths.lots, (error) => lost.push(error))
    expect([goods.state().skipped, lots.state().skipped]).toEqual([300, 300])
    expect([goods.details().skippedRows.length, lots.skipped(100).length]).toEqual([100, 100])
    goods.close()
    lots.close()
    const ofSkipped = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('skipped'))
    prepare.mockRestore()
    const database = new Database(paths.goods.current, { readonly: true })
    const steps = [...new Set(ofSkipped)].flatMap((sql) =>
      database
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array.from(sql.matchAll(/\?/g), () => 1))
        .map(({ detail }) => detail),
    )
    database.close()
    const scans = steps.filter((step) => /SCAN (skipped|s\b)|TEMP B-TREE/.test(step))
    // a scan of this index is allowed, because it ends with the hundredth row
    expect(scans.filter((step) => step !== 'SCAN skipped USING INDEX skipped_by_age')).toEqual([])
    expect(scans).not.toEqual([])
    expect(lost).toEqual([])
  })
})

describe('the list of shipping methods', () => {
  it('stores the first 255 characters of long texts, and finds the code of a method with a database index', () => {
    const long = 'x'.repeat(20_000)
    const at = '2026-01-01T00:00:00+00:00'
    const files = openCatalogueFiles(paths, false)
    const nullable = { shipper: long, shipper_code: null, description: long, shipping_software: null }
    files.putMethods({
      rows: [1, 2].map((n) => ({
        id: smallId(n),
        code: `${n}${long}`,
        ...nullable,
        created_at: at,
        modified_at: at,
      })),
      skipped: [],
      asOf: 30,
    })
    files.close()
    const prepare = vi.spyOn(Database.prototype, 'prepare')
    const own = reader()
    expect(own.methods().rows.map((row) => [row.shipper?.length, row.description?.length])).toEqual([
      [255, 255],
      [255, 255],
    ])
    expect(own.methodCode(smallId(2))).toBe(`2${long}`.slice(0, 255))
    expect(own.methodCode(smallId(3))).toBeNull()
    own.close()
    const [sql = ''] = prepare.mock.calls.flat().filter((text) => text.includes("'code'"))
    prepare.mockRestore()
    const database = new Database(paths.goods.current, { readonly: true })
    const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all('a', 'b')
    database.close()
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SEARCH small_lists USING INDEX small_lists_by_id /),
    ])
    expect(lost).toEqual([])
  })
})

describe('a variant that the service sends twice in one read', () => {
  it('is stored once, in the state that the service sent last', () => {
    const files = openCatalogueFiles(paths, false)
    files.next.begin()
    files.next.add(rows(0, 5), state)
    files.next.add({ rows: [goodsVariant(2, { sku: 'LATER', name: 'Later' })], skipped: [], asOf: 55 }, state)
    files.close()
    const again = openCatalogueFiles(paths, false)
    again.next.resume()
    again.next.index()
    again.next.publish(60, 40)
    again.close()
    const own = reader()
    expect(own.byCode('S-2')).toEqual([])
    expect(own.byCode('LATER')).toHaveLength(1)
    expect(own.search('article', 10).variants).toHaveLength(4)
    expect(own.search('later', 10).variants).toHaveLength(1)
    expect(own.state().variants).toBe(5)
    own.close()
  })
})

describe('a catalogue file of another version', () => {
  const ofVersion = (file: string, version: number): void => {
    const database = new Database(file)
    database.pragma(`user_version = ${String(version)}`)
    database.close()
  }

  it('is refused by the reader and the writer, and can then be put aside for a new file', () => {
    publish(0, 20)
    reader().close()
    ofVersion(paths.goods.current, 99)
    const own = reader()
    expect([own.byCode('S-7'), own.isLost(), lost.length]).toEqual([[], true, 1])
    expect(() => openCatalogueFiles(paths, false)).toThrow(UnusableCache)
    openCatalogueFiles(paths, true).close()
    expect(existsSync(paths.goods.damaged)).toBe(true)
    own.found()
    expect(own.state().variants).toBe(0)
    own.close()
  })

  it('is replaced by a new file if it contains an unfinished read', () => {
    const files = openCatalogueFiles(paths, false)
    files.next.begin()
    files.next.add(rows(0, 5), state)
    files.close()
    ofVersion(paths.goods.next, 99)
    const again = openCatalogueFiles(paths, false)
    expect(again.next.resume()).toBeNull()
    again.next.begin()
    again.next.add(rows(0, 5), state)
    again.next.index()
    again.next.publish(60, 40)
    again.close()
    const own = reader()
    expect(own.byCode('S-4')).toHaveLength(1)
    own.close()
  })
})

describe.runIf(process.platform === 'linux')(
  'opening a catalogue of 20,000 variants and searching in it',
  () => {
    /** Returns the number of bytes that this process has read, including those from the page cache. */
    const readBytes = (): number => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

    it('reads less than a tenth of the file', () => {
      publish(0, 20_000)
      const full = reader()
      full.close()
      const size = statSync(paths.goods.current).size
      const before = readBytes()
      const own = reader()
      expect(own.state().variants).toBe(20_000)
      expect(own.byCode('S-1234')).toHaveLength(1)
      expect(own.search('article 77', 20).variants).not.toEqual([])
      expect(readBytes() - before).toBeLessThan(size / 10)
      own.close()
    })
  },
)
