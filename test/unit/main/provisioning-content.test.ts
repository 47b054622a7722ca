import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { findJsonFault } from '../../../electron/main/provisioning-content.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('findJsonFault()', () => {
  it.each<[string, string, { line: number; column: number } | null]>([
    ['a whole file has none', '{"a": [1, -0.5e3, true, null, "x\\n\\u00e9"], "b": {}}\n', null],
    ['an empty file ends at once', '', { line: 1, column: 1 }],
    ['a missing comma is found at the next name', '{\n  "a": 1\n  "b": 2\n}', { line: 3, column: 3 }],
    ['a comma too many is found at the bracket', '{\n  "a": [1,]\n}', { line: 2, column: 11 }],
    ['a quote that is not closed is found where it opens', '{"a": "x\n}', { line: 1, column: 7 }],
    ['a name without quotes', '{\r\n  a: 1}', { line: 2, column: 3 }],
    ['a bracket of another kind', '{"a": [1}', { line: 1, column: 9 }],
    ['a comment', '{\n  // printers\n}', { line: 2, column: 3 }],
    ['a number with a leading zero', '{"port": 09100}', { line: 1, column: 11 }],
    ['a file that breaks off', '{\n "a": {\n  "b"', { line: 3, column: 6 }],
    ['something behind the end', '{}\n}', { line: 2, column: 1 }],
  ])('returns line and column of the first fault, and null for valid JSON: %s', (_, text, place) => {
    expect(isJson(text)).toBe(place === null)
    expect(findJsonFault(text)).toEqual(place)
  })

  it('returns a line and column if JSON.parse refuses the text, and null otherwise', () => {
    const whole = fc.json({ maxDepth: 4 })
    const edited = fc
      .tuple(
        whole,
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.constantFrom('', '"', ',', '{', '}', ']', ':', '0', ' ', '\\', 'x'),
      )
      .map(([text, at, length, put]) => {
        const start = at % (text.length + 1)
        return text.slice(0, start) + put + text.slice(start + length)
      })
    fc.assert(
      fc.property(fc.oneof(whole, edited), (text) => {
        expect(findJsonFault(text) === null).toBe(isJson(text))
      }),
      { numRuns: count(500, 20_000), seed },
    )
  })
})
