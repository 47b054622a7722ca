import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LocationTable, parseLocationCode, readLocationTable } from '#shared/domain/locations.ts'
import { count, seed } from '#support/counts.ts'

const id = (n: number): string => `3f2b8c1a-9d4e-4f6a-8b7c-${String(n).padStart(12, '0')}`
const read = (...rows: string[][]): LocationTable | null =>
  readLocationTable(rows.map((cells, index) => ({ line: index + 1, cells })))

describe('readLocationTable()', () => {
  const both = [
    { id: id(1), code: 'A-1' },
    { id: id(2), code: 'A-2' },
  ]

  it.each([
    [
      'with the code first',
      [
        ['A-1', id(1)],
        ['A-2', id(2)],
      ],
    ],
    [
      'with the id first',
      [
        [id(1), 'A-1'],
        [id(2).toUpperCase(), ' A-2 '],
      ],
    ],
    [
      'with a heading',
      [
        ['code', 'uuid'],
        ['A-1', id(1)],
        ['A-2', id(2)],
      ],
    ],
    [
      'with other columns',
      [
        ['zone', 'id', 'Location code'],
        ['Z', id(1), 'A-1'],
        ['Z', id(2), 'A-2'],
      ],
    ],
    [
      'with an unknown heading',
      [
        ['Regal', 'Schlüssel', ''],
        ['A-1', id(1), ''],
        ['A-2', id(2), 'x'],
      ],
    ],
    ['with blank lines', [['', ''], ['A-1', id(1)], [''], ['A-2', id(2)]]],
    [
      'with a line twice',
      [
        ['A-1', id(1)],
        ['a-1', id(1)],
        ['A-2', id(2)],
      ],
    ],
  ])('reads the locations of a list %s', (_, rows) => {
    expect(read(...rows)).toEqual({ found: both, skipped: [] })
  })

  it('skips and reports each line that lacks an id or a code, or that repeats the id or the code of an earlier line', () => {
    const table = read(
      ['A-1', id(1)],
      ['A-3', 'not an id'],
      ['', id(4)],
      ['a 1'.replace(' ', '-'), id(5)],
      ['A-6', id(1)],
      ['lonely'],
      ['A-2', id(2)],
    )
    expect(table).toEqual({
      found: both,
      skipped: [
        { line: 2, why: 'no_id' },
        { line: 3, why: 'no_code' },
        { line: 4, why: 'code_twice' },
        { line: 5, why: 'code_twice' },
        { line: 6, why: 'columns' },
      ],
    })
  })

  it('returns null when no line contains an id', () => {
    expect(read(['a', 'b'], ['c', 'd'])).toBeNull()
    expect(read()).toBeNull()
  })
})

const shelfId = '3f2b8c1a-9d4e-4f6a-8b7c-0123456789ab'

describe('parseLocationCode()', () => {
  it.each([
    [shelfId, null],
    [shelfId.toUpperCase(), null],
    [`  ${shelfId} `, null],
    [`LOC${shelfId}`, null],
    [`LOC:${shelfId}`, null],
    [`${shelfId}|A-01-02`, 'A-01-02'],
    [`A-01-02|${shelfId}`, 'A-01-02'],
    [`LOC;A-01-02;${shelfId}`, 'A-01-02'],
    [`loc ${shelfId}, B 7`, 'B 7'],
    [`LOCKER 1: ${shelfId}`, 'LOCKER 1'],
    [`A:01|${shelfId}`, 'A:01'],
  ])('reads a location from %s', (text, code) => {
    expect(parseLocationCode(text)).toEqual({ id: shelfId, code })
  })

  it.each([
    '',
    'A-01-02',
    `${shelfId} ${shelfId}`,
    `A|${shelfId}|B`,
    `x${shelfId}`,
    `${shelfId}0`,
    `${shelfId}-A-01`,
    `https://shelf.example/?id=${shelfId}`,
    `{"id":"${shelfId}"}`,
    `${'A'.repeat(61)}|${shelfId}`,
  ])('reads no location from %s', (text) => {
    expect(parseLocationCode(text)).toBeNull()
  })

  it('never throws, and returns the id and the code of a barcode that contains both in either order', () => {
    const code = fc.stringMatching(/^[A-Z0-9]([A-Z0-9.-]{0,20}[A-Z0-9])?$/).filter((text) => text !== 'LOC')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uuid(), code, (junk, uuid, shelf) => {
        const read = parseLocationCode(junk + uuid)
        expect(read === null || read.id === uuid).toBe(true)
        expect(parseLocationCode(`${shelf}|${uuid}`)).toEqual({ id: uuid, code: shelf })
        expect(parseLocationCode(`LOC ${uuid};${shelf}`)).toEqual({ id: uuid, code: shelf })
      }),
      { seed, numRuns: count(60, 5_000) },
    )
  })
})
