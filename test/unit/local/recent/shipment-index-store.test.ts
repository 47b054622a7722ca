import { existsSync } from 'node:fs'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recentShipments } from '#local/migrations/recent-0001-shipments.ts'
import { recentLabelsLots } from '#local/migrations/recent-0002-labels-lots.ts'
import { recentSearch } from '#local/migrations/recent-0003-search.ts'
import { shipmentQuestions } from '#local/recent/shipment-index-store.ts'
import { oldestRows } from '#local/recent/walked-list.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { count, seed } from '#support/counts.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

const file = (): string => join(bench.dataDir, 'recent.db')

const state = { newest: 2, oldest: 1, complete: false, syncedAt: 3 }

describe('the shipment index', () => {
  it('finds a shipment by every code on it, newest first', async () => {
    const { index } = await bench.open()
    const older = { ...scriptedShipment(1, 1_000), order_external_reference: 'WEB 7' }
    const newer = { ...scriptedShipment(2, 2_000), order_external_reference: 'web7', po_number: 'po-2' }
    index.put([newer, older], 50, state)
    expect(index.find('WEB7').map(({ shipment }) => shipment.id)).toEqual([newer.id, older.id])
    for (const code of ['SHP00000000002', '3SABC2', 'PO-2'])
      expect(index.find(code)).toEqual([{ shipment: newer, asOf: 50 }])
    expect(index.find('NOTHING')).toEqual([])
    expect(index.count()).toBe(2)
    expect(index.state()).toEqual(state)
  })

  it('forgets the codes that a shipment no longer has', async () => {
    const { index } = await bench.open()
    index.put([scriptedShipment(1)], 1, null)
    index.put([{ ...scriptedShipment(1), order_external_reference: 'NEW' }], 2, null)
    expect(index.find('WEB-1')).toEqual([])
    expect(index.find('NEW')[0]?.asOf).toBe(2)
    expect(index.state()).toBeNull()
  })

  it('keeps only so many serial numbers of a page, the first of each shipment in any case', async () => {
    const { index } = await bench.open()
    const page = Array.from({ length: 40 }, (_, number) =>
      withSerials(number + 1, 1_000, ...Array.from({ length: 2_400 }, (_each, at) => `S${number + 1}X${at}`)),
    )
    index.put(page, 1, null)
    expect(index.findSerial('S1X2399')).toHaveLength(1)
    expect(index.findSerial('S40X0')).toHaveLength(1)
    expect(index.findSerial('S40X2399')).toEqual([])
  })

  it('keeps scopes apart', async () => {
    const here = await bench.open('here')
    here.index.put([scriptedShipment(1)], 1, state)
    const there = await bench.open('there')
    expect(there.index.find('WEB-1')).toEqual([])
    expect(there.index.state()).toBeNull()
  })
})

/** A shipment with these numbers on its goods. */
function withSerials(number: number, createdAt: number, ...serials: string[]): Shipment {
  const one = scriptedShipment(number, createdAt)
  const lines = (one.shipment_lines ?? []).map((line) => ({ ...line, serial_numbers: serials }))
  return { ...one, shipment_lines: lines }
}

describe('serial numbers', () => {
  it('find the newest shipment of what bears them, apart from the codes of parcels', async () => {
    const { index } = await bench.open()
    const [older, newer] = [withSerials(1, 1_000, 'sn 7', 'SN8'), withSerials(2, 2_000, 'SN7')]
    index.put([newer, older], 50, state)
    expect(index.findSerial('SN7').map(({ shipment }) => shipment.id)).toEqual([newer.id, older.id])
    expect(index.findSerial('SN8')[0]?.shipment.id).toBe(older.id)
    expect(index.find('SN7')).toEqual([])
    expect(index.findSerial('3SABC1')).toEqual([])
    index.put([withSerials(1, 1_000)], 60, null)
    expect(index.findSerial('SN8')).toEqual([])
  })

  it('are known of what was kept before anybody asked for them', async () => {
    const database = new Database(file())
    for (const { sql } of [recentShipments, recentLabelsLots, recentSearch]) database.exec(sql)
    database.pragma('user_version = 3')
    const insert = database.prepare(
      'INSERT INTO shipments (scope, id, created_at, as_of, body) VALUES (?, ?, 1, 1, ?)',
    )
    for (const one of [
      withSerials(1, 1, 'sn 1', 'sn1', ' '),
      { ...scriptedShipment(2), shipment_lines: undefined },
    ])
      insert.run('scope', one.id, JSON.stringify(one))
    database.close()
    const { index } = await bench.open()
    expect(index.findSerial('SN1').map(({ shipment }) => shipment.id)).toEqual([scriptedShipment(1).id])
    expect(index.count()).toBe(2)
  })
})

