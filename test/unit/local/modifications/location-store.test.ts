import type { Database } from 'better-sqlite3'
import fc from 'fast-check'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LocationStore } from '#desk/ports/location-store.ts'
import { openDeskDatabase } from '#local/desk-database.ts'
import { createLocationStore } from '#local/modifications/location-store.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { count, seed } from '#support/counts.ts'

let dataDir: string
let database: Database
let book: LocationStore

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'scandesk-locations-'))
  database = await openDeskDatabase(dataDir)
  book = createLocationStore(database, 'here')
})
afterEach(async () => {
  database.close()
  await rm(dataDir, { recursive: true, force: true })
})

const codes = (): Record<string, string | null> =>
  Object.fromEntries(book.list().map(({ id, code }) => [id, code]))

describe('the location book', () => {
  it('lets the file have the last word, also where two locations swap their codes', () => {
    book.learn({ id: 'x', code: 'A 1', source: 'scan' }, 1)
    book.learn({ id: 'y', code: 'B 2', source: 'modification' }, 1)
    const count = book.import(
      [
        { id: 'x', code: 'b2' },
        { id: 'y', code: 'A1' },
        { id: 'z', code: 'C3' },
      ],
      2,
    )
    expect(count).toEqual({ added: 1, changed: 2, unchanged: 0 })
    expect(codes()).toEqual({ x: 'b2', y: 'A1', z: 'C3' })
    expect(book.import([{ id: 'z', code: 'C3' }], 3)).toEqual({ added: 0, changed: 0, unchanged: 1 })
    expect(book.import([{ id: 'n', code: 'c 3' }], 4)).toEqual({ added: 1, changed: 0, unchanged: 0 })
    expect(codes()).toMatchObject({ z: null, n: 'c 3' })
  })

  it('learns, and overrules no name', () => {
    expect(book.learn({ id: 'x', code: null, source: 'modification' }, 1)).toBe(true)
    expect(book.learn({ id: 'x', code: 'A-1', source: 'scan' }, 2)).toBe(false)
    expect(book.learn({ id: 'x', code: 'Z-9', source: 'scan' }, 3)).toBe(false)
    expect(book.get('x')).toEqual({ id: 'x', code: 'A-1', source: 'modification', seenAt: 3 })
    // the code is another's: the location is known without a name
    expect(book.learn({ id: 'y', code: 'a-1', source: 'scan' }, 4)).toBe(true)
    expect(book.get('y')?.code).toBeNull()
  })

  it('names no two alike', () => {
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

  it('remembers which modifications it has read', () => {
    expect(book.unread(['m1', 'm2'])).toEqual(['m1', 'm2'])
    book.learnFromModification('m1', [{ id: 'x', code: null }], 1)
    expect(book.unread(['m1', 'm2'])).toEqual(['m2'])
    expect(createLocationStore(database, 'there').unread(['m1'])).toEqual(['m1'])
    expect(createLocationStore(database, 'there').list()).toEqual([])
  })

  it('never lets two locations bear the same code, whatever it is taught', () => {
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
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), fc.uuid(), (acts, scope) => {
        book = createLocationStore(database, scope)
        for (const one of acts) {
          if (one.kind === 'learn') book.learn({ ...one.one, source: 'scan' }, 1)
          else if (one.kind === 'name') book.name(one.one.id, one.one.code)
          else {
            book.import(one.all, 1)
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
