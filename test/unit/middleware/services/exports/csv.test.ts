import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLines } from '#middleware/services/exports/csv.ts'
import { count, seed } from '#support/counts.ts'

describe('CSV', () => {
  it.each([
    [['plain', 1, -2.5, true, null], 'plain,1,-2.5,true,\r\n'],
    [['a,b', 'say "no"', 'two\r\nlines', ''], '"a,b","say ""no""","two\r\nlines",\r\n'],
    [['=1+1', '+31 6', '-5', '@SUM(A1)'], "'=1+1,'+31 6,'-5,'@SUM(A1)\r\n"],
    [['\t=1', '\r=1', '\n=1'], `'\t=1,"'\r=1","'\n=1"\r\n`],
    [['a=1', ' =1', "'=1"], "a=1, =1,'=1\r\n"],
  ])('%j', (cells, line) => {
    expect(csvLines([cells])).toBe(line)
  })

  it('comes back as it went in, but for formulas', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 })
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (lines) => {
        const read = parse(csvLines(lines))
        expect(read).toEqual(
          lines.map((cells) => cells.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell))),
        )
      }),
      { seed, numRuns: count(100, 5000) },
    )
  })
})
