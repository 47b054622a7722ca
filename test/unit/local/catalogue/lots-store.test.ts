import { existsSync } from 'node:fs'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StoredLot } from '#desk/ports/recent-store.ts'
import { openCatalogueFiles } from '#local/catalogue/catalogue-files.ts'
import { type CataloguePaths, cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { openLotsReader } from '#local/catalogue/lots-store.ts'
import { openRecentDatabase } from '#local/recent/recent-database.ts'
import { prepareLookedLots } from '#local/recent/seen-rows.ts'
import { StoreBench } from '#support/store-bench.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

let bench: StoreBench
let paths: CataloguePaths
beforeEach(async () => {
  bench = await StoreBench.create()
  paths = cataloguePaths(bench.dataDir, scopeKeyOf('scope'))
})
afterEach(() => bench.dispose())

const lot = (id: string, expirationDate: string | null, quantity = 3): StoredLot => ({
  id,
  quantity,
  expirationDate,
  inboundReference: 'INB00000000001',
  receivedAt: '2026-01-02T00:00:00.000Z',
})
const row = (variantId: string, one: StoredLot): { variantId: string; lot: StoredLot } => ({
  variantId,
  lot: one,
})
const state = { startedAt: 100, limit: 50, page: 1, expected: 3 }

/**
 * Stores a complete pass over all lots. `asOf`: the time of the pass. The rows of the pass were read at the time 150.
 */
function pass(rows: readonly { variantId: string; lot: StoredLot }[], asOf = 100): void {
  const files = openCatalogueFiles(paths, false)
  files.lots.begin()
  files.lots.add({ rows, skipped: [{ id: 'odd', problem: 'quantity: invalid_type' }], asOf: 150 }, state)
  files.lots.publish(asOf)
  files.close()
}

describe('the stored lots of an article', () => {
  it('come from the last complete pass over all lots, or from a newer query for the article', async () => {
    pass([row('v1', lot('a', null)), row('v2', lot('b', null))])
    const { lots, catalogue } = await bench.open()
    expect(lots.kept('v1')).toEqual({ lots: [lot('a', null)], asOf: 100 })
    // the pass found no lots of this article, so the article has none
    expect(lots.kept('v9')).toEqual({ lots: [], asOf: 100 })
    await lots.keep('v1', [lot('c', null)], 99)
    expect(lots.kept('v1')?.lots).toEqual([lot('a', null)])
    await lots.keep('v1', [lot('c', null)], 101)
    expect(lots.kept('v1')).toEqual({ lots: [lot('c', null)], asOf: 101 })
    expect(catalogue.details().lots).toEqual({ asOf: 100, count: 2 })
    expect(catalogue.state().skipped).toBe(1)
    expect(catalogue.details().skippedRows).toEqual([
      { list: 'batches', id: 'odd', problem: 'quantity: invalid_type', seenAt: 150 },
    ])
  })

  it('are at most 1,001, both from a pass over all lots and from a query for the article', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => lot(`l${n}`, null))
    pass(many.map((one) => row('v1', one)))
    const { lots } = await bench.open()
    expect(lots.kept('v1')?.lots).toHaveLength(1_001)
    await lots.keep('v2', many, 200)
    expect(lots.kept('v2')?.lots).toHaveLength(1_001)
  })

  it('come only from queries for the article until the first pass over all lots is complete', async () => {
    const { lots } = await bench.open()
    expect(lots.kept('v1')).toBeNull()
    await lots.keep('v1', [lot('a', '2026-05-01')], 5)
    expect(lots.expiring('2026-06-01')).toEqual({
      lots: [{ variantId: 'v1', lot: lot('a', '2026-05-01'), asOf: 5 }],
      isCut: false,
    })
  })

  it('are listed together with those of other articles if they expire on or before a given day: by expiry date, without empty lots, each with the time at which it was read', async () => {
    pass([
      row('v1', lot('late', '2026-07-01')),
      row('v1', lot('soon', '2026-05-02')),
      row('v1', lot('none left', '2026-05-01', 0)),
      row('v2', lot('overdue', '2025-05-01')),
      row('v4', lot('replaced by a look', '2025-05-01')),
      row('v5', lot('no date', null)),
    ])
    const { lots } = await bench.open()
    await lots.keep('v4', [lot('seen', '2026-05-03')], 200)
    const found = lots.expiring('2026-06-01')
    expect(found.lots.map((one) => [one.lot.id, one.asOf])).toEqual([
      ['overdue', 150],
      ['soon', 150],
      ['seen', 200],
    ])
    expect(found.isCut).toBe(false)
    expect(lots.expiring('2026-07-01').lots).toHaveLength(4)
  })

  it('are reported as incomplete if more lots expire by the given date than the desk reads at a time', async () => {
    pass(Array.from({ length: 6_000 }, (_, n) => row(`v${n}`, lot(`l${n}`, '2026-01-01'))))
    const { lots } = await bench.open()
    const { lots: read, isCut } = lots.expiring('2026-06-01')
    expect([read.length, isCut]).toEqual([5_000, true])
  })
})

