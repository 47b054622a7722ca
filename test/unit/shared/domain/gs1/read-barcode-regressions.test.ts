import { describe, expect, it } from 'vitest'
import { readAs } from '#shared/domain/gs1/read-barcode.ts'

/**
 * Expected readings of element strings, derived by hand from the GS1 General Specifications. They test rules for which
 * there is no result of the official GS1 engine. `^` stands for the separator.
 */
const gtin = '09521234543213'
const valid: readonly [elements: string, expected: object][] = [
  [`01${gtin}`, { gtin }],
  [`01${gtin}10ABC123`, { lot: 'ABC123' }],
  [`01${gtin}10ABC^21S1`, { lot: 'ABC', serial: 'S1' }],
  [`21S1^10ABC^01${gtin}`, { lot: 'ABC', serial: 'S1', gtin }],
  [`01${gtin}10${'A'.repeat(20)}`, { lot: 'A'.repeat(20) }],
  // the 82 characters that GS1 allows in a lot are the letters, the digits and these 20
  [`01${gtin}10!"%&'()*+,-./:;<=>?_`, { lot: '!"%&\'()*+,-./:;<=>?_' }],
  [`01${gtin}17261231`, { expiry: '2026-12-31' }],
  [`01${gtin}17260200`, { expiry: '2026-02-28' }],
  [`01${gtin}17280200`, { expiry: '2028-02-29' }],
  [`01${gtin}17280229`, { expiry: '2028-02-29' }],
  [`01${gtin}15270630`, { expiry: '2027-06-30' }],
  // the use-by date takes precedence over the best-before date
  [`01${gtin}1527063017270531`, { expiry: '2027-05-31' }],
  [`01${gtin}17760101`, { expiry: '2076-01-01' }],
  [`01${gtin}17770101`, { expiry: '1977-01-01' }],
  ['00095212345678901235', { sscc: '095212345678901235', gtin: null }],
  [`02${gtin}3712^00095212345678901235`, { sscc: '095212345678901235', gtin: null }],
  [`01${gtin}3103001250`, { gtin }],
  [`01${gtin}11260101`, { expiry: null }],
  [`01${gtin}235ABC`, { serial: null }],
  ['414952123454321325432', {}],
  [`01${gtin}70032612312359^10L`, { gtin }],
  ['8018952123454321000010', {}],
  [`8006${gtin}0102`, { gtin: null }],
  ['90FREE', {}],
]

const invalid: readonly [elements: string, codes: readonly string[]][] = [
  ['0109521234543214', ['check_digit']],
  ['00095212345678901238', ['check_digit']],
  [`01${gtin}17260230`, ['date']],
  [`01${gtin}17270229`, ['date']],
  [`01${gtin}17261301`, ['date']],
  [`01${gtin}17260001`, ['date']],
  [`01${gtin}10${'A'.repeat(21)}`, ['length']],
  [`01${gtin}21${'1'.repeat(21)}`, ['length']],
  [`01${gtin}10A B`, ['characters']],
  [`01${gtin}1726123`, ['length']],
  ['0109521234', ['length']],
  ['10ABC', ['required']],
  ['21S1', ['required']],
  ['17261231', ['required']],
  [`01${gtin}^3712`, ['excluded', 'required']],
  // 37 is the number of items (02) in a transport unit (00), so it needs both identifiers
  [`01${gtin}^02${gtin}^3712`, ['excluded', 'excluded', 'required']],
  [`01${gtin}10A^10B`, ['repeated']],
  [`01${gtin}05X`, ['unknown_ai']],
  [`01${gtin}70032612312560^10L`, ['time']],
  [`01${gtin}310300125`, ['length']],
  ['', ['empty']],
]

const written = (elements: string): string => elements.replaceAll('^', '\u001D')

describe('a GS1 element string', () => {
  it.each(valid)('is read without a problem: %s', (elements, expected) => {
    expect(readAs('elements', written(elements), 2026)).toMatchObject({ problems: [], ...expected })
  })

  it.each(invalid)('with the elements %s has the problems %j', (elements, codes) => {
    const { problems } = readAs('elements', written(elements), 2026)
    expect(problems.map(({ code }) => code).toSorted()).toEqual(codes.toSorted())
  })
})
