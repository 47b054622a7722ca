import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHostStatus } from '#printing/zpl-printer.ts'
import { count, seed } from '#support/counts.ts'

const first = '030,0,0,1245,000,0,0,0,000,0,0,0'
const second = '001,0,0,0,1,2,4,0,00000000,1,000'
const third = '1234,0'

/** Returns a line of the response with some changed fields. */
function changed(line: string, fields: Readonly<Record<number, string>>): string {
  return line
    .split(',')
    .map((field, at) => fields[at] ?? field)
    .join(',')
}

describe('the response of a ZPL printer to ~HS', () => {
  it('yields the cause null if the printer has no faults', () => {
    expect(parseHostStatus([first, second, third])).toEqual({
      cause: null,
      waiting: 0,
      hasPart: false,
      isOffered: false,
      text: `~HS ${first} ${second}`,
    })
  })

  it.each([
    ['paper_out', { 1: '1' }, {}],
    ['paused', { 2: '1' }, {}],
    ['busy', { 5: '1' }, {}],
    ['error', { 6: '1' }, {}],
    ['error', { 9: '1' }, {}],
    ['too_hot', { 11: '1' }, {}],
    ['cover_open', {}, { 2: '1' }],
    ['ribbon_out', {}, { 3: '1' }],
    // no fault: a cold print head can print, and a printer without thermal transfer needs no ribbon
    [null, { 10: '1' }, {}],
    [null, {}, { 3: '1', 4: '0' }],
    // of several faults, the most severe is reported
    ['cover_open', { 1: '1', 2: '1' }, { 2: '1' }],
    ['paper_out', { 1: '1', 2: '1' }, {}],
  ] as const)(
    'yields the cause %s if these fields of its first and second line have these values, and all other fields are as without a fault: %o %o',
    (cause, ofFirst, ofSecond) => {
      const lines = [changed(first, ofFirst), changed(second, ofSecond), third]
      expect(parseHostStatus(lines)?.cause).toBe(cause)
    },
  )

  it('yields how many labels wait, and whether a label is incomplete or in the peeler', () => {
    const lines = [changed(first, { 4: '002', 7: '1' }), changed(second, { 7: '1', 8: '00000003' }), third]
    expect(parseHostStatus(lines)).toMatchObject({ waiting: 5, hasPart: true, isOffered: true })
  })

  it('is reported without the line with the printer’s password', () => {
    expect(parseHostStatus([first, second, '9876,0'])?.text).not.toContain('9876')
  })

  it.each([
    ['too few lines', [first, second]],
    ['too few fields', [first, '001,0,0', third]],
    ['a flag that is neither 0 nor 1', [changed(first, { 1: '2' }), second, third]],
    ['a count that is not a number', [first, changed(second, { 8: '-1' }), third]],
    ['lines in another order', [second, first, third]],
  ])('is parsed to null if it has %s', (_, lines) => {
    expect(parseHostStatus(lines)).toBeNull()
  })

  it('is parsed to null without an exception if it has random bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 5 }), (lines) => {
        expect(parseHostStatus(lines)).toBeNull()
      }),
      { seed, numRuns: count(200, 5_000) },
    )
  })
})
