import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldText, trimEndOf, trimSigns } from '#shared/domain/text-forms.ts'
import { count, seed } from '#support/counts.ts'

describe('trimSigns()', () => {
  it('removes the given signs at both ends of a text, but not in the middle', () => {
    expect(trimSigns('--a-b--', '-')).toBe('a-b')
    expect(trimEndOf('--a-b--', '-')).toBe('--a-b')
    expect(trimSigns('----', '-')).toBe('')
    expect(trimSigns('', '-')).toBe('')
  })

  it('returns the same as a regular expression that removes the signs at both ends', () => {
    const text = fc.string({ unit: fc.constantFrom('-', '|', 'a', ' ') })
    fc.assert(
      fc.property(text, (any) => {
        expect(trimSigns(any, '-|')).toBe(any.replaceAll(/^[-|]+|[-|]+$/g, ''))
      }),
      { numRuns: count(200, 20_000), seed },
    )
  })
})

describe('foldText()', () => {
  it('folds case and accents, also of letters that Unicode does not decompose', () => {
    expect(foldText('Łódź MÜLLER Søren Straße Ægir')).toBe('lodz muller soren strasse aegir')
    expect(foldText('Müller')).toBe(foldText('Mu\u0308ller'))
  })
})
