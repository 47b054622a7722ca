import fc from 'fast-check'
import type { JsonSchema, Operation } from './api-operations.ts'

/** A place in a generated request that is filled with a known value of the server when the request is sent. */
export class Known {
  readonly property: string
  readonly nth: number
  constructor(property: string, nth: number) {
    this.property = property
    this.nth = nth
  }
}

/** A generated request. The client that sends it fills its `Known` parts. */
export interface Wish {
  /** The value for the `:id` of the path. */
  readonly id: unknown
  readonly query: Readonly<Record<string, unknown>>
  /** Undefined means no body. A string is sent unchanged. */
  readonly body: unknown
  readonly expand: readonly string[]
  /** The position and the value of the error in a broken request. Null for a valid request. */
  readonly harm: { readonly where: number; readonly by: unknown } | null
}

const minimalPdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF').toString('base64')
const shortText = fc
  .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  .filter((text) => /\w/.test(text))
const known = (property: string): fc.Arbitrary<unknown> => fc.nat(1000).map((nth) => new Known(property, nth))

/**
 * Generators by the name of a field, for fields that have rules beyond their schema. Other fields are generated from
 * their schema alone.
 */
const meanings: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  article_code: fc.oneof(known('article_code'), known('article_code'), shortText),
  variant_bundle: known('article_code'),
  username: fc.constant('everything'),
  password: fc.constant('everything-secret-word'),
  refresh_token: known('refresh_token'),
  file: fc.constant(minimalPdf),
  title: shortText.map((text) => `${text}.pdf`),
  url: shortText.map((text) => `https://example.org/${encodeURIComponent(text.toWellFormed())}`),
  action: fc.constantFrom('updated', 'created'),
  email: fc.constantFrom('sam@example.org', 'nobody@example.org'),
  country: fc.constantFrom('NL', 'DE', 'HK'),
  zipcode: fc.constantFrom('1234 AB', '10115'),
  fields: fc.constantFrom('created_at', 'reference', 'article_code'),
}

/** Returns values that a schema accepts. */
export function valueOf(schema: JsonSchema, property: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueOf(choice, property)))
  if (schema.type !== undefined && typeof schema.type !== 'string')
    return fc.oneof(...schema.type.map((type) => valueOf({ ...schema, type }, property)))
  switch (schema.type) {
    case 'string':
      return textOf(schema, property)
    case 'integer':
    case 'number':
      return fc.integer({ min: Math.max(schema.minimum ?? 1, -5), max: Math.min(schema.maximum ?? 9, 9) })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrayOf(schema, property)
    case 'object':
      return objectOf(schema)
    default:
      return fc.constant(null)
  }
}

function arrayOf(schema: JsonSchema, property: string): fc.Arbitrary<unknown> {
  const { minItems = 0, maxItems = 3, items } = schema
  const bounds = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) }
  return items === undefined || maxItems === 0 ? fc.constant([]) : fc.array(valueOf(items, property), bounds)
}

function objectOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const entries = Object.entries(schema.properties ?? {}).filter(([, field]) => field.not === undefined)
  if (entries.length === 0 && typeof schema.additionalProperties === 'object')
    return fc.dictionary(fc.stringMatching(/^[a-z0-9_-]{1,8}$/), valueOf(schema.additionalProperties, ''))
  const fields = Object.fromEntries(entries.map(([name, field]) => [name, valueOf(field, name)]))
  return fc.record(fields, { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true })
}

function textOf(schema: JsonSchema, property: string): fc.Arbitrary<unknown> {
  if (schema.format === 'uuid') return known(property)
  const meant = meanings[property]
  if (meant !== undefined) return meant
  if (schema.format === 'date') return fc.constantFrom('2026-03-01', '2026-06-30', '2024-02-29')
  if (schema.format === 'date-time') return fc.constant('2026-03-01T12:00:00+01:00')
  const { minLength = 0, maxLength = 12 } = schema
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern))
  return shortText.map((text) => text.padEnd(minLength, 'x').slice(0, Math.max(maxLength, 1)))
}

const nasty: readonly unknown[] = [
  null,
  '',
  ' ',
  [],
  {},
  true,
  0,
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '\u0000',
  '\ud800',
  'x'.repeat(3000),
  '2026-02-30',
  '../../etc/passwd',
  "'; DROP TABLE orders; --",
  '%',
  [[[[[[[[1]]]]]]]],
  { constructor: { prototype: 1 } },
  'toString',
  '00000000-0000-4000-8000-000000000000',
]

/**
 * Returns requests for an operation. `broken`: one value of the request is wrong, but the server may still accept it.
 */
export function wishFor(operation: Operation, broken: boolean): fc.Arbitrary<Wish> {
  const query = Object.fromEntries(operation.query.map(({ name, schema }) => [name, valueOf(schema, name)]))
  return fc.record({
    id: known(':id'),
    query: fc.record(query, { requiredKeys: [], noNullPrototype: true }),
    body: operation.body === null ? fc.constant(undefined) : valueOf(operation.body, ''),
    expand: fc.subarray([...operation.expand]),
    harm: broken
      ? fc.record({
          where: fc.nat(1000),
          by: fc.oneof(fc.constantFrom(...nasty), fc.jsonValue({ maxDepth: 2 })),
        })
      : fc.constant(null),
  })
}
