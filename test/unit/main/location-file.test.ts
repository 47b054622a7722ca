import { describe, expect, it } from 'vitest'
import { mostLocations } from '#shared/domain/locations.ts'
import { readLocationFile, readLocationFileInThread } from '../../../electron/main/location-file.ts'

const id = (n: number): string => `3f2b8c1a-9d4e-4f6a-8b7c-${String(n).padStart(12, '0')}`
const both = [
  { id: id(1), code: 'A-1' },
  { id: id(2), code: 'A,2' },
]

describe('a file of locations', () => {
  it.each([
    ['commas and quotes', `code,uuid\n"A-1",${id(1)}\n"A,2",${id(2)}\n`],
    ['semicolons', `A-1;${id(1)}\r\nA,2;${id(2)}\r\n`],
    ['tabs', `uuid\tcode\n${id(1)}\tA-1\n${id(2)}\tA,2`],
    ['a byte order mark', `\uFEFFcode;uuid\nA-1;${id(1)}\nA,2;${id(2)}\n`],
    ["Excel's hint", `sep=;\r\n${id(1)};A-1\r\n${id(2)};A,2`],
    ['old line ends', `A-1;${id(1)}\rA,2;${id(2)}`],
    ['empty lines and spare columns', `A-1;${id(1)};x;\n\n;;;\nA,2;${id(2)}\n`],
  ])('gives all its locations if it has %s', (_, text) => {
    expect(readLocationFile(text)).toEqual({ kind: 'table', table: { found: both, skipped: [] } })
  })

  it('is read without invalid lines, which are reported with the line numbers that an editor shows', () => {
    const text = `code;uuid\n\nA-1;${id(1)}\n"two\nlines";nothing\nA,2;${id(2)}\nA-1;${id(3)}\n`
    const table = {
      found: both,
      skipped: [
        { line: 5, why: 'no_id' },
        { line: 7, why: 'code_twice' },
      ],
    }
    expect(readLocationFile(text)).toEqual({ kind: 'table', table })
    expect(readLocationFile(text.replace('code;uuid', 'sep=;'))).toEqual({ kind: 'table', table })
  })

  it.each([
    '',
    'code,uuid\n',
    '%PDF-1.7\n%âãÏÓ',
    'PK\u0003\u0004\0\0xl/workbook.xml',
    `"never closed;${id(1)}\n`,
    'code;uuid\nA-1;1234\n',
  ])('is refused as unreadable: %j', (text) => {
    expect(readLocationFile(text)).toEqual({ kind: 'unreadable' })
  })

  it.each([
    ['more lines than are read', `A-1;${id(1)}\n`.repeat(mostLocations + 1)],
    ['a line of too many cells', `A-1;${id(1)}${';'.repeat(300)}`],
    ['a line that is too long', `A-1;${id(1)};${'x'.repeat(30_000)}`],
    ['nothing but delimiters', ','.repeat(3_900_000)],
    ['nothing but quotes', '"'.repeat(3_900_000)],
  ])('is refused if it has %s', async (_, text) => {
    expect((await readLocationFileInThread(text)).kind).not.toBe('table')
  })

  it('has the same result whether the calling thread or a worker thread reads it', async () => {
    const text = `A-1;${id(1)}\nA,2;${id(2)}\nnothing\n`
    expect(await readLocationFileInThread(text)).toEqual(readLocationFile(text))
    expect(await readLocationFileInThread('')).toEqual({ kind: 'unreadable' })
  })

  it('is refused with `too_large` if the read takes longer than the time limit', async () => {
    expect(await readLocationFileInThread(`A-1;${id(1)}`, 0)).toEqual({ kind: 'too_large' })
  })
})
