import { describe, expect, it } from 'vitest'
import {
  bodyLimits,
  deepest,
  isJsonWithin,
  longestTexts,
  mostEntries,
  mostNames,
  mostObjects,
  mostValues,
  otherText,
  overLimit,
} from '#shared/wire/limits.ts'

const nested = (depth: number): unknown => (depth === 0 ? 1 : { inner: nested(depth - 1) })

/** An object with so many fields. */
const named = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 1]))

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
    ['an object of many fields', { a: named(mostNames + 1) }, ['a']],
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

/** The JSON of an object with names that no other one has. */
function objectOf(names: number, number: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: names }, (_, at) => [`k${number}_${at}`, 1])))
}

describe('the measure of a body', () => {
  const limits = { values: 500, names: 400, furtherNames: 20, depth: 10, digits: 30 }
  const within = (text: string): boolean => isJsonWithin(Buffer.from(text), limits)

  it.each([
    ['values', `[${'1,'.repeat(498)}1]`, `[${'1,'.repeat(499)}1]`],
    ['objects', `[${'{},'.repeat(240)}{}]`, `[${'{},'.repeat(260)}{}]`],
    [
      'names',
      JSON.stringify([named(90), named(90), named(90), named(90)]),
      JSON.stringify(Array.from({ length: 5 }, () => named(90))),
    ],
    [
      'names in one object',
      JSON.stringify([named(110), named(110)]),
      JSON.stringify([named(110), named(111)]),
    ],
    ['levels', `${'['.repeat(10)}${']'.repeat(10)}`, `${'['.repeat(11)}${']'.repeat(11)}`],
    ['digits', `[${'1'.repeat(30)}]`, `[${'1'.repeat(31)}]`],
    ['digits behind a point', `[1.${'0'.repeat(28)}, 22]`, `[1.${'0'.repeat(29)}]`],
    ['digits of an exponent', `[1e${'0'.repeat(28)}]`, `[1e${'0'.repeat(29)}]`],
  ])('takes as many %s as it is told and no more', (_, fits, over) => {
    expect([within(fits), within(over)]).toEqual([true, false])
  })

  it('that the server takes has no more names than values, and as many as a thousand articles have', () => {
    const names = (count: number): Buffer =>
      Buffer.from(`[${Array.from({ length: count / 50 }, (_, at) => objectOf(50, at)).join(',')}]`)
    expect(isJsonWithin(names(72_000), bodyLimits)).toBe(true)
    expect(isJsonWithin(names(mostValues), bodyLimits)).toBe(true)
    expect(isJsonWithin(names(mostValues + 50), bodyLimits)).toBe(false)
  })

  it('counts nothing in texts, whatever is escaped there', () => {
    const text = `${',:{}[]'.repeat(200)}${'1'.repeat(100)}`
    expect(within(JSON.stringify([{ ['"\\']: `\\"${text}\\`, [text]: '"' }]))).toBe(true)
    expect(within(`["${'\\"'.repeat(10)}",${'1,'.repeat(600)}1]`)).toBe(false)
  })

  it('comes to an end in what is no JSON', () => {
    for (const text of ['', '"', '"\\', ']]]]', '{"a', '::::', '\u0000'.repeat(100)])
      expect(within(text)).toBe(true)
  })
})
