import { z } from 'zod'
import { isCountryCode } from '../domain/country.ts'

/*
 * Values of a payload as the service's clients send them: numbers as text and text as numbers, flags as text, an empty
 * text or null for no value, and PHP's empty array for an empty object.
 */

const sendAsText = 'Send this value as a text: the number cannot be read exactly.'

/**
 * Whether the text of a number is the text that the client sent. JavaScript reads a long number as a near one, such as
 * 576461413038785752 as 576461413038785800. Decimal numbers are exact up to 15 digits.
 */
function hasCertainText(number: number): boolean {
  if (Number.isSafeInteger(number)) return true
  const text = String(number)
  return !text.includes('e') && text.replace(/^[-0.]+|\./g, '').length <= 15
}

const sentText = z.string({ error: ({ input }) => (typeof input === 'number' ? sendAsText : undefined) })

const numberAsText = z.number().refine(hasCertainText).transform(String)

/** A text, or a number whose text is certain. */
const textOrNumber = z.union([sentText, numberAsText])

/** A text of at most `max` characters, or a number whose text is certain. */
export function textWithinOrNumber(max: number): z.ZodType<string, string | number> {
  return z.union([sentText.max(max), numberAsText])
}

/**
 * Maximum length of the references by which this program's service finds orders, inbounds and return labels, in
 * characters. PostgreSQL refuses a row with more than 2,700 bytes in an index, and shipments have further columns in
 * their index of the reference.
 */
export const longestReference = 500

/** Required text; `max` in characters. */
export function neededText(max = Infinity): z.ZodType<string> {
  return textOrNumber.pipe(z.string().trim().min(1, 'This value should not be blank.').max(max))
}

/** Optional text; an empty text becomes null. */
export function optionalText(max = Infinity): z.ZodType<string | null | undefined> {
  return textOrNumber
    .pipe(z.string().trim().max(max))
    .transform((text) => (text === '' ? null : text))
    .nullish()
}

const wholeNumber = z.union([
  z.number(),
  z
    .string()
    .trim()
    .regex(/^-?\d+$/, 'This value should be a whole number.')
    .transform(Number),
])

/** Largest number in a request. It is larger than every real quantity and every real amount in cents. */
const largest = 1_000_000_000

/** A whole number that is at least `min`. */
export function wholeFrom(min: number): z.ZodType<number> {
  return wholeNumber.pipe(z.number().int().min(min).max(largest))
}

/** An amount of money or another decimal number, zero or more. */
export const looseAmount = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^\d+(\.\d+)?$/, 'This value should be a number.')
      .transform(Number),
  ])
  .pipe(z.number().nonnegative().max(largest))

const notACountry = 'This value should be a country code of ISO 3166-1, two letters.'

/** A flag in a request: `true`, `1`, `"true"`, `"1"`, or `false`, `0`, `"false"`, `"0"`. */
export const looseFlag = z.union([
  z.boolean(),
  z.literal([0, 1]).transform((digit) => digit === 1),
  z.enum(['true', 'false', '1', '0']).transform((word) => word === 'true' || word === '1'),
])

/** An assigned country code of ISO 3166-1 in any letter case; the output is in capitals. */
export const countryCode = z
  .string()
  .trim()
  .regex(/^[A-Za-z]{2}$/, { error: notACountry, abort: true })
  .refine(isCountryCode, notACountry)
  .toUpperCase()

/**
 * Maximum length of the key-value pairs of one record as JSON, in characters. This limit is low because a list returns
 * 1000 records.
 */
const longestPairs = 32_000
const tooLong = `This value should have ${longestPairs} characters of JSON or less.`

function isShortEnough(pairs: object): boolean {
  return JSON.stringify(pairs).length <= longestPairs
}

/**
 * Number of wrong values after which a list of a request is checked no further. A body may have 100,000 values, and a
 * message for each of them takes more than a second.
 */
const mostWrong = 50

const SentList = z.core.$constructor<z.ZodArray>('SentList', (list, def) => {
  z.ZodArray.init(list, def)
  list._zod.parse = (payload, context) => {
    const input: unknown = payload.value
    if (!Array.isArray(input)) {
      payload.issues.push({ expected: 'array', code: 'invalid_type', input, inst: list })
      return payload
    }
    const sent: readonly unknown[] = input
    const entries: unknown[] = Array.from({ length: sent.length })
    payload.value = entries
    for (let at = 0; at < sent.length && payload.issues.length < mostWrong; at++) {
      const entry = def.element._zod.run({ value: sent[at], issues: [] }, context)
      if (entry instanceof Promise) throw new z.core.$ZodAsyncError()
      payload.issues.push(...z.core.util.prefixIssues(at, entry.issues))
      entries[at] = entry.value
    }
    return payload
  }
})

/**
 * A list in a request: `z.array` that stops at the entry with its 50th wrong value. A refusal then has the messages of
 * the entries up to this one.
 */
export function sentList<Entry extends z.ZodType>(entry: Entry): z.ZodArray<Entry> {
  return new SentList({ type: 'array', element: entry }) as unknown as z.ZodArray<Entry>
}

/** An object, or the empty array that PHP creates from an empty object. */
export function orEmptyArray<Schema extends z.ZodType>(schema: Schema): z.ZodPreprocess<Schema> {
  return z.preprocess((value) => (Array.isArray(value) && value.length === 0 ? {} : value), schema)
}

/**
 * Whether JavaScript reads this number of key-value pairs exactly. The last of more than 15 digits of a decimal number
 * may differ, as in every program that reads JSON.
 */
function isExact(number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER
}

/** Whether a value has no number that JavaScript reads as another one, at any depth. */
function isReadExactly(value: unknown): boolean {
  if (typeof value === 'number') return isExact(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isReadExactly)
}

/**
 * Key-value pairs of a record (API.md 6.1): keys of lowercase letters, digits, `_` and `-`; pairs
 * without a value are dropped.
 */
export const metaDataInput = orEmptyArray(
  z
    .record(
      z.string().regex(/^[a-z0-9_-]+$/, 'Keys are lowercase letters, digits, "_" and "-".'),
      z.union([z.string(), z.number().refine(isExact, sendAsText), z.boolean(), z.null()]),
    )
    .refine(isShortEnough, tooLong)
    .transform((pairs) =>
      Object.fromEntries(
        Object.entries(pairs).flatMap(([key, value]): [string, string | number | boolean][] =>
          value === null || value === '' ? [] : [[key, value]],
        ),
      ),
    ),
)

/** Key-value pairs of a record in a response. */
export const metaData = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
export type MetaData = z.output<typeof metaData>

/** Key-value pairs that are stored and returned unchanged: any key, any value (API.md 5.1). */
export const ownPairs = z.record(z.string(), z.unknown())
export type OwnPairs = z.output<typeof ownPairs>

export const ownPairsInput = orEmptyArray(
  ownPairs
    .refine(isShortEnough, { error: tooLong, abort: true })
    .refine(isReadExactly, 'Send numbers that cannot be read exactly as texts.'),
)
