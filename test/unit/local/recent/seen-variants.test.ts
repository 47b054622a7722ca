import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { goodsVariant } from '#support/goods-service.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

describe('variants stored from single responses of the service', () => {
  it('are returned for a code in the order of the field that contains it: EAN, SKU, article code; for the same field, the last modified variant comes first', async () => {
    const { catalogue } = await bench.open()
    const at = (hour: number): string => `2026-02-01T${String(hour).padStart(2, '0')}:00:00Z`
    const byCode = goodsVariant(1, { article_code: '8712345678906', modified_at: at(9) })
    const bySku = goodsVariant(2, { sku: '8712345678906' })
    const older = goodsVariant(3, { ean: '8712345678906', modified_at: at(1) })
    const newer = goodsVariant(4, { ean: '08712345678906', modified_at: at(2) })
    catalogue.keep([byCode, bySku, older, newer], 5)
    expect(catalogue.byCode('08712345678906').map(({ variant }) => variant.id)).toEqual(
      [newer, older, bySku, byCode].map(({ id }) => id),
    )
    expect(catalogue.variant(byCode.id)).toEqual({ variant: byCode, asOf: 5 })
  })

  it('are at most fifty in the result for a code that many variants share', async () => {
    const { catalogue } = await bench.open()
    const shared = Array.from({ length: 400 }, (_, n) =>
      goodsVariant(n, { article_code: 'SHARED', ean: n === 7 ? 'SHARED' : null }),
    )
    for (let from = 0; from < 400; from += 40) catalogue.keep(shared.slice(from, from + 40), 5)
    const found = catalogue.byCode('SHARED')
    expect(found).toHaveLength(50)
    expect(found[0]?.variant.id).toBe(goodsVariant(7).id)
  })

  it('are at most 5,000, namely those that were stored last; lots are also stored for at most 5,000 variants', async () => {
    const store = await bench.open()
    for (let from = 0; from < 5_200; from += 400)
      store.catalogue.keep(
        Array.from({ length: 400 }, (_, n) => goodsVariant(from + n)),
        from + 1,
      )
    const database = new Database(join(bench.dataDir, 'recent.db'))
    const count = (table: string): unknown => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    expect([count('seen_variants'), count('seen_variant_codes')]).toEqual([5_000, 5_000])
    expect(store.catalogue.byCode('A-5199')).toHaveLength(1)
    expect(store.catalogue.byCode('A-1')).toEqual([])
    const lots = database.prepare(`INSERT INTO lots VALUES ('scope', ?, ?, '[]')`)
    database.transaction(() => {
      for (let n = 0; n < 5_050; n++) lots.run(`v${n}`, n)
    })()
    await store.lots.keep('newest', [], 9_000)
    expect(count('lots')).toBe(5_000)
    expect([store.lots.kept('v1'), store.lots.kept('newest')?.asOf]).toEqual([null, 9_000])
    database.close()
  })

  it('do not displace variants of a second scope, even if the service of the first scope sends dates in the future', async () => {
    const hostile = await bench.open('hostile')
    const honest = await bench.open('honest')
    honest.catalogue.keep([goodsVariant(1)], 5)
    await honest.lots.keep('v1', [], 5)
    honest.stock.keep('v1', { salable: 1, quarantine: 0, asOf: 5 })
    for (let from = 0; from < 5_200; from += 400)
      hostile.catalogue.keep(
        Array.from({ length: 400 }, (_, n) => goodsVariant(from + n)),
        4e12,
      )
    const database = new Database(join(bench.dataDir, 'recent.db'))
    database.exec(`WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 5100)
      INSERT INTO lots SELECT 'hostile', n, 4000000000000, '[]' FROM n`)
    database.exec(`WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 5100)
      INSERT INTO stock SELECT 'hostile', n, 1, 1, 4000000000000 FROM n`)
    await hostile.lots.keep('another', [], 4e12)
    hostile.stock.keep('another', { salable: 1, quarantine: 0, asOf: 4e12 })
    honest.catalogue.keep([goodsVariant(2)], 6)
    await honest.lots.keep('v2', [], 6)
    honest.stock.keep('v2', { salable: 1, quarantine: 0, asOf: 6 })
    const kept = (table: string): unknown[] =>
      database.prepare(`SELECT scope, count(*) AS n FROM ${table} GROUP BY scope ORDER BY n`).all()
    expect(kept('seen_variants')).toEqual([
      { scope: 'honest', n: 2 },
      { scope: 'hostile', n: 5_000 },
    ])
    for (const table of ['lots', 'stock']) expect(kept(table)[0]).toEqual({ scope: 'honest', n: 2 })
    expect(honest.catalogue.byCode('A-2')).toHaveLength(1)
    database.close()
  })

  it('are parsed in a search only if the search returns them', async () => {
    const { catalogue } = await bench.open()
    const shirts = Array.from({ length: 400 }, (_, n) => goodsVariant(n, { name: `Shirt ${n}` }))
    catalogue.keep(shirts, 5)
    const database = new Database(join(bench.dataDir, 'recent.db'))
    const [first, second, third] = shirts.map(({ id }) => id)
    // the bodies of all other rows are not JSON: a search that parsed one of them would fail and return nothing
    database.prepare(`UPDATE seen_variants SET body = 'no JSON' WHERE id NOT IN (?, ?)`).run(first, second)
    const { variants, more } = catalogue.search('shirt', 2)
    expect(variants).toEqual([first, second].map((id) => catalogue.variant(id ?? '')))
    expect(more).toBe(true)
    expect(catalogue.variant(third ?? '')).toBeNull()
    database.close()
  })

  it('are compared in a search until 50,000 non-ASCII characters of names and codes are reached; the result then says that more may match', async () => {
    const { catalogue } = await bench.open()
    const keep = (count: number): void =>
      catalogue.keep(
        Array.from({ length: count }, (_, n) => goodsVariant(n, { name: `shirt ${'한글 '.repeat(600)}` })),
        5,
      )
    const last = goodsVariant(5_000, { name: 'Red shirt' })
    catalogue.keep([last], 5)
    keep(50)
    expect(catalogue.search('shirt red', 20)).toEqual({ variants: [{ variant: last, asOf: 5 }], more: false })
    keep(200)
    // the articles with smaller ids now fill the 50,000 characters that a search compares, so the search does not find
    // the article with the largest id
    expect(catalogue.search('shirt red', 20)).toEqual({ variants: [], more: true })
    expect(catalogue.search('shirt', 20).variants).toHaveLength(20)
  })

  it('are stored with at most 1,000 characters of words for the search, and with the whole variant in the last column', async () => {
    const { catalogue } = await bench.open()
    const long = Array.from({ length: 300 }, (_, n) => `글${n}`).join(' ')
    catalogue.keep(
      [goodsVariant(1, { name: `Shirt ${long}`, sku: long, ean: long, article_code: 'KN-7' })],
      5,
    )
    const database = new Database(join(bench.dataDir, 'recent.db'))
    expect(database.prepare('SELECT length(words) FROM seen_variants').pluck().get()).toBe(1_000)
    const columns = database.prepare(`SELECT name FROM pragma_table_info('seen_variants')`).pluck().all()
    expect(columns.at(-1)).toBe('body')
    database.close()
  })

  it('are found by their words and by the beginnings of their codes; a variant whose whole code was typed comes first', async () => {
    const { catalogue } = await bench.open()
    const whole = goodsVariant(3, { name: 'Blue shirt', sku: 'KN-7' })
    const begun = goodsVariant(1, { name: 'Žlutá košile', article_code: 'KN-77' })
    catalogue.keep([begun, whole, goodsVariant(2, { name: 'Red shirt' })], 5)
    const found = (text: string): string[] =>
      catalogue.search(text, 20).variants.map(({ variant }) => variant.id)
    expect(found('kn-7')).toEqual([whole.id, begun.id])
    expect(found('zluta')).toEqual([begun.id])
    expect(found('blue kn')).toEqual([whole.id])
    expect(found('shirt green')).toEqual([])
  })

  it('are not found by codes that they no longer have', async () => {
    const { catalogue } = await bench.open()
    catalogue.keep([goodsVariant(1, { sku: 'OLD' })], 5)
    catalogue.keep([goodsVariant(1, { sku: 'NEW' })], 6)
    expect(catalogue.byCode('OLD')).toEqual([])
    expect(catalogue.byCode('NEW')[0]?.asOf).toBe(6)
  })

  it('are not visible to another scope', async () => {
    const here = await bench.open('here')
    here.catalogue.keep([goodsVariant(1)], 5)
    const there = await bench.open('there')
    expect(there.catalogue.variant(goodsVariant(1).id)).toBeNull()
    expect(there.catalogue.byCode('A-1')).toEqual([])
  })
})

describe('an empty catalogue', () => {
  it('has no variants and no shipping methods, and ends a sync without a request', async () => {
    const { catalogue } = await bench.open()
    expect(catalogue.state()).toEqual({
      complete: false,
      variants: 0,
      shippingMethods: 0,
      locationTypes: 0,
      asOf: null,
      skipped: 0,
    })
    expect(catalogue.methods()).toEqual({ rows: [], asOf: null })
    const run = catalogue.sync(
      {
        called: () => undefined,
        access: () => Promise.reject(new Error('nobody asks')),
        progress: () => undefined,
        lots: () => undefined,
        changed: () => undefined,
      },
      { lotsEveryMs: 1 },
    )
    expect(await run.ended).toEqual({ kind: 'stopped' })
  })
})
