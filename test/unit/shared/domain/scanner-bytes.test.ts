import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBytes, markedParts, readMarks, writeMarks } from '#shared/domain/scanner-bytes.ts'
import { count, seed } from '#support/counts.ts'

describe('the bytes of a scanner', () => {
  it('are shown with control characters as separate marks, such as <CR>', () => {
    expect(markedParts(']C1\u001d10A\r')).toEqual([
      { text: ']C1', isMark: false },
      { text: '<GS>', isMark: true },
      { text: '10A', isMark: false },
      { text: '<CR>', isMark: true },
    ])
    expect(markedParts('plain')).toEqual([{ text: 'plain', isMark: false }])
    expect(markedParts('')).toEqual([])
  })

  it('can be typed as marks, such as <CR> or <0x1D>', () => {
    expect(readMarks('<STX>')).toBe('\u0002')
    expect(readMarks('a<cr><Lf>b<0x1D><DC1><del>')).toBe('a\r\nb\u001d\u0011\u007f')
    expect(readMarks('<>a<b c>')).toBe('<>a<b c>')
    expect(readMarks('<XY>')).toBeNull()
  })

  it('are the same after they were written as text with marks such as <CR> and read again, with any characters of Latin-1', () => {
    const character = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
    // texts such as `<GS>` are left out, because `readMarks` would read them as marks
    const text = fc.string({ unit: character, maxLength: 20 }).filter((one) => !/<\w+>/.test(one))
    fc.assert(
      fc.property(text, (one) => {
        expect(readMarks(writeMarks(one))).toBe(one)
      }),
      { seed, numRuns: count(500, 20_000) },
    )
  })

  /** Decodes the bytes with the decoder of the platform. */
  function reference(bytes: readonly number[]): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
    } catch {
      return Buffer.from(bytes).toString('latin1')
    }
  }

  it('are decoded with the same result as by the decoder of the platform', () => {
    // the bytes include first bytes of characters of every length, and invalid first bytes
    const byte = fc.oneof(
      fc.constantFrom(
        0xc0,
        0xc1,
        0xc3,
        0xe0,
        0xe2,
        0xed,
        0xef,
        0xf0,
        0xf4,
        0xf5,
        0xff,
        0x80,
        0x9f,
        0xa0,
        0xbf,
      ),
      fc.integer({ min: 0, max: 255 }),
    )
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
        expect(decodeBytes(bytes)).toBe(reference(bytes))
      }),
      { seed, numRuns: count(3_000, 200_000) },
    )
  })

  it.each(['Größe €', '😀', '\u{10ffff}', 'plain', ''])('are decoded to %j', (text) => {
    expect(decodeBytes([...new TextEncoder().encode(text)])).toBe(text)
  })
})
