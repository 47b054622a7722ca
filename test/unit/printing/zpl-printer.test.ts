import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHostStatus } from '#printing/zpl-printer.ts'
import { count, seed } from '#support/counts.ts'

const first = '030,0,0,1245,000,0,0,0,000,0,0,0'
const second = '001,0,0,0,1,2,4,0,00000000,1,000'
const third = '1234,0'

/** A line with some of its fields changed. */
function changed(line: string, fields: Readonly<Record<number, string>>): string {
  return line
    .split(',')
    .map((field, at) => fields[at] ?? field)
    .join(',')
}

describe('the response to ~HS', () => {
  it('of a printer without faults means ready', () => {
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
    // too cold prints, and without thermal transfer no ribbon is needed
    [null, { 10: '1' }, {}],
    [null, {}, { 3: '1', 4: '0' }],
    // the first fault is the one to fix first
    ['cover_open', { 1: '1', 2: '1' }, { 2: '1' }],
    ['paper_out', { 1: '1', 2: '1' }, {}],
  ] as const)('means %s: %o %o', (cause, ofFirst, ofSecond) => {
    const lines = [changed(first, ofFirst), changed(second, ofSecond), third]
    expect(parseHostStatus(lines)?.cause).toBe(cause)
  })

  it('contains the number of unread formats and of remaining labels', () => {
    const lines = [changed(first, { 4: '002', 7: '1' }), changed(second, { 7: '1', 8: '00000003' }), third]
    expect(parseHostStatus(lines)).toMatchObject({ waiting: 5, hasPart: true, isOffered: true })
  })

  it('is reported without the password of the printer', () => {
    expect(parseHostStatus([first, second, '9876,0'])?.text).not.toContain('9876')
  })

  it.each([
    ['too few lines', [first, second]],
    ['too few fields', [first, '001,0,0', third]],
    ['a flag that is none', [changed(first, { 1: '2' }), second, third]],
    ['a count that is none', [first, changed(second, { 8: '-1' }), third]],
    ['the lines in another order', [second, first, third]],
  ])('is unknown with %s', (_, lines) => {
    expect(parseHostStatus(lines)).toBeNull()
  })

  it('never causes an exception, and random bytes never mean a ready printer', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 5 }), (lines) => {
        expect(parseHostStatus(lines)).toBeNull()
      }),
      { seed, numRuns: count(200, 5_000) },
    )
  })
})
