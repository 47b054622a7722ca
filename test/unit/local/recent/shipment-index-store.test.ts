import { existsSync } from 'node:fs'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LabelIndexStore, ShipmentIndexStore } from '#desk/ports/recent-store.ts'
import { createLabelIndexStore } from '#local/recent/label-index-store.ts'
import { openRecentDatabase } from '#local/recent/recent-database.ts'
import { createRecentRoom } from '#local/recent/recent-room.ts'
import { createShipmentIndexStore, shipmentQuestions } from '#local/recent/shipment-index-store.ts'
import { oldestRows } from '#local/recent/walked-list.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { count, seed } from '#support/counts.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { smallId } from '#support/small-world.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'
import { serverLabelIdOf } from '#support/ids.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

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
    await index.put([newer, older], 50, () => state)
    expect(index.find('WEB7').map(({ shipment }) => shipment.id)).toEqual([newer.id, older.id])
    for (const code of ['SHP00000000002', '3SABC2', 'PO-2'])
      expect(index.find(code)).toEqual([{ shipment: newer, asOf: 50 }])
    expect(index.find('NOTHING')).toEqual([])
    expect(index.count()).toBe(2)
    expect(index.state()).toEqual(state)
  })

  it('parses no more shipments of an order than the caller requested', async () => {
    const { index } = await bench.open()
    const ofOrder = Array.from({ length: 20 }, (_, at) => ({
      ...scriptedShipment(at + 1, 1_000 + at),
      order_external_reference: 'WEB 7',
    }))
    await index.put(ofOrder, 50, () => state)
    const parse = vi.spyOn(JSON, 'parse')
    try {
      expect(index.find('WEB7', 9).map(({ shipment }) => shipment.id)).toEqual(
        ofOrder
          .slice(-9)
          .reverse()
          .map(({ id }) => id),
      )
      expect(parse.mock.calls.length).toBe(9)
    } finally {
      parse.mockRestore()
    }
  })

  it('removes the codes that a shipment no longer has', async () => {
    const { index } = await bench.open()
    await index.put([scriptedShipment(1)], 1, null)
    await index.put([{ ...scriptedShipment(1), order_external_reference: 'NEW' }], 2, null)
    expect(index.find('WEB-1')).toEqual([])
    expect(index.find('NEW')[0]?.asOf).toBe(2)
    expect(index.state()).toBeNull()
  })

  it('stores the serial numbers of a page until it has 20,000 codes, and then only the first 50 of each further shipment', async () => {
    const { index } = await bench.open()
    const page = Array.from({ length: 40 }, (_, number) =>
      withSerials(number + 1, 1_000, ...Array.from({ length: 2_400 }, (_each, at) => `S${number + 1}X${at}`)),
    )
    await index.put(page, 1, null)
    expect(index.findSerial('S1X2399')).toHaveLength(1)
    expect(index.findSerial('S40X0')).toHaveLength(1)
    expect(index.findSerial('S40X2399')).toEqual([])
  })

  it('separates the shipments of two scopes', async () => {
    const here = await bench.open('here')
    await here.index.put([scriptedShipment(1)], 1, () => state)
    const there = await bench.open('there')
    expect(there.index.find('WEB-1')).toEqual([])
    expect(there.index.state()).toBeNull()
  })
})

/** Returns a shipment with these serial numbers on its goods. */
function withSerials(number: number, createdAt: number, ...serials: string[]): Shipment {
  const one = scriptedShipment(number, createdAt)
  const lines = (one.shipment_lines ?? []).map((line) => ({ ...line, serial_numbers: serials }))
  return { ...one, shipment_lines: lines }
}

