import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SkippedRow } from '#desk/ports/api.ts'
import type { SyncEnd, SyncListener, SyncProgress } from '#desk/ports/catalogue-store.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { openStore } from '#local/open-store.ts'
import { benchScope } from '#support/desk-bench.ts'
import { goodsVariant, GoodsService } from '#support/goods-service.ts'
import { smallId } from '#support/small-world.ts'
import { scopeKeyOf } from '../support/ids.ts'

let dataDir: string
let service: GoodsService
let store: StorePort
const skipped: SkippedRow[] = []
const faults: unknown[] = []
let lost = 0

async function open(): Promise<StorePort> {
  return openStore(dataDir, scopeKeyOf('scope'), () => lost++, {
    script: new URL('../../electron/catalogue-worker.ts', import.meta.url),
    fullEveryMs: 24 * 3600_000,
    reach: () => ({
      scope: benchScope,
      embedded: service.url,
      proxy: null,
      authorities: null,
      timeouts: { connectMs: 1_000, headersMs: 5_000, idleMs: 5_000, totalMs: 10_000 },
    }),
    onSkipped: (_, rows) => skipped.push(...rows),
    onFault: (error) => faults.push(error),
  })
}

async function sync(
  from: StorePort,
  hears: {
    called?: SyncListener['called']
    progress?: (progress: SyncProgress | null) => void
    changed?: () => void
  } = {},
): Promise<SyncEnd> {
  return from.catalogue.sync(
    {
      called: hears.called ?? (() => undefined),
      access: (refused) => Promise.resolve({ ok: true, token: refused === null ? 'stale' : service.token }),
      progress: hears.progress ?? (() => undefined),
      lots: () => undefined,
      changed: hears.changed ?? (() => undefined),
    },
    { lotsEveryMs: 6 * 3600_000 },
  ).ended
}

const isFullPage = ({ pathname, searchParams }: URL): boolean =>
  pathname === '/wms/variants/' &&
  searchParams.get('sort') === 'createdAt' &&
  searchParams.get('limit') !== '1'

const method = (number: number): Record<string, unknown> => ({
  id: smallId(number),
  shipper: null,
  shipper_code: null,
  code: `M${number}`,
  description: null,
  shipping_software: null,
  created_at: '2026-01-01T00:00:00Z',
  modified_at: '2026-01-01T00:00:00Z',
})

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'scandesk-catalogue-'))
  service = new GoodsService()
  await service.start()
  skipped.length = 0
  faults.length = 0
  lost = 0
  store = await open()
})
afterEach(async () => {
  store.close()
  await service.stop()
  await rm(dataDir, { recursive: true, force: true })
  expect(faults).toEqual([])
})

