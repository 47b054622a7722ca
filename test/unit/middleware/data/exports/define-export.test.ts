import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import {
  csvLines,
  defineExport,
  type ExportScope,
  type Read,
  walkRecords,
} from '#middleware/data/exports/define-export.ts'
import { count, seed } from '#support/counts.ts'

const signs = '=+-@＝＋－＠'
const separators = ',;\t\r\n'
const gaps = ' \u00a0\u3000\u200b\ufeff\u0000"'

/**
 * Returns the text with a `'` before each character that starts a formula if a cell begins with it. A cell could begin
 * at the start of the text and after each of the `separators`, because a spreadsheet may use any of them.
 */
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

/**
 * Returns the cells that a reader finds in a file. `delimiter`: its separator. `quote`: its quotation mark, or false.
 */
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
    [[2.5, -1, 'x'], '2.5,-1,x\r\n'],
    [[-2.5, -1, 'x', null, true], '-2.5,-1,"x",,true\r\n'],
    [['x', -2.5], 'x,-2.5\r\n'],
  ])('quotes cells where CSV requires it, and puts an apostrophe before formulas: %j', (cells, line) => {
    expect(csvLines([cells])).toBe(line)
  })

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: fc.constantFrom(...`${signs}${separators}${gaps}'a1`.split('')), minLength: 1 }),
  )
  const file = fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 })

  it('writes lines from which a CSV parser reads the same cells, except for the apostrophes before formulas', () => {
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

  it('quotes every text in a line whose first value is a negative number', () => {
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const bare = csvLines([[-1, ...texts]]).replaceAll(/"(?:[^"]|"")*"/g, '')
        expect(bare).toBe(`-1${','.repeat(texts.length)}\r\n`)
      }),
      { seed, numRuns: count(100, 5000) },
    )
  })

  it('writes a text of a million characters without a delay, whatever characters the text repeats', () => {
    for (const piece of [' ', '"', ';', '; ', ';"', '\t', "'", '=', '\u200b', '"='])
      expect(csvLines([[piece.repeat(1_000_000 / piece.length)]]).length).toBeGreaterThan(1_000_000)
  })
})

const everything: ExportScope = { customerId: 'c', from: null, to: null, search: null, moment: null }

describe('walkRecords()', () => {
  let database: Database
  beforeAll(async () => {
    database = openSqliteDatabase(':memory:')
    // stored without foreign keys, because the customer of the inbounds does not exist
    await sql`pragma foreign_keys = off`.execute(database)
    // each inbound with an odd number has the same time as the inbound before it; each note of the first 200 inbounds
    // has 20,000 characters
    await sql`with recursive n(at) as (select 0 union all select at + 1 from n where at < 1999)
      insert into inbounds (id, customer_id, reference, is_return, status, type, inbound_date, note, meta_data,
        created_at, modified_at)
      select printf('%04d', at), ${everything.customerId}, 'R' || at, 0, 'created', 'inbound',
        '2026-06-01', iif(at < 200, printf('%.20000c', 'n'), 'short'), '{}',
        printf('2026-06-01T12:%02d:%02d.000Z', at / 2 / 60, at / 2 % 60), '' from n`.execute(database)
  })
  afterAll(() => database.destroy())

  async function walk(
    scope: Partial<ExportScope>,
  ): Promise<{ ids: string[]; reads: number; longest: number }> {
    let reads = 0
    const read: Read = (work) => {
      reads += 1
      return work(database)
    }
    const ids: string[] = []
    let longest = 0
    const found = walkRecords<{ id: string; note: string | null }>(
      read,
      { ...everything, ...scope },
      { table: 'inbounds', columns: ['id', 'note'], searched: ['reference', 'note'] },
    )
    for await (const records of found) {
      ids.push(...records.map(({ id }) => id))
      longest = Math.max(longest, records.length)
    }
    return { ids, reads, longest }
  }

  it('returns all records ordered by time, at most twenty at a time', async () => {
    const { ids, longest } = await walk({})
    expect(ids).toEqual(Array.from({ length: 2000 }, (_, at) => String(at).padStart(4, '0')))
    expect(longest).toBe(20)
  })

  it('visits at most 500 records and at most a megabyte in one read, even if no record matches the search', async () => {
    // the 200 long notes need at least three reads, because 52 of them have a megabyte; the 1,800 short records need at
    // least four reads
    const { ids, reads } = await walk({ search: 'zzz' })
    expect(ids).toEqual([])
    expect(reads).toBeGreaterThanOrEqual(4 + 3)
    expect(reads).toBeLessThan(12)
  })

  it('includes the records with exactly the first and the last time of the range', async () => {
    const { ids } = await walk({ from: '2026-06-01T12:00:02.000Z', to: '2026-06-01T12:00:03.000Z' })
    expect(ids).toEqual(['0004', '0005', '0006', '0007'])
  })

  it('finds a record by a part of its searched texts, and ignores the case of ASCII letters', async () => {
    expect((await walk({ search: 'r1999' })).ids).toEqual(['1999'])
    expect((await walk({ search: 'NNN' })).ids).toHaveLength(200)
  })
})

describe('defineExport()', () => {
  it('creates the cells of a line only when the line is written to the file', async () => {
    let made = 0
    const number = (row: number): number => {
      made += 1
      return row
    }
    const source = defineExport<number>({ number }, async function* () {
      yield await Promise.resolve([7, 8, 9])
    })
    const read: Read = () => Promise.reject(new Error('nothing is read'))
    for await (const lines of source.lines(read, everything, ['number', 'unknown'])) {
      for (const line of lines) {
        expect(line).toEqual([7, null])
        break
      }
    }
    expect(made).toBe(1)
  })
})
