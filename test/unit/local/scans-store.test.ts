import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ScanChoice } from '#desk/ports/store.ts'
import { openDeskDatabase } from '#local/desk-database.ts'
import { createScanChoicesStore } from '#local/scans-store.ts'
import { scopeKeyOf } from '#support/ids.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

const choice: ScanChoice = {
  reach: 'code',
  code: 'A-1',
  expect: 'anything',
  kind: 'article',
  chosen: null,
  chosenAt: 10,
}

describe('the scans store', () => {
  it('still has the choices for an ambiguous code after a restart, separately for each scope, for each expected kind of scan, and for the code alone and all codes of its pattern', async () => {
    const store = await bench.open()
    const several = { subjectId: 's2', among: ['s1', 's2'] }
    store.choices.put({ ...choice, kind: 'shipment', chosen: several })
    store.choices.put({ ...choice, reach: 'shape', kind: 'location' })
    store.choices.put({ ...choice, expect: 'stock', kind: 'location' })
    store.close()
    const again = await bench.open()
    expect(again.choices.get(choice)).toEqual({ ...choice, kind: 'shipment', chosen: several })
    expect(again.choices.get({ ...choice, reach: 'shape' })?.kind).toBe('location')
    expect(again.choices.get({ ...choice, expect: 'stock' })?.kind).toBe('location')
    expect((await bench.open('other')).choices.get(choice)).toBeNull()
  })

  it('replaces the choice for a scan with a later choice, and removes a choice on request', async () => {
    const { choices } = await bench.open()
    choices.put({ ...choice, chosen: { subjectId: 'v1', among: ['v1', 'v2'] } })
    choices.put({ ...choice, kind: 'location', chosenAt: 20 })
    expect(choices.get(choice)).toEqual({ ...choice, kind: 'location', chosenAt: 20 })
    choices.forget(choice)
    expect(choices.get(choice)).toBeNull()
  })

  it('keeps the 5,000 most recently used choices of each scope, and removes the others', async () => {
    const database = await openDeskDatabase(bench.dataDir)
    const choices = createScanChoicesStore(database, scopeKeyOf('scope'))
    const other = createScanChoicesStore(database, scopeKeyOf('other'))
    other.put({ ...choice, code: 'other' })
    database
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4999)
         INSERT INTO scan_choices (scope, reach, code, expect, kind, chosen_at, used_at)
         SELECT ?, 'code', CAST(n AS TEXT), 'anything', 'article', n, n FROM numbers`,
      )
      .run(scopeKeyOf('scope'))
    choices.used({ ...choice, code: '0' }, 48 * 3600_000)
    choices.put({ ...choice, code: 'new', chosenAt: 48 * 3600_000 })
    const isKept = (code: string): boolean => choices.get({ ...choice, code }) !== null
    expect(['0', '1', '2', '4999', 'new'].map(isKept)).toEqual([true, false, true, true, true])
    expect(other.get({ ...choice, code: 'other' })).not.toBeNull()
    database.close()
  })

  it('stores scans of the kinds ambiguous and badge', async () => {
    const { scans } = await bench.open()
    for (const kind of ['ambiguous', 'badge'] as const) {
      scans.append({ id: kind, raw: 'A-1', at: 1 })
      scans.resolve(kind, { kind, title: null, subjectId: null })
    }
    expect(scans.recent(5).map(({ kind }) => kind)).toEqual(['badge', 'ambiguous'])
  })
})