describe('letting go of the oldest', () => {
  it('takes a few at a time, with their codes, and says how far back all is kept from then on', async () => {
    const { index } = await bench.open()
    index.put(
      Array.from({ length: 9 }, (_, n) => withSerials(n + 1, (n + 1) * 10, `SN${n + 1}`)),
      100,
      { newest: 90, oldest: 0, complete: true, syncedAt: 100 },
    )
    index.put([withSerials(2, 20, 'SN2')], 500, null)
    expect([index.trim(50, 400, 2), index.count()]).toEqual([2, 7])
    expect(index.state()).toMatchObject({ oldest: 50, newest: 90, complete: true })
    expect([index.trim(50, 400, 2), index.trim(50, 400, 2)]).toEqual([1, 0])
    // the service spoke of it since
    expect(index.find('3SABC2')).toHaveLength(1)
    for (const gone of [1, 3, 4]) {
      expect(index.find(`3SABC${gone}`)).toEqual([])
      expect(index.findSerial(`SN${gone}`)).toEqual([])
    }
    for (const kept of [5, 6, 7, 8, 9]) expect(index.findSerial(`SN${kept}`)).toHaveLength(1)
    expect(index.count()).toBe(6)
  })
})

it('answers every question by an index', async () => {
  const store = await bench.open()
  store.index.put([scriptedShipment(1)], 1, state)
  const database = new Database(file(), { readonly: true })
  const { find, findSerial, get } = shipmentQuestions
  for (const sql of [find, findSerial, get, oldestRows('shipments'), oldestRows('labels')]) {
    const steps = database
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from(sql.matchAll(/\?/g), () => 1))
      .map(({ detail }) => detail)
    expect(steps.length).toBeGreaterThan(0)
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([])
    if (sql.includes('JOIN')) expect(steps[0]).toContain('(scope=? AND code=?)')
    if (sql.includes('JOIN')) expect(steps[1]).toContain('(scope=? AND id=?)')
    if (sql.includes('ORDER BY created_at')) expect(steps.join()).not.toContain('TEMP B-TREE')
  }
  database.close()
})

describe('a damaged recent.db', () => {
  it('is put aside at opening and filled anew, desk.db untouched', async () => {
    const first = await bench.open()
    const label = makeLabel(first)
    first.index.put([scriptedShipment(1)], 1, state)
    first.close()
    await writeFile(file(), 'not a database at all, but long enough to be one'.repeat(100))
    let lost = 0
    const again = await bench.open('scope', () => lost++)
    expect(lost).toBe(1)
    expect(again.index.count()).toBe(0)
    again.index.put([scriptedShipment(1)], 1, state)
    expect(again.index.count()).toBe(1)
    expect(again.labels.get(label.id)?.id).toBe(label.id)
    expect(existsSync(join(bench.dataDir, 'recent.damaged.db'))).toBe(true)
  })

  it('never throws at a scan, whichever of its pages rot while it is open', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), {
          minLength: 1,
          maxLength: 8,
        }),
        async (flips) => {
          const own = await StoreBench.create()
          try {
            const filled = await own.open()
            filled.index.put(
              Array.from({ length: 40 }, (_, n) => scriptedShipment(n + 1)),
              1,
              state,
            )
            filled.close()
            const target = join(own.dataDir, 'recent.db')
            const { size } = await stat(target)
            const handle = await open(target, 'r+')
            for (const [where, byte] of flips) {
              const page = Math.floor((where * size) / 4096) * 4096
              await handle.write(Buffer.alloc(512, byte), 0, 512, page)
            }
            await handle.close()
            const store = await own.open()
            for (let n = 1; n <= 40; n++) store.index.find(`WEB-${n}`)
            store.index.count()
            store.index.state()
            store.index.put([scriptedShipment(1)], 2, state)
            expect(store.index.find('WEB-1')[0]?.shipment.reference ?? 'SHP00000000001').toBe(
              'SHP00000000001',
            )
          } finally {
            await own.dispose()
          }
        },
      ),
      { numRuns: count(15, 200), seed },
    )
  })

  it('of a newer Scandesk is replaced: it only repeats the service', async () => {
    const first = await bench.open()
    first.close()
    const bytes = await readFile(file())
    bytes.writeUInt32BE(99, 60) // user_version in the header (SQLite file format, 1.3)
    await writeFile(file(), bytes)
    const again = await bench.open()
    expect(again.index.count()).toBe(0)
  })
})
