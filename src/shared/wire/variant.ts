import { z } from 'zod'
import { countryCode, looseAmount, looseFlag, neededText, optionalText } from './loose.ts'
import { dateTime, id, nullableText } from './primitives.ts'

/** An EAN, which is always read as text, also if a service sends a number. */
const ean = z
  .codec(z.union([z.string(), z.number()]), z.string(), { decode: String, encode: (text) => text })
  .nullable()

/**
 * A size in millimetres or a weight in grams (API.md 3.2). The contract shows texts and numbers, so both are accepted.
 */
const dimension = z.codec(z.union([z.number(), z.string(), z.null()]), z.number().nullable(), {
  decode: (value) => measured(value),
  encode: (value) => value,
})

function measured(value: number | string | null): number | null {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value
  return number !== null && Number.isFinite(number) ? number : null
}

const text = nullableText.default(null)

/** Variant (API.md 3.2); responses contain `article` if the request names its Expand group, and after a create. */
export const variant = z.object({
  id,
  article_code: z.string(),
  name: z.string(),
  description: text,
  ean: ean.default(null),
  sku: text,
  hs_tariff_code: text,
  height: dimension.default(null),
  depth: dimension.default(null),
  width: dimension.default(null),
  weight: dimension.default(null),
  expirable: z.boolean().default(false),
  country_of_origin: text,
  using_serial_numbers: z.boolean().default(false),
  /** Value of one piece in euro. */
  value: z.number().nullable().default(null),
  created_at: dateTime,
  modified_at: dateTime,
  article: z.object({ id, name: z.string(), customer: id }).optional(),
})
export type Variant = z.output<typeof variant>

/** Schema of a value that is either a whole variant or only the id of a variant (API.md 3.2). */
export const variantOrId = z.union([variant, z.object({ id })])

/**
 * Maximum lengths of the codes and names in requests, in characters; a stored code may be longer. The limits are low
 * because a list contains a thousand variants, and lines of orders repeat the variants.
 */
const longestCode = 255
export const longestName = 500

/**
 * An EAN in a request: digits as text or as a number (API.md 3.2). It is stored and returned as text, an empty text as
 * null.
 */
const barcode = z
  .union([z.string().trim().max(longestCode), z.number().int().nonnegative().transform(String)])
  .transform((text) => (text === '' ? null : text))
  .nullish()

/** An empty text, which means no value, as in other fields. */
const nothing = z.literal('').transform(() => null)

/** A number of millimetres, grams or euro, also with a fraction such as 1.5. */
const amount = z.union([looseAmount, nothing]).nullish()

/** A variant inside a new article; fields that only the service sets are ignored (API.md 3.1). */
export const variantInput = z.object({
  article_code: neededText(longestCode),
  name: neededText(longestName).optional(),
  description: optionalText(),
  ean: barcode,
  sku: optionalText(longestCode),
  hs_tariff_code: optionalText(),
  height: amount,
  depth: amount,
  width: amount,
  weight: amount,
  expirable: looseFlag.optional(),
  country_of_origin: z.union([nothing, countryCode]).nullish(),
  using_serial_numbers: looseFlag.optional(),
  value: amount,
})

/** Body of POST /wms/variants/ (API.md 3.2). */
export const variantCreate = variantInput.extend({ article: id })

/** Body of PATCH /wms/variants/:id/: only the fields to change. */
export const variantPatch = variantCreate.partial()
