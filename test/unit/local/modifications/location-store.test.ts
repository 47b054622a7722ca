import type { Database } from 'better-sqlite3'
import fc from 'fast-check'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LocationRow, LocationStore } from '#desk/ports/location-store.ts'
import type { NewModification } from '#desk/ports/modification-store.ts'
import { openDeskDatabase } from '#local/desk-database.ts'
import { createLocationStore } from '#local/modifications/location-store.ts'
import { createModificationLedger } from '#local/modifications/modification-ledger.ts'
import { mostLocations } from '#shared/domain/locations.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { count, seed } from '#support/counts.ts'
import { commandIdOf } from '#support/ids.ts'
import { scopeKeyOf } from '../../../support/ids.ts'

let dataDir: string
let database: Database
let book: LocationStore

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'scandesk-locations-'))
  database = await openDeskDatabase(dataDir)
  book = createLocationStore(database, scopeKeyOf('here'))
})
afterEach(async () => {
  database.close()
  await rm(dataDir, { recursive: true, force: true })
})

const codes = (): Record<string, string | null> =>
  Object.fromEntries(book.list().map(({ id, code }) => [id, code]))

/** Inserts this number of locations, named `filled 1` and so on, as learned from modifications. */
function fill(count: number, seenAt: number): void {
  database.exec(
    `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${count})
     INSERT INTO locations (scope, id, code, code_key, source, seen_at)
       SELECT 'here', 'filled ' || x, NULL, NULL, 'modification', ${seenAt} FROM n`,
  )
}

const bookingAt = (locationId: string): NewModification => ({
  id: 'booking',
  reason: 'LOST',
  locationId,
  lines: [{ variant: { id: 'v', name: 'Mug', articleCode: 'MUG', ean: null }, quantity: -1 }],
  note: '',
  bookedBy: null,
  at: 1,
  command: { id: commandIdOf('command'), type: 'modification.create' },
})

