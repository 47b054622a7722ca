import { describe, expect, it } from 'vitest'
import { readLocationFile } from '../../../electron/main/location-file.ts'

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
  ])('is read with %s', (_, text) => {
    expect(readLocationFile(text)).toEqual({ found: both, skipped: [] })
  })

  it('numbers the lines it left out as an editor does', () => {
    const text = `code;uuid\n\nA-1;${id(1)}\n"two\nlines";nothing\nA,2;${id(2)}\nA-1;${id(3)}\n`
    const table = {
      found: both,
      skipped: [
        { line: 5, why: 'no_id' },
        { line: 7, why: 'code_twice' },
      ],
    }
    expect(readLocationFile(text)).toEqual(table)
    expect(readLocationFile(text.replace('code;uuid', 'sep=;'))).toEqual(table)
  })

  it.each([
    '',
    'code,uuid\n',
    '%PDF-1.7\n%âãÏÓ',
    'PK\u0003\u0004\0\0xl/workbook.xml',
    `"never closed;${id(1)}\n`,
    'code;uuid\nA-1;1234\n',
  ])('is none: %j', (text) => {
    expect(readLocationFile(text)).toBeNull()
  })
})
