import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gs1CheckDigit, codeKey, looksMisread, spellingsOf } from '#shared/domain/gtin.ts'
import { count, seed } from '#support/counts.ts'

const runs = { numRuns: count(200, 20_000), seed }

/** A GTIN-8, -12, -13 or -14 with its check digit. */
const gtin = fc
  .constantFrom(7, 11, 12, 13)
  .chain((length) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }))
  .map((digits) => digits.join(''))
  .map((digits) => digits + String(gs1CheckDigit(digits)))

describe('codeKey()', () => {
  it('returns the same key for UPC-A and EAN-13 of one article', () => {
    expect(codeKey('012345678905')).toBe('00012345678905')
    expect(codeKey('0012345678905')).toBe('00012345678905')
    expect(codeKey(' 8712 3456 7890 6 ')).toBe('08712345678906')
  })

  it('returns the result of normaliseCode() for a code that is no GTIN', () => {
    expect(codeKey('ab-12 c')).toBe('AB-12C')
    // numbers with a wrong check digit, and with lengths that no GTIN has
    for (const code of ['012345678904', '1234567', '123456789', '123456789012345'])
      expect(codeKey(code)).toBe(code)
  })

  it('returns a key unchanged, and the same key for a GTIN with any number of leading zeros', () => {
    fc.assert(
      fc.property(gtin, (code) => {
        const key = codeKey(code)
        expect(key).toMatch(/^\d{14}$/)
        expect(codeKey(key)).toBe(key)
        for (const spelling of spellingsOf(code)) {
          expect(codeKey(spelling)).toBe(key)
          expect(Number(spelling)).toBe(Number(code))
        }
        expect(spellingsOf(code)[0]).toBe(code)
      }),
      runs,
    )
  })

  it('never returns the same key for two different GTINs', () => {
    fc.assert(
      fc.property(gtin, gtin, (a, b) => {
        expect(codeKey(a) === codeKey(b)).toBe(Number(a) === Number(b))
      }),
      runs,
    )
  })
})

describe('looksMisread()', () => {
  it('returns true for a GTIN with one wrong digit, at any position', () => {
    fc.assert(
      fc.property(gtin, fc.nat(), fc.integer({ min: 1, max: 9 }), (code, where, by) => {
        const at = where % code.length
        const wrong = code.slice(0, at) + String((Number(code[at]) + by) % 10) + code.slice(at + 1)
        expect(looksMisread(code)).toBe(false)
        expect(looksMisread(wrong)).toBe(true)
        expect(codeKey(wrong)).toBe(wrong)
      }),
      runs,
    )
  })

  it('returns false for a text that does not have the length or the digits of a GTIN', () => {
    for (const text of ['', 'A-1', '12345', 'SHP00000000001', '1234567890123A'])
      expect(looksMisread(text)).toBe(false)
  })
})