describe('the location book', () => {
  it('stores every code of an imported file, even if the file exchanges the codes of two locations', async () => {
    book.learn({ id: 'x', code: 'A 1', source: 'scan' }, 1)
    book.learn({ id: 'y', code: 'B 2', source: 'modification' }, 1)
    const count = await book.import(
      [
        { id: 'x', code: 'b2' },
        { id: 'y', code: 'A1' },
        { id: 'z', code: 'C3' },
      ],
      2,
    )
    expect(count).toEqual({ added: 1, changed: 2, unchanged: 0 })
    expect(codes()).toEqual({ x: 'b2', y: 'A1', z: 'C3' })
    expect(await book.import([{ id: 'z', code: 'C3' }], 3)).toEqual({ added: 0, changed: 0, unchanged: 1 })
    expect(await book.import([{ id: 'n', code: 'c 3' }], 4)).toEqual({ added: 1, changed: 0, unchanged: 0 })
    expect(codes()).toMatchObject({ z: null, n: 'c 3' })
  })

  it('adds locations from scans and modifications, and does not replace a known code', () => {
    expect(book.learn({ id: 'x', code: null, source: 'modification' }, 1)).toBe(true)
    expect(book.learn({ id: 'x', code: 'A-1', source: 'scan' }, 2)).toBe(false)
    expect(book.learn({ id: 'x', code: 'Z-9', source: 'scan' }, 3)).toBe(false)
    expect(book.get('x')).toEqual({ id: 'x', code: 'A-1', source: 'modification', seenAt: 3 })
    // the code belongs to another location, so this location has no code
    expect(book.learn({ id: 'y', code: 'a-1', source: 'scan' }, 4)).toBe(true)
    expect(book.get('y')?.code).toBeNull()
  })

  it('refuses to give a location the code of another location', () => {
    book.learn({ id: 'x', code: 'A-1', source: 'scan' }, 1)
    book.learn({ id: 'y', code: null, source: 'scan' }, 1)
    expect(book.name('y', 'a - 1')).toBe('taken')
    expect(book.name('q', 'B')).toBe('unknown')
    expect(book.name('x', 'a-1')).toBe('named')
    expect(book.name('y', 'B-1')).toBe('named')
    expect(codes()).toEqual({ x: 'a-1', y: 'B-1' })
    expect(book.byCode('B-1')?.id).toBe('y')
    book.forget('y')
    expect(book.byCode('B-1')).toBeNull()
  })

  it('records the modifications that were read, so that their locations are not read again', () => {
    expect(book.unread(['m1', 'm2'])).toEqual(['m1', 'm2'])
    book.learnFromModification('m1', [{ id: 'x', code: null }], 1)
    expect(book.unread(['m1', 'm2'])).toEqual(['m2'])
    expect(createLocationStore(database, scopeKeyOf('there')).unread(['m1'])).toEqual(['m1'])
    expect(createLocationStore(database, scopeKeyOf('there')).list()).toEqual([])
  })

  it('stores null as the code of a location from a modification if the code has more than 60 characters', () => {
    book.learnFromModification('m1', [{ id: 'x', code: 'A'.repeat(61) }], 1)
    book.learnFromModification('m2', [{ id: 'y', code: 'B'.repeat(60) }], 1)
    expect(codes()).toEqual({ x: null, y: 'B'.repeat(60) })
  })

  it('removes its oldest locations above 50,000, but none that an operator imported, scanned, named or booked', async () => {
    await book.import([{ id: 'imported', code: 'I' }], 1)
    book.learn({ id: 'scanned', code: 'S', source: 'scan' }, 1)
    for (const id of ['named', 'scanned later', 'booked', 'old', 'met again'])
      book.learnFromModification(`m ${id}`, [{ id, code: null }], 1)
    book.name('named', 'N')
    book.learn({ id: 'scanned later', code: null, source: 'scan' }, 1)
    createModificationLedger(database, scopeKeyOf('here')).book(bookingAt('booked'))
    fill(mostLocations - 7, 2)
    book.learnFromModification('m1', [{ id: 'met again', code: null }], 3)
    expect(book.list()).toHaveLength(mostLocations)
    book.learnFromModification(
      'm2',
      [
        { id: 'new', code: null },
        { id: 'newer', code: null },
      ],
      4,
    )
    expect(book.list()).toHaveLength(mostLocations)
    const ids = ['imported', 'scanned', 'named', 'scanned later', 'booked', 'met again', 'new', 'newer']
    expect(ids.filter((id) => book.get(id) === null)).toEqual([])
    expect([book.get('old'), book.get('filled 1')]).toEqual([null, null])
  })

  it('removes at most 500 locations after each modification that is read, until the maximum number is left', () => {
    fill(mostLocations + 1_200, 2)
    const sizes = [1, 2, 3, 4].map((n) => {
      book.learnFromModification(`m${n}`, [], 3)
      return book.list().length - mostLocations
    })
    expect(sizes).toEqual([700, 200, 0, 0])
  })

  it('adds no location of a modification if operators have imported 50,000 locations', () => {
    fill(mostLocations, 2)
    database.exec(`UPDATE locations SET kept = 1, source = 'import'`)
    book.learnFromModification('m1', [{ id: 'new', code: null }], 3)
    expect([book.get('new'), book.list().length]).toEqual([null, mostLocations])
  })

  it('returns its locations page by page in the same order as in a single list, first those with a code', () => {
    const locations = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1 }),
        code: fc.option(fc.string({ minLength: 1, maxLength: 5 })),
      }),
      { selector: ({ id }) => id, maxLength: 12 },
    )
    const number = { numRuns: count(60, 2_000), seed }
    fc.assert(
      fc.property(locations, fc.integer({ min: 1, max: 5 }), (learned, most) => {
        database.exec('DELETE FROM locations')
        for (const { id, code } of learned) book.learn({ id, code, source: 'scan' }, 1)
        const all = book.list()
        expect(all).toHaveLength(learned.length)
        expect(all.findLastIndex(({ code }) => code !== null)).toBeLessThanOrEqual(
          all.filter(({ code }) => code !== null).length - 1,
        )
        const pages: LocationRow[][] = []
        do pages.push(book.list(pages.at(-1)?.at(-1) ?? null, most))
        while (pages.at(-1)?.length === most)
        expect(pages.flat()).toEqual(all)
      }),
      number,
    )
  })

  it('imports a few locations of a file at a time, so that other work can run in between', async () => {
    const all = Array.from({ length: 2_000 }, (_, n) => ({ id: `f${n}`, code: `F-${n}` }))
    const done = book.import(all, 1)
    let turns = 0
    while ((await Promise.race([done, setImmediate('turn')])) === 'turn') turns++
    expect(await done).toEqual({ added: 2_000, changed: 0, unchanged: 0 })
    expect(turns).toBeGreaterThanOrEqual(4)
    // each location gets the code of a location in the other half of the file
    const swapped = all.map(({ id }, n) => ({ id, code: `F-${(n + 1_000) % 2_000}` }))
    expect(await book.import(swapped, 2)).toEqual({ added: 0, changed: 2_000, unchanged: 0 })
    expect(codes()).toMatchObject({ f0: 'F-1000', f1000: 'F-0', f1999: 'F-999' })
  })

  it('refuses a file that would raise it above 50,000 locations, and stays unchanged', async () => {
    const all = Array.from({ length: mostLocations }, (_, n) => ({ id: `f${n}`, code: `F-${n}` }))
    expect(await book.import(all, 1)).toMatchObject({ added: mostLocations })
    expect(
      await book.import(
        [
          { id: 'f0', code: 'F-0' },
          { id: 'more', code: 'M' },
        ],
        2,
      ),
    ).toBeNull()
    expect(book.list()).toHaveLength(mostLocations)
    expect(await book.import([{ id: 'f0', code: 'G-0' }], 2)).toEqual({ added: 0, changed: 1, unchanged: 0 })
  })

  it('forgets which modifications were read, except those that the service still lists, once there are more than 10,000', () => {
    database.exec(
      `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 10000)
       INSERT INTO modifications_read (scope, server_id) SELECT 'here', 'm' || x FROM n`,
    )
    book.keepRead(['m1', 'm2', 'other'])
    expect(book.unread(['m1', 'm2', 'm9999'])).toEqual([])
    book.learnFromModification('last', [], 1)
    book.keepRead(['m1', 'last', 'other'])
    expect(book.unread(['m1', 'm2', 'last', 'other'])).toEqual(['m2', 'other'])
  })

  it('never has two locations with the same code, after any sequence of imports, scans and codes that operators enter', async () => {
    const id = fc.constantFrom('x', 'y', 'z', 'w')
    const code = fc.constantFrom('A1', 'a 1', 'B2', 'b2', 'C3')
    const row = fc.record({ id, code })
    const rows = fc.uniqueArray(row, { maxLength: 4, selector: (one) => one.id })
    const file = rows.map((all) =>
      all.filter(
        (one, index) => all.findIndex((r) => normaliseCode(r.code) === normaliseCode(one.code)) === index,
      ),
    )
    const act = fc.oneof(
      row.map((one) => ({ kind: 'learn' as const, one })),
      row.map((one) => ({ kind: 'name' as const, one })),
      file.map((all) => ({ kind: 'import' as const, all })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), fc.uuid(), async (acts, scope) => {
        book = createLocationStore(database, scopeKeyOf(scope))
        for (const one of acts) {
          if (one.kind === 'learn') book.learn({ ...one.one, source: 'scan' }, 1)
          else if (one.kind === 'name') book.name(one.one.id, one.one.code)
          else {
            await book.import(one.all, 1)
            for (const { id, code } of one.all) expect(book.get(id)?.code).toBe(code)
          }
          const keys = book
            .list()
            .flatMap((location) => location.code ?? [])
            .map(normaliseCode)
          expect(new Set(keys).size).toBe(keys.length)
          for (const key of keys) expect(book.byCode(key)).not.toBeNull()
        }
      }),
      { seed, numRuns: count(40, 500) },
    )
  })
})
