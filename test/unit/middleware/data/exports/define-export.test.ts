import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLines } from '#middleware/data/exports/define-export.ts'
import { count, seed } from '#support/counts.ts'

const signs = '=+-@＝＋－＠'

function harmless(text: string): string {
  let made = ''
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    const isStart = at === 0 && `${signs}\t\r\n`.includes(sign)
    const isInside = at > 0 && ';\t\r\n'.includes(text.charAt(at - 1)) && signs.includes(sign)
    made += isStart || isInside ? `'${sign}` : sign
  }
  return made
}

describe('csvLines()', () => {
  it.each([
    [['plain', 1, -2.5, true, null], 'plain,1,-2.5,true,\r\n'],
    [['a,b', 'say "no"', 'two\r\nlines', ''], '"a,b","say ""no""","two\r\nlines",\r\n'],
    [['=1+1', '+31 6', '-5', '@SUM(A1)'], "'=1+1,'+31 6,'-5,'@SUM(A1)\r\n"],
    [['\t=1', '\r=1', '\n=1'], `"'\t'=1","'\r'=1","'\n'=1"\r\n`],
    [['＝1', '＋1', '－1', '＠A1'], "'＝1,'＋1,'－1,'＠A1\r\n"],
    [['a;b', 'A;=1+1', 'a\t+1', 'a\n@x'], `"a;b","A;'=1+1","a\t'+1","a\n'@x"\r\n`],
    [['a;＝1', ';;-1'], `"a;'＝1",";;'-1"\r\n`],
    [['a=1', ' =1', "'=1"], "a=1, =1,'=1\r\n"],
  ])('quotes its cells and defuses formulas: %j', (cells, line) => {
    expect(csvLines([cells])).toBe(line)
  })

  it('writes lines that a CSV parser reads back unchanged, except for formulas', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: fc.constantFrom(...`${signs};,"'\t\r\na`.split('')), minLength: 1 }),
    )
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (lines) => {
        const read = parse(csvLines(lines))
        expect(read).toEqual(lines.map((cells) => cells.map((cell) => harmless(cell))))
      }),
      { seed, numRuns: count(100, 5000) },
    )
  })
})
