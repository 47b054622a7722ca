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

/** Creates an object with this number of fields. */
const named = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 1]))

/** Creates `count` objects with `each` fields. No two of the objects have a field name in common. */
function ownNames(count: number, each: number): object[] {
  return Array.from({ length: count }, (_, of) =>
    Object.fromEntries(Array.from({ length: each }, (_one, at) => [`n${of}_${at}`, 1])),
  )
}

/** Creates objects with 17 of the same 18 names in different orders: each object begins with another name. */
function turned(count: number): object[] {
  const names = Array.from({ length: 18 }, (_, at) => `n${at}`)
  return Array.from({ length: count }, (_, by) =>
    Object.fromEntries([...names.slice(by), ...names.slice(0, by)].slice(0, 17).map((name) => [name, 1])),
  )
}

describe('overLimit()', () => {
  it('accepts texts and lists of exactly the greatest length', () => {
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
    ['a typed array', new Uint8Array(3)],
    ['a String object', Object('abc')],
    ['a map', new Map()],
    ['a date', new Date(0)],
  ])('refuses, without reading its entries, a value that JSON cannot contain: %s', (_, value: object) => {
    const refuse = (): never => {
      throw new Error('the entries were read')
    }
    const unread = new Proxy(value, { ownKeys: refuse, get: refuse })
    expect(overLimit({ raw: unread })).toMatchObject({ path: ['raw'] })
  })

  it('accepts an object without a prototype', () => {
    expect(overLimit(Object.assign(Object.create(null), { raw: 'x' }))).toBeNull()
  })

  it.each([
    ['a text', { a: { reference: 'x'.repeat(otherText + 1) } }, ['a', 'reference']],
    ['a text in a list', { errors: { zipcode: ['x'.repeat(otherText + 1)] } }, ['errors', 'zipcode', 0]],
    ['a note', { note: 'x'.repeat(20_001) }, ['note']],
    ['a list', { lines: Array.from({ length: mostEntries + 1 }, () => 1) }, ['lines']],
    ['the name of a field', { a: { ['x'.repeat(otherText + 1)]: 1 } }, ['a']],
    ['an object of many fields', { a: named(mostNames + 1) }, ['a']],
    [
      'a value that is nested too deeply, by its outermost field',
      { a: 1, meta: nested(deepest + 1) },
      ['meta'],
    ],
  ])('returns the path of the value that exceeds its limit: %s', (_, record, path) => {
    expect(overLimit(record)?.path).toEqual(path)
  })

  it('returns an empty path for a record with too many values or objects in total', () => {
    const rows = (each: unknown, rest: number): unknown[] =>
      Array.from({ length: 30 }, () => Array.from({ length: rest }, () => each))
    expect(overLimit(rows({}, Math.ceil(mostObjects / 30)))).toMatchObject({ path: [] })
    expect(overLimit(rows(1, Math.ceil(mostValues / 30)))).toMatchObject({ path: [] })
    expect(overLimit(rows(1, 100))).toBeNull()
  })

  it('checks a field with the name of a built-in property, such as constructor, like any other field', () => {
    expect(overLimit({ constructor: 'x'.repeat(otherText) })).toBeNull()
    expect(overLimit({ constructor: 'x'.repeat(otherText + 1) })).not.toBeNull()
  })
})

/**
 * Returns the JSON of an object with `names` fields. Objects with different values of `number` have no field name in
 * common.
 */
function objectOf(names: number, number: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: names }, (_, at) => [`k${number}_${at}`, 1])))
}

describe('isJsonWithin()', () => {
  const limits = {
    ...{ values: 500, objects: 260, names: 400, shapes: 300 },
    ...{ furtherNames: 20, depth: 10, digits: 30 },
  }
  const within = (text: string): boolean => isJsonWithin(Buffer.from(text), limits)

  it.each([
    ['values', `[${'1,'.repeat(498)}1]`, `[${'1,'.repeat(499)}1]`],
    ['objects', `[${'{},'.repeat(240)}{}]`, `[${'{},'.repeat(260)}{}]`],
    ['lists', `[${'[],'.repeat(240)}[]]`, `[${'[],'.repeat(260)}[]]`],
    ['names of their own', JSON.stringify(ownNames(100, 3)), JSON.stringify(ownNames(101, 3))],
    ['orders of the same names', JSON.stringify(turned(17)), JSON.stringify(turned(18))],
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
  ])('accepts as many %s as the limit allows, and refuses more', (_, fits, over) => {
    expect([within(fits), within(over)]).toEqual([true, false])
  })

  it('accepts as many field names as a valid body may have values, which is enough for a list of a thousand articles', () => {
    const names = (count: number): Buffer =>
      Buffer.from(`[${Array.from({ length: count / 50 }, () => objectOf(50, 1)).join(',')}]`)
    expect(isJsonWithin(names(72_000), bodyLimits)).toBe(true)
    expect(isJsonWithin(names(mostValues), bodyLimits)).toBe(true)
    expect(isJsonWithin(names(mostValues + 50), bodyLimits)).toBe(false)
  })

  it('counts the same sequence of field names in many rows only once', () => {
    const rows = JSON.stringify(Array.from({ length: 19 }, () => named(20)))
    expect(isJsonWithin(Buffer.from(rows), { ...limits, shapes: 20 })).toBe(true)
    expect(isJsonWithin(Buffer.from(rows), { ...limits, shapes: 19 })).toBe(false)
  })

  it('counts no characters inside texts, even if the texts contain escaped quotes', () => {
    const text = `${',:{}[]'.repeat(200)}${'1'.repeat(100)}`
    expect(within(JSON.stringify([{ ['"\\']: `\\"${text}\\`, [text]: '"' }]))).toBe(true)
    expect(within(`["${'\\"'.repeat(10)}",${'1,'.repeat(600)}1]`)).toBe(false)
  })

  it('returns true for a short text that is not JSON, because it checks only the limits', () => {
    for (const text of ['', '"', '"\\', ']]]]', '{"a', '::::', '\u0000'.repeat(100)])
      expect(within(text)).toBe(true)
  })
})
