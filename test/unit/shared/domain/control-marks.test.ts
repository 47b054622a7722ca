import fc from 'fast-check'
import { expect, it } from 'vitest'
import { markedParts, readMarks, writeMarks } from '#shared/domain/scanner-bytes.ts'
import { count, seed } from '#support/counts.ts'

it('shows control characters as marks of their own', () => {
  expect(markedParts(']C1\u001d10A\r')).toEqual([
    { text: ']C1', isMark: false },
    { text: '<GS>', isMark: true },
    { text: '10A', isMark: false },
    { text: '<CR>', isMark: true },
  ])
  expect(markedParts('plain')).toEqual([{ text: 'plain', isMark: false }])
  expect(markedParts('')).toEqual([])
})

it('reads marks as they are typed', () => {
  expect(readMarks('<STX>')).toBe('\u0002')
  expect(readMarks('a<cr><Lf>b<0x1D><DC1><del>')).toBe('a\r\nb\u001d\u0011\u007f')
  expect(readMarks('<>a<b c>')).toBe('<>a<b c>')
  expect(readMarks('<XY>')).toBeNull()
})

it('reads back what it wrote, for every character of Latin-1', () => {
  const character = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
  // a text that spells a mark is not told from it
  const text = fc.string({ unit: character, maxLength: 20 }).filter((one) => !/<\w+>/.test(one))
  fc.assert(
    fc.property(text, (one) => {
      expect(readMarks(writeMarks(one))).toBe(one)
    }),
    { seed, numRuns: count(500, 20_000) },
  )
})