describe('a lot from the stored result of a query for an article', () => {
  const database = (): Database.Database => new Database(join(bench.dataDir, 'recent.db'))

  it('is found by its id until a later query for the same article no longer returns it', async () => {
    pass([row('v9', lot('in the pass', null))])
    const { lots } = await bench.open()
    await lots.keep('v1', [lot('a', null), lot('b', null)], 101)
    await lots.keep('v2', [lot('c', null)], 102)
    const found = (): unknown[] => ['a', 'b', 'c', 'in the pass', 'nowhere'].map((id) => lots.variantOf(id))
    expect(found()).toEqual(['v1', 'v1', 'v2', 'v9', null])
    await lots.keep('v1', [lot('b', null)], 103)
    // the service now returns the lot `b` for the article `v3`
    await lots.keep('v3', [lot('b', null)], 104)
    expect(found()).toEqual([null, 'v3', 'v2', 'v9', null])
    expect((await bench.open('there')).lots.variantOf('b')).toBeNull()
  })

  it('is stored in one of several small transactions, and other work runs between them', async () => {
    const { lots } = await bench.open()
    const many = Array.from({ length: 1_500 }, (_, n) => lot(`l${n}`, null))
    const done = lots.keep('v1', many, 1)
    let turns = 0
    while ((await Promise.race([Promise.resolve(done).then(() => 'over'), setImmediate('turn')])) === 'turn')
      turns++
    expect(turns).toBeGreaterThanOrEqual(5)
    expect([lots.variantOf('l1000'), lots.variantOf('l1001')]).toEqual(['v1', null])
  })

  it('is removed when all results take too much space and its query is the oldest', async () => {
    const recent = openRecentDatabase(bench.dataDir, () => undefined)
    const { lots } = await bench.open()
    for (const n of [1, 2, 3]) await lots.keep(`v${n}`, [lot(`l${n}`, null)], n)
    const part = recent.part((file) => prepareLookedLots(file, 200))
    const cut = (): number | null =>
      part.use(
        (looks) => looks.cut(scopeKeyOf('scope'), 1),
        () => null,
      )
    expect([cut(), cut(), cut()]).toEqual([1, 1, 0])
    expect([1, 2, 3].map((n) => lots.variantOf(`l${n}`))).toEqual([null, null, 'v3'])
    const file = database()
    expect(file.prepare('SELECT count(*) FROM lot_ids').pluck().get()).toBe(1)
    file.close()
    recent.close()
  })
})

describe('the file of all lots', () => {
  it('is replaced as a whole at the end of a pass, also of a pass that was interrupted and continued', async () => {
    pass([row('v1', lot('a', null)), row('v1', lot('gone', null))])
    const { lots } = await bench.open()
    expect(lots.kept('v1')?.lots).toHaveLength(2)
    const files = openCatalogueFiles(paths, false)
    expect(files.lots.facts()).toEqual({ asOf: 100, pageRows: null, count: 2 })
    files.lots.begin()
    files.lots.keepPageRows(250)
    expect(files.lots.add({ rows: [row('v1', lot('a', null, 9))], skipped: [], asOf: 300 }, state)).toBe(1)
    files.close()
    const again = openCatalogueFiles(paths, false)
    expect(again.lots.resume()).toEqual({ ...state, rows: 1 })
    const rows = [row('v1', lot('a', null, 8)), row('v2', lot('b', null))]
    expect(again.lots.add({ rows, skipped: [], asOf: 310 }, state)).toBe(1)
    again.lots.publish(290)
    expect(again.lots.facts()).toEqual({ asOf: 290, pageRows: 250, count: 2 })
    again.close()
    // main opens the new file only when it opens the store or when the thread has ended
    expect(lots.kept('v1')?.lots).toHaveLength(2)
    expect((await bench.open()).lots.kept('v1')).toEqual({ lots: [lot('a', null, 8)], asOf: 290 })
  })

  const damages: [string, (path: string) => Promise<void>][] = [
    ['no database', (path) => writeFile(path, 'not a database, but long enough to be one'.repeat(200))],
    ['empty', (path) => writeFile(path, '')],
    ['cut short', (path) => truncate(path, 8192)],
    [
      'of another version',
      async (path) => {
        const bytes = await readFile(path)
        bytes.writeUInt32BE(99, 60) // `user_version` in the header of an SQLite file (SQLite file format, 1.3)
        await writeFile(path, bytes)
      },
    ],
  ]
  it.each(damages)(
    'is created again if it is %s, both at the start and while it is open',
    async (_what, damage) => {
      for (const isOpen of [false, true]) {
        pass(Array.from({ length: 900 }, (_, n) => row(`v${n}`, lot(`l${n}`, '2026-01-01'))))
        const lost: unknown[] = []
        const first = openLotsReader(paths.lots, (error) => lost.push(error))
        if (isOpen) first.ofVariant('v1')
        else first.close()
        await damage(paths.lots.current)
        const reader = isOpen ? first : openLotsReader(paths.lots, (error) => lost.push(error))
        for (let n = 0; n < 900; n++) reader.ofVariant(`v${n}`)
        reader.expiring('2027-01-01', 10_000)
        reader.close()
        const files = openCatalogueFiles(paths, false)
        // an empty file counts as a missing file, so it is not kept as a damaged file
        if (lost.length > 0) expect(existsSync(paths.lots.damaged)).toBe(true)
        expect(files.lots.facts().asOf === null || lost.length === 0).toBe(true)
        files.close()
        pass([row('v1', lot('new', null))])
        const after = openLotsReader(paths.lots, (error) => lost.push(error))
        expect(after.ofVariant('v1')?.lots).toEqual([lot('new', null)])
        expect(existsSync(paths.lots.damaged)).toBe(false)
        expect(lost.length).toBeLessThanOrEqual(1)
        after.close()
      }
    },
  )
})