describe('serial numbers in the shipment index', () => {
  it('find the shipments that have them, newest first, and are separate from the codes of parcels', async () => {
    const { index } = await bench.open()
    const [older, newer] = [withSerials(1, 1_000, 'sn 7', 'SN8'), withSerials(2, 2_000, 'SN7')]
    await index.put([newer, older], 50, () => state)
    expect(index.findSerial('SN7').map(({ shipment }) => shipment.id)).toEqual([newer.id, older.id])
    expect(index.findSerial('SN8')[0]?.shipment.id).toBe(older.id)
    expect(index.find('SN7')).toEqual([])
    expect(index.findSerial('3SABC1')).toEqual([])
    await index.put([withSerials(1, 1_000)], 60, null)
    expect(index.findSerial('SN8')).toEqual([])
  })
})

describe('a page of shipments with many codes, written to the shipment index', () => {
  const serialsOf = (number: number): string[] => Array.from({ length: 2_000 }, (_, at) => `S${number}X${at}`)
  const page = Array.from({ length: 9 }, (_, at) => withSerials(at + 1, at * 1_000, ...serialsOf(at + 1)))

  it('is written in pieces of complete shipments; the last piece extends the period that the index covers', async () => {
    const { index } = await bench.open()
    const written = { isDone: false }
    const writing = index.put(page, 1, () => state).then(() => (written.isDone = true))
    const counts = new Set<number>()
    while (!written.isDone) {
      await nextTurn()
      counts.add(index.count())
      const isWhole = index.count() === page.length
      if (!isWhole) expect(index.state()).toBeNull()
      for (const number of page.keys())
        expect(index.findSerial(`S${number + 1}X1999`).length).toBe(
          index.get(scriptedShipment(number + 1).id) === null ? 0 : 1,
        )
    }
    await writing
    expect(counts.size).toBeGreaterThan(5)
    expect(index.state()).toEqual(state)
  })

  it('is written completely before a newer response that arrives during its write', async () => {
    const { index } = await bench.open()
    const older = index.put(page, 1, null)
    await index.put([{ ...scriptedShipment(9), order_external_reference: 'NEW' }], 2, null)
    await older
    expect(index.get(scriptedShipment(9).id)?.asOf).toBe(2)
    expect(index.find('NEW')).toHaveLength(1)
  })

  it('does not extend the period that the index covers if the file was lost during the write', async () => {
    let losses = 0
    const { index } = await bench.open('scope', () => losses++)
    await index.put([scriptedShipment(50)], 1, null)
    const database = new Database(file())
    database.prepare("UPDATE shipments SET body = '{}'").run()
    database.close()
    let isReached = false
    const writing = index.put(page, 1, () => {
      isReached = true
      return state
    })
    await nextTurn()
    await nextTurn()
    expect(index.count()).toBeGreaterThan(1)
    index.get(scriptedShipment(50).id)
    await writing
    expect([losses, isReached, index.count(), index.state()]).toEqual([1, false, 0, null])
  })

  it('is removed in steps of fewer than five shipments', async () => {
    const { index } = await bench.open()
    await index.put(page, 1, null)
    const gone = [index.trim(1e12, 1e12, 200), index.trim(1e12, 1e12, 200)]
    expect(gone.every((rows) => rows > 0 && rows < 5)).toBe(true)
    while (index.trim(1e12, 1e12, 200) > 0);
    expect(index.count()).toBe(0)
    expect(index.findSerial('S9X0')).toEqual([])
  })

  it(
    'is stored with at most 5,000 codes of one shipment, and without codes that are too long',
    { timeout: 180_000 },
    async () => {
      const { index } = await bench.open()
      const many = Array.from({ length: 6_000 }, (_, at) => `M${at}`)
      const orders = 'X'.repeat(3_000)
      await index.put([{ ...withSerials(1, 1, ...many), order_external_reference: orders }], 1, null)
      // a few of the 5,000 stored codes are references of the shipment, so slightly fewer than 5,000 of the serial
      // numbers are stored
      const stored = many.filter((code) => index.findSerial(code).length === 1)
      expect(stored).toEqual(many.slice(0, stored.length))
      expect(stored.length).toBeLessThan(5_000)
      expect(stored.length).toBeGreaterThan(4_990)
      expect(index.find(orders)).toEqual([])
    },
  )
})

