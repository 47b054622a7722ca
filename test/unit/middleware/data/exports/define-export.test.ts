import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLines } from '#middleware/data/exports/define-export.ts'
import { count, seed } from '#support/counts.ts'

const signs = '=+-@＝＋－＠'
const separators = ',;\t\r\n'
const gaps = ' \u00a0\u3000\u200b\ufeff\u0000"'

/** The text with a `'` before each sign with which a spreadsheet could begin a cell, whatever separates cells. */
function harmless(text: string): string {
  let made = ''
  let isStart = true
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    const isBreak = sign === '\t' || (sign === '\r' && text.charAt(at + 1) !== '\n')
    const isFirst = at === 0 && '\r\n'.includes(sign)
    made += isFirst || (isStart && (signs.includes(sign) || isBreak)) ? `'${sign}` : sign
    isStart = separators.includes(sign) || (isStart && gaps.includes(sign))
  }
  return made
}

/** The cells of a file for a reader with this separator that knows quotation marks, or not. */
function cellsOf(file: string, delimiter: string, quote: '"' | false): string[] {
  const lenient = { relax_quotes: true, relax_column_count: true, skip_records_with_error: true }
  return parse(file, { delimiter, quote, ...lenient }).flat()
}

const readers = [',', ';', '\t'].flatMap((delimiter) =>
  (['"', false] as const).map((quote) => [delimiter, quote] as const),
)
const beginsFormula = new RegExp(`^[\\s${gaps}]*[${signs.replace('-', '\\-')}]`, 'u')

describe('csvLines()', () => {
  it.each([
    [['plain', 1, -2.5, true, null], 'plain,1,-2.5,true,\r\n'],
    [['a,b', 'say "no"', 'two\r\nlines', ''], '"a,b","say ""no""","two\r\nlines",\r\n'],
    [['=1+1', '+31 6', '-5', '@SUM(A1)'], "'=1+1,'+31 6,'-5,'@SUM(A1)\r\n"],
    [['\t=1', '\r=1', '\n=1'], `"'\t'=1","'\r'=1","'\n'=1"\r\n`],
    [['＝1', '＋1', '－1', '＠A1'], "'＝1,'＋1,'－1,'＠A1\r\n"],
    [['a;b', 'A;=1+1', 'a\t+1', 'a\n@x'], `"a;b","A;'=1+1","a\t'+1","a\n'@x"\r\n`],
    [['a;＝1', ';;-1'], `"a;'＝1",";;'-1"\r\n`],
    [['a=1', ' =1', "'=1"], "a=1, '=1,'=1\r\n"],
    [['"=1+1', 'a;"=1', 'b; "" ＝1'], `"""'=1+1","a;""'=1","b; """" '＝1"\r\n`],
    [['a,=1', 'a, -1', 'a,\t1', 'a;\rb'], `"a,'=1","a, '-1","a,'\t1","a;'\rb"\r\n`],
    [
      ['Dear Kim,\r\nnot - yet', 'a-b; c-d, 1+1', '1 = 1'],
      `"Dear Kim,\r\nnot - yet","a-b; c-d, 1+1",1 = 1\r\n`,
    ],
    [[-2.5, -1, 'x'], '-2.5,-1,x\r\n'],
  ])('quotes its cells and defuses formulas: %j', (cells, line) => {
    expect(csvLines([cells])).toBe(line)
  })

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: fc.constantFrom(...`${signs}${separators}${gaps}'a1`.split('')), minLength: 1 }),
  )
  const file = fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 })

  it('writes lines that a CSV parser reads back unchanged, except for formulas', () => {
    fc.assert(
      fc.property(file, (lines) => {
        const read = parse(csvLines(lines))
        expect(read).toEqual(lines.map((cells) => cells.map((cell) => harmless(cell))))
      }),
      { seed, numRuns: count(100, 5000) },
    )
  })

  it.each(readers)(
    'writes no formula for a reader with the separator %j and the quotation mark %j',
    (...reader) => {
      fc.assert(
        fc.property(file, (lines) => {
          for (const cell of cellsOf(csvLines(lines), ...reader)) expect(cell).not.toMatch(beginsFormula)
        }),
        { seed, numRuns: count(300, 5000) },
      )
    },
  )

  it('takes time in proportion to a text', () => {
    for (const piece of [' ', '"', ';', '; ', ';"', '\t', "'", '='])
      expect(csvLines([[piece.repeat(1_000_000 / piece.length)]]).length).toBeGreaterThan(1_000_000)
  })
})
