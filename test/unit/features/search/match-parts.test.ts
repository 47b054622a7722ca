import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchParts } from '#features/search/match-parts.ts'
import { count, seed } from '#support/counts.ts'

function marked(value: string, typed: string): string {
  return matchParts(value, typed)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join('')
}

describe('matchParts()', () => {
  it.each([
    ['Linen shirt blue', 'bl li', '[Li]nen shirt [bl]ue'],
    ['Crème brûlée', 'BRULEE', 'Crème [brûlée]'],
    ['Großer Strauß', 'strauss', 'Großer [Strauß]'],
    ['ISO-LI-500', 'li', 'ISO-[LI]-500'],
    ['ISO-LI-500', 'iso-li', '[ISO]-[LI]-500'],
    ['Waterdichte jas', 'ter', 'Waterdichte jas'],
    ['Οδυσσεύς', 'οδυσσευσ', '[Οδυσσεύς]'],
    ['👟 Sneaker', 'sn', '👟 [Sn]eaker'],
    ['anything', '', 'anything'],
    ['anything', '- .', 'anything'],
  ])('marks in “%s” the parts that match the typed “%s”', (value, typed, expected) => {
    expect(marked(value, typed)).toBe(expected)
  })

  it('splits any value into parts that alternately match and do not match the typed text; all parts joined are the value', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 })
    fc.assert(
      fc.property(text, text, (value, typed) => {
        const parts = matchParts(value, typed)
        expect(parts.map((part) => part.text).join('')).toBe(value)
        // adjacent parts differ in `isMatch`, because matchParts() joins adjacent characters with the same `isMatch`
        for (const [i, part] of parts.entries()) expect(part.isMatch).not.toBe(parts[i + 1]?.isMatch)
      }),
      { seed, numRuns: count(200, 5000) },
    )
  })
})