describe('the size limit of recent.db', () => {
  const limit = 3_000_000
  const filler = (number: number): Shipment => withSerials(number, number * 1_000, 'x'.repeat(1_900))

  async function filled(): Promise<{
    index: ShipmentIndexStore
    other: ShipmentIndexStore
    labels: LabelIndexStore
  }> {
    const recent = openRecentDatabase(bench.dataDir, () => undefined)
    databases.push(recent)
    const room = createRecentRoom(recent, scopeKeyOf('scope'), limit)
    const index = createShipmentIndexStore(recent, scopeKeyOf('scope'), room)
    const other = createShipmentIndexStore(
      recent,
      scopeKeyOf('other'),
      createRecentRoom(recent, scopeKeyOf('other'), limit),
    )
    const labels = createLabelIndexStore(recent, scopeKeyOf('scope'), room)
    const rows = (from: number): Shipment[] => Array.from({ length: 300 }, (_, at) => filler(from + at))
    await other.put(rows(1), 5, () => ({ newest: 300_000, oldest: 0, complete: true, syncedAt: 300_000 }))
    for (const from of [1, 301, 601])
      await index.put(rows(from), 5, () => ({
        newest: 900_000,
        oldest: 0,
        complete: true,
        syncedAt: 900_000,
      }))
    return { index, other, labels }
  }
  const databases: { close: () => void }[] = []
  afterEach(() => {
    for (const one of databases.splice(0)) one.close()
  })

  it('causes the removal of the rows of other stations first, then of the oldest rows of the open station', async () => {
    const { index, other } = await filled()
    expect(index.keptFrom()).toBeNull()
    expect(index.makeRoom(20)).toBeGreaterThan(0)
    expect([other.count() < 300, index.count(), index.keptFrom()]).toEqual([true, 900, null])
    while (index.makeRoom(20) > 0);
    expect(other.count()).toBe(0)
    const kept = index.count()
    expect(kept).toBeGreaterThan(100)
    expect(kept).toBeLessThan(900)
    // the newest shipments stay, and the index covers the time from the oldest of them on
    const oldest = 900 - kept + 1
    expect(index.get(scriptedShipment(oldest).id)).not.toBeNull()
    expect(index.get(scriptedShipment(oldest - 1).id)).toBeNull()
    expect(index.keptFrom()).toBe((oldest - 1) * 1_000 + 1)
    expect(index.state()).toMatchObject({ oldest: index.keptFrom(), newest: 900_000 })
    // enough rows were removed that the next page does not exceed the limit
    await index.put([filler(901)], 6, null)
    expect(index.makeRoom(20)).toBe(0)
  })

  it('causes the removal of shipments or labels, whichever are the oldest rows of the open station', async () => {
    const { index, labels } = await filled()
    const label = (number: number, at: number): ReturnLabel => ({
      ...{
        id: serverLabelIdOf(smallId(900 + number)),
        external_reference: `L-${number}`,
        url: null,
        shipment: null,
      },
      ...{ created_at: new Date(at).toISOString(), tracking_information: [], sender_address: null },
    })
    await labels.put([label(1, 500), label(2, 950_000)], 5, null)
    while (index.makeRoom(20) > 0);
    expect([
      labels.get(serverLabelIdOf(smallId(901))),
      labels.get(serverLabelIdOf(smallId(902)))?.label.id,
    ]).toEqual([null, smallId(902)])
  })
})

