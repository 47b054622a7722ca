import { describe, expect, it } from 'vitest'
import {
  deepest,
  longestTexts,
  mostEntries,
  mostObjects,
  mostValues,
  otherText,
  overLimit,
} from '#shared/wire/limits.ts'

const nested = (depth: number): unknown => (depth === 0 ? 1 : { inner: nested(depth - 1) })

describe('the limits of the wire', () => {
  it('let through what is as long as it may be', () => {
    expect(
      overLimit({
        reference: 'x'.repeat(otherText),
        note: 'x'.repeat(longestTexts['note'] ?? 0),
        lines: Array.from({ length: mostEntries }, () => 'x'),
        deep: nested(deepest - 2),
      }),
    ).toBeNull()
  })

  it.each([
    ['a text', { a: { reference: 'x'.repeat(otherText + 1) } }, ['a', 'reference']],
    ['a text in a list', { errors: { zipcode: ['x'.repeat(otherText + 1)] } }, ['errors', 'zipcode', 0]],
    ['a note', { note: 'x'.repeat(20_001) }, ['note']],
    ['a list', { lines: Array.from({ length: mostEntries + 1 }, () => 1) }, ['lines']],
    ['the name of a field', { a: { ['x'.repeat(otherText + 1)]: 1 } }, ['a']],
    ['by its field a value that is nested too deeply', { a: 1, meta: nested(deepest + 1) }, ['meta']],
  ])('name %s that is beyond them by its path', (_, record, path) => {
    expect(overLimit(record)?.path).toEqual(path)
  })

  it('stop counting in a record of too many values or objects', () => {
    const rows = (each: unknown, rest: number): unknown[] =>
      Array.from({ length: 30 }, () => Array.from({ length: rest }, () => each))
    expect(overLimit(rows({}, Math.ceil(mostObjects / 30)))).toMatchObject({ path: [] })
    expect(overLimit(rows(1, Math.ceil(mostValues / 30)))).toMatchObject({ path: [] })
    expect(overLimit(rows(1, 100))).toBeNull()
  })

  it('leave the names that every object has alone', () => {
    expect(overLimit({ constructor: 'x'.repeat(otherText) })).toBeNull()
    expect(overLimit({ constructor: 'x'.repeat(otherText + 1) })).not.toBeNull()
  })
})
