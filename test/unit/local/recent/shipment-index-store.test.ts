import { existsSync } from 'node:fs'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

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

  it('keeps scopes apart', async () => {
    const here = await bench.open('here')
    here.index.put([scriptedShipment(1)], 1, state)
    const there = await bench.open('there')
    expect(there.index.find('WEB-1')).toEqual([])
    expect(there.index.state()).toBeNull()
  })
})

describe('a damaged recent.db', () => {
  const file = (): string => join(bench.dataDir, 'recent.db')

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