describe('the thread that reads articles', () => {
  it('reads all articles at first, and only the changed articles after that', async () => {
    service.variants = Array.from({ length: 2_345 }, (_, n) => goodsVariant(n))
    service.methods = [method(1), method(2)]
    service.types = [{ id: smallId(3), code: 'SHELF', name: 'Shelf', transport: false, pickable: true }]
    const told: (SyncProgress | null)[] = []
    expect(await sync(store, { progress: (progress) => told.push(progress) })).toEqual({ kind: 'done' })
    expect(store.catalogue.state()).toMatchObject({
      complete: true,
      variants: 2_345,
      shippingMethods: 2,
      locationTypes: 1,
    })
    expect(store.catalogue.byCode('A-2344')[0]?.variant).toEqual(goodsVariant(2_344))
    expect(told.at(-1)).toBeNull()
    const now = new Date().toISOString()
    service.variants[7] = goodsVariant(7, { name: 'Renamed', sku: 'NEW', modified_at: now })
    service.variants.push(goodsVariant(9_999, { created_at: now, modified_at: now }))
    const before = service.calls.length
    expect(await sync(store)).toEqual({ kind: 'done' })
    expect(service.calls.length - before).toBeLessThan(8)
    expect(store.catalogue.byCode('NEW')[0]?.variant.name).toBe('Renamed')
    expect(store.catalogue.byCode('A-9999')).toHaveLength(1)
    expect(store.catalogue.state().variants).toBe(2_346)
  })
  it('skips and reports malformed rows, and reads them once they are valid', async () => {
    const odd = { ...goodsVariant(2), article_code: null }
    service.variants = [goodsVariant(1), odd, goodsVariant(3)]
    expect(await sync(store)).toEqual({ kind: 'done' })
    expect(store.catalogue.state().variants).toBe(2)
    expect(skipped).toContainEqual({ id: odd.id, problem: 'article_code: invalid_type' })
    service.variants[1] = goodsVariant(2, { modified_at: new Date().toISOString() })
    await sync(store)
    expect(store.catalogue.byCode('A-2')).toHaveLength(1)
  })

  it('reports the outcome and the duration of each call, without the rows of the response', async () => {
    service.variants = [goodsVariant(1)]
    service.delayMs = 50
    const told: Parameters<SyncListener['called']>[] = []
    expect(await sync(store, { called: (...call) => told.push(call) })).toEqual({ kind: 'done' })
    expect(told).toHaveLength(service.calls.length)
    expect(told[0]?.[0]).toMatchObject({ kind: 'refused', status: 401 })
    const date = expect.any(Number) as number
    for (const [outcome, tookMs] of told.slice(1)) {
      expect(outcome).toEqual({ kind: 'answer', status: 200, value: null, serverDate: date })
      // The service delays each response by 50 ms, but a timer of Node may end a millisecond early.
      expect(tookMs).toBeGreaterThan(48)
      expect(tookMs).toBeLessThan(60_000)
    }
  })

  it.each([
    ['refuses long pages', { largestLimit: 100 }],
    ['returns fewer rows than requested', { longestPage: 30 }],
  ])('reads every article from a service that %s', async (_what, habits) => {
    Object.assign(service, habits)
    service.variants = Array.from({ length: 333 }, (_, n) => goodsVariant(n))
    expect(await sync(store)).toEqual({ kind: 'done' })
    expect(store.catalogue.state()).toMatchObject({ complete: true, variants: 333 })
  })

  it('determines the number of rows at the service with requests for single rows, and reports this number', async () => {
    service.variants = Array.from({ length: 3_210 }, (_, n) => goodsVariant(n))
    service.delayMs = 8
    const expected = new Set<number | null>()
    await sync(store, { progress: (progress) => expected.add(progress?.expected ?? null) })
    const probes = service.calls.filter((url) => url.searchParams.get('limit') === '1')
    expect(probes.length).toBeLessThan(30)
    // The thread reports at most five times a second, so a quick read may end before a report.
    expect([...expected].filter((rows) => rows !== null && rows !== 3_210)).toEqual([])
  })

  it('reports the rows read so far while the service delays the next page', async () => {
    service.variants = Array.from({ length: 220 }, (_, n) => goodsVariant(n))
    service.largestLimit = 100
    service.onCall = (url) => {
      service.delayMs = isFullPage(url) && url.searchParams.get('page') === '1' ? 800 : 0
    }
    const told = new Set<number | undefined>()
    await sync(store, { progress: (progress) => told.add(progress?.rows) })
    expect(told).toContain(120)
  })

  it('reports the cause and ends when the service cannot be reached, and keeps the rows that it has read', async () => {
    service.variants = [goodsVariant(1)]
    await sync(store)
    await service.stop()
    const calls: [string, number][] = []
    const called: SyncListener['called'] = ({ kind }, tookMs) => calls.push([kind, tookMs])
    expect(await sync(store, { called })).toMatchObject({
      kind: 'failed',
      failure: { code: 'network.offline' },
    })
    expect(calls).toEqual([['not_sent', expect.any(Number)]])
    expect(store.catalogue.byCode('A-1')).toHaveLength(1)
    await service.start()
  })

  it('continues a first read that was stopped before its end, without a second read of its pages', async () => {
    service.variants = Array.from({ length: 40_000 }, (_, n) => goodsVariant(n))
    let listPages = 0
    const calls: unknown[] = []
    const run = store.catalogue.sync(
      {
        called: ({ kind }) => calls.push(kind),
        access: () => Promise.resolve({ ok: true, token: service.token }),
        progress: () => undefined,
        lots: () => undefined,
        changed: () => undefined,
      },
      { lotsEveryMs: 6 * 3600_000 },
    )
    await new Promise<void>((resolve) => {
      service.onCall = (url) => {
        if (isFullPage(url) && ++listPages === 22) resolve()
      }
    })
    await run.stop()
    expect(await run.ended).not.toEqual({ kind: 'done' })
    // The stop aborts a call. An aborted call is not a failure of the connection.
    expect(new Set(calls)).toEqual(new Set(['answer']))
    expect(store.catalogue.state()).toMatchObject({ complete: false, variants: 0 })
    store.close()
    store = await open()
    const pages: number[] = []
    service.onCall = (url) => {
      if (isFullPage(url)) pages.push(Number(url.searchParams.get('page')))
    }
    // The changed row is on a page that the thread read before it was stopped.
    service.variants[5] = goodsVariant(5, { sku: 'MOVED', modified_at: new Date().toISOString() })
    expect(await sync(store)).toEqual({ kind: 'done' })
    expect(Math.max(...pages)).toBeLessThan(30)
    expect(store.catalogue.state()).toMatchObject({ complete: true, variants: 40_000 })
    expect(store.catalogue.byCode('MOVED')[0]?.variant.id).toBe(goodsVariant(5).id)
  })

  describe('an unusable catalogue file', () => {
    const file = async (): Promise<string> => {
      const names = await readdir(join(dataDir, 'catalogue'))
      return join(dataDir, 'catalogue', names.find((name) => /^[0-9a-f]+\.db$/.test(name)) ?? '')
    }
    const damages: [string, (path: string) => Promise<void>][] = [
      ['no database', (path) => writeFile(path, 'not a database, but long enough to be one'.repeat(200))],
      ['empty', (path) => writeFile(path, '')],
      ['cut in half', async (path) => truncate(path, Math.floor((await stat(path)).size / 8192) * 4096)],
      [
        'full of wrong bytes',
        async (path) =>
          writeFile(
            path,
            Buffer.concat([(await readFile(path)).subarray(0, 4096), Buffer.alloc(200_000, 7)]),
          ),
      ],
      [
        'of another version',
        async (path) => {
          const bytes = await readFile(path)
          bytes.writeUInt32BE(99, 60) // the field user_version of the header (SQLite file format, 1.3)
          await writeFile(path, bytes)
        },
      ],
    ]

    beforeEach(async () => {
      service.variants = Array.from({ length: 500 }, (_, n) => goodsVariant(n))
      await sync(store)
    })

    it.each(damages)(
      'is replaced at the start if it is %s, and then holds all articles again',
      async (_what, damage) => {
        store.close()
        await damage(await file())
        store = await open()
        expect(store.catalogue.byCode('A-400')).toEqual([])
        expect(await sync(store)).toEqual({ kind: 'done' })
        expect(store.catalogue.byCode('A-400')).toHaveLength(1)
        expect(store.catalogue.state().variants).toBe(500)
      },
    )

    it.each(damages)(
      'causes no exception in a lookup if it became %s while it was open, and is usable again after two reads of the catalogue',
      async (_what, damage) => {
        store.catalogue.byCode('A-1')
        await damage(await file())
        for (let n = 0; n < 500; n++) store.catalogue.byCode(`A-${n}`)
        store.catalogue.state()
        store.catalogue.methods()
        const ends = [await sync(store), await sync(store)]
        expect(ends.at(-1)).toEqual({ kind: 'done' })
        for (let n = 0; n < 500; n += 50) expect(store.catalogue.byCode(`A-${n}`), `A-${n}`).toHaveLength(1)
      },
    )
  })
})