describe('trimming the shipment index', () => {
  it('removes at most the requested number of the oldest shipments with their codes, and shortens the period that the index covers', async () => {
    const { index } = await bench.open()
    await index.put(
      Array.from({ length: 9 }, (_, n) => withSerials(n + 1, (n + 1) * 10, `SN${n + 1}`)),
      100,
      () => ({ newest: 90, oldest: 0, complete: true, syncedAt: 100 }),
    )
    await index.put([withSerials(2, 20, 'SN2')], 500, null)
    expect([index.trim(50, 400, 2), index.count()]).toEqual([2, 7])
    expect(index.state()).toMatchObject({ oldest: 50, newest: 90, complete: true })
    expect([index.trim(50, 400, 2), index.trim(50, 400, 2)]).toEqual([1, 0])
    // this shipment stays, because the service returned it again at the time 500, which is after the limit of 400
    expect(index.find('3SABC2')).toHaveLength(1)
    for (const gone of [1, 3, 4]) {
      expect(index.find(`3SABC${gone}`)).toEqual([])
      expect(index.findSerial(`SN${gone}`)).toEqual([])
    }
    for (const kept of [5, 6, 7, 8, 9]) expect(index.findSerial(`SN${kept}`)).toHaveLength(1)
    expect(index.count()).toBe(6)
  })
})

describe('the queries of the shipment index', () => {
  it('use an index, without a table scan', async () => {
    const store = await bench.open()
    await store.index.put([scriptedShipment(1)], 1, () => state)
    const database = new Database(file(), { readonly: true })
    const { find, findSerial, get } = shipmentQuestions
    for (const sql of [find, findSerial, get, oldestRows('shipments'), oldestRows('labels')]) {
      const steps = database
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array.from(sql.matchAll(/\?/g), () => 1), { scope: 1, before: 1, said: 1, most: 1 })
        .map(({ detail }) => detail)
      expect(steps.length).toBeGreaterThan(0)
      // in the query plan, `c` stands for the rows found by the code, and `n` for the newest of these rows
      expect(steps.filter((step) => /^SCAN (?!c$|n$)/.test(step))).toEqual([])
      const searches = steps.filter((step) => step.startsWith('SEARCH'))
      if (sql.includes('JOIN')) expect(searches[0]).toContain('(scope=? AND code=?)')
      if (sql.includes('JOIN')) expect(searches).toHaveLength(3)
      for (const step of searches.slice(1)) expect(step).toContain('(scope=? AND id=?)')
      if (sql.includes('ORDER BY created_at')) expect(steps.join()).not.toContain('TEMP B-TREE')
      if (sql.includes('as_of <')) expect(searches[0]).toContain('USING COVERING INDEX')
    }
    database.close()
  })
})

describe('a recent.db that is damaged or of another version', () => {
  it('is put aside when it is opened, and an empty file replaces it; desk.db is not changed', async () => {
    const first = await bench.open()
    const label = makeLabel(first)
    await first.index.put([scriptedShipment(1)], 1, () => state)
    first.close()
    await writeFile(file(), 'not a database at all, but long enough to be one'.repeat(100))
    let lost = 0
    const again = await bench.open('scope', () => lost++)
    expect(lost).toBe(1)
    expect(again.index.count()).toBe(0)
    await again.index.put([scriptedShipment(1)], 1, () => state)
    expect(again.index.count()).toBe(1)
    expect(again.labels.get(label.id)?.id).toBe(label.id)
    expect(existsSync(join(bench.dataDir, 'recent.damaged.db'))).toBe(true)
  })

  it('never makes a search for a scanned code throw, whichever of its pages are damaged', async () => {
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
            await filled.index.put(
              Array.from({ length: 40 }, (_, n) => scriptedShipment(n + 1)),
              1,
              () => state,
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
            await store.index.put([scriptedShipment(1)], 2, () => state)
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

  it('is replaced by an empty file if it has the version of another release', async () => {
    const first = await bench.open()
    first.close()
    const bytes = await readFile(file())
    bytes.writeUInt32BE(99, 60) // `user_version` in the header of an SQLite file (SQLite file format, 1.3)
    await writeFile(file(), bytes)
    const again = await bench.open()
    expect(again.index.count()).toBe(0)
  })
})
