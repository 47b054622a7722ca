import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import { ResponseSerializationError } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { overLimit } from '#shared/wire/limits.ts'
import type { FieldMessages } from '../services/refusal.ts'

/**
 * Thrown for a request that does not match its schema. Fastify adds `validationContext` (body, querystring, params).
 */
export class InvalidRequest extends Error {
  readonly fields: FieldMessages
  readonly validationContext: string | undefined = undefined
  constructor(issues: readonly z.core.$ZodIssue[]) {
    const fields = fieldMessages(issues)
    super(sentence(fields))
    this.name = 'InvalidRequest'
    this.fields = fields
  }
}

/** Checks requests against the limits and schemas of the API, and removes undeclared fields from responses. */
export function validateByWireSchemas(app: FastifyInstance): void {
  // the limits are checked before the schemas, because a schema would report each of a million wrong values
  app.addHook('preValidation', (request, _reply, done) => {
    const over = overLimit(request.query) ?? overLimit(request.body)
    if (over) done(new InvalidRequest([{ code: 'custom', ...over, path: [...over.path], input: undefined }]))
    else done()
  })
  app.setValidatorCompiler(compileValidator)
  // Undeclared fields of a response are removed. A missing field is an error of the server.
  app.setSerializerCompiler(compileSerializer)
}

const compileValidator: FastifySchemaCompiler<unknown> = ({ schema, method, httpPart }) => {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Routes declare zod schemas only')
  const judgeNulls = httpPart === 'body' ? nullRule(schema, method) : (data: unknown) => data
  return (data: unknown) => {
    const result = schema.safeParse(judgeNulls(data), { error: sentenceOf })
    return result.success ? { value: result.data } : { error: new InvalidRequest(result.error.issues) }
  }
}

const compileSerializer: FastifySerializerCompiler<unknown> = ({ schema, method, url }) => {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Routes declare zod schemas only')
  return (data) => jsonOf(schema, data, { method, path: url })
}

/**
 * Returns the JSON of a value in a response. Undeclared fields are left out. Throws `ResponseSerializationError` if the
 * value does not match the schema. `from`: the call that the error names.
 */
export function jsonOf(
  schema: z.ZodType,
  value: unknown,
  { method, path }: { readonly method: string; readonly path: string },
): string {
  // the schema would copy every value, although most values need no copy; such a copy takes longer than reading the
  // rows from the database
  if (encodesToItself(schema)(value)) return JSON.stringify(value)
  const encoded = z.safeEncode(schema, value)
  if (!encoded.success) throw new ResponseSerializationError(method, path, { cause: encoded.error })
  return JSON.stringify(encoded.data)
}

type Test = (value: unknown) => boolean

const tests = new WeakMap<z.core.$ZodType, Test>()

/**
 * Returns a test for values whose JSON the schema would not change: values that are valid and have no undeclared field.
 * For a schema or a value of an unknown kind the test returns false; then the caller must encode the value with the
 * schema.
 */
function encodesToItself(schema: z.core.$ZodType): Test {
  const known = tests.get(schema)
  if (known) return known
  // a preliminary entry is set before the check of this schema is created, because a schema may contain itself
  tests.set(schema, (value) => test(value))
  const test = createTest(schema)
  tests.set(schema, test)
  return test
}

const { core } = z

function createTest(schema: z.core.$ZodType): Test {
  if (schema instanceof core.$ZodObject) return testOfObject(schema)
  if (schema instanceof core.$ZodArray) {
    const each = encodesToItself(schema._zod.def.element)
    return (schema._zod.def.checks ?? []).length > 0
      ? () => false
      : (value) => Array.isArray(value) && value.every((entry) => each(entry))
  }
  const inner = testOfInner(schema)
  const checks = inner === null ? null : checksOf(schema)
  if (inner === null || checks === null) return () => false
  return checks.length === 0 ? inner : (value) => inner(value) && passes(checks, value)
}

/**
 * Returns a test of whether a value has the type of the schema, such as a string. The test leaves out the checks of the
 * schema itself, such as a pattern. Null: the kind of the schema is unknown.
 */
function testOfInner(schema: z.core.$ZodType): Test | null {
  if (schema instanceof core.$ZodString) return (value) => typeof value === 'string'
  if (schema instanceof core.$ZodNumber) return (value) => Number.isFinite(value)
  if (schema instanceof core.$ZodBoolean) return (value) => typeof value === 'boolean'
  if (schema instanceof core.$ZodNull) return (value) => value === null
  if (schema instanceof core.$ZodEnum) {
    const values = new Set<unknown>(core.util.getEnumValues(schema._zod.def.entries))
    return (value) => values.has(value)
  }
  if (schema instanceof core.$ZodLiteral) {
    const values = new Set<unknown>(schema._zod.def.values)
    return (value) => values.has(value)
  }
  if (schema instanceof core.$ZodNullable) {
    const inner = encodesToItself(schema._zod.def.innerType)
    return (value) => value === null || inner(value)
  }
  if (schema instanceof core.$ZodOptional) {
    const { innerType } = schema._zod.def
    const inner = encodesToItself(innerType)
    const mayLack = innerType._zod.optin !== 'defaulted'
    return (value) => (value === undefined ? mayLack : inner(value))
  }
  // a default has no effect on responses, so the test is that of the schema without the default
  if (schema instanceof core.$ZodDefault) return encodesToItself(schema._zod.def.innerType)
  if (schema instanceof core.$ZodCodec) {
    const { in: shown, out: held, reverseTransform } = schema._zod.def
    const [isShown, isHeld] = [encodesToItself(shown), encodesToItself(held)]
    return (value) =>
      isHeld(value) && isShown(value) && reverseTransform(value, { value, issues: [] }) === value
  }
  if (schema instanceof core.$ZodUnion) {
    // An object is compared with the first option only, because the schema uses the first option that accepts the
    // object. Even if a later option fits exactly, an earlier option may accept the object and remove some of its
    // fields.
    const options = schema._zod.def.options.map(encodesToItself)
    return (value) =>
      typeof value === 'object' && value !== null
        ? options[0]?.(value) === true
        : options.some((option) => option(value))
  }
  return null
}

/**
 * Returns the test for values of an object schema. The fields of a value must be in the order of the schema, because
 * JSON written by the schema has its fields in that order.
 */
function testOfObject({ _zod: { def } }: z.core.$ZodObject): Test {
  if (def.catchall !== undefined || (def.checks ?? []).length > 0) return () => false
  const fields = Object.entries(def.shape).map(([name, schema]) => ({ name, test: encodesToItself(schema) }))
  return (value) => {
    if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return false
    let at = 0
    for (const name in value) {
      let field = fields[at++]
      while (field !== undefined && field.name !== name) {
        if (!field.test(undefined)) return false
        field = fields[at++]
      }
      if (field?.test(value[name]) !== true) return false
    }
    while (at < fields.length) if (fields[at++]?.test(undefined) !== true) return false
    return true
  }
}

/** Returns the checks of a schema, such as its pattern. Null: one of the checks applies only under a condition. */
function checksOf(schema: z.core.$ZodType): z.core.$ZodCheck[] | null {
  const own = schema instanceof core.$ZodCheck ? [schema as z.core.$ZodCheck] : []
  const all = [...own, ...(schema._zod.def.checks ?? [])]
  return all.some(({ _zod: { def } }) => def.when !== undefined) ? null : all
}

function passes(checks: readonly z.core.$ZodCheck[], value: unknown): boolean {
  const payload: z.core.ParsePayload<never> = { value: value as never, issues: [] }
  return checks.every(({ _zod }) => {
    const pending = _zod.check(payload)
    return pending === undefined && payload.issues.length === 0 && payload.value === value
  })
}

/**
 * Returns the function that handles null in a body. Typed clients send null for every field that is not set. In a POST,
 * a field with null is removed, at any depth. In a PATCH or PUT, null clears a field that accepts null, and any other
 * field of the record with null is removed. Inside an address or a line the schema decides, so that null in a required
 * part is refused.
 */
function nullRule(schema: z.ZodType, method: string): (data: unknown) => unknown {
  if (method === 'POST') return (data) => withoutNulls(data, deepestBody)
  if (!(schema instanceof z.ZodObject)) return (data) => data
  const shape: Record<string, z.ZodType> = schema.shape
  const fields = Object.entries(shape)
  const refusing = new Set(fields.flatMap(([name, field]) => (field.safeParse(null).success ? [] : [name])))
  return (data) =>
    isRecord(data) ? without(data, (name, value) => value === null && refusing.has(name)) : data
}

/**
 * Maximum depth of objects and lists in a body. No field of the API is deeper: `articles[].variants[]` has depth four.
 */
const deepestBody = 8

/**
 * The field whose keys the client defines. Nulls inside it are kept, because the schema of the field decides whether
 * null is allowed.
 */
const ownPairs = 'meta_data'

function withoutNulls(value: unknown, depth: number): unknown {
  if (depth === 0) return value
  if (Array.isArray(value)) return value.map((each) => withoutNulls(each, depth - 1))
  if (!isRecord(value)) return value
  const kept = Object.entries(without(value, (_, field) => field === null))
  return Object.fromEntries(
    kept.map(([name, field]) => [name, name === ownPairs ? field : withoutNulls(field, depth - 1)]),
  )
}

function without(
  record: Record<string, unknown>,
  isUnwanted: (name: string, value: unknown) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => !isUnwanted(name, value)))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fieldMessages(issues: readonly z.core.$ZodIssue[]): FieldMessages {
  // the messages are in a Map, because a client may send a field with the name of an Object.prototype property
  const fields = new Map<string, string[]>()
  const note = (field: string, message: string): void => {
    const messages = fields.get(field)
    if (messages) messages.push(message)
    else fields.set(field, [message])
  }
  for (const issue of issues.flatMap(relevant)) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) note([...issue.path, key].join('.'), 'This field was not expected.')
    } else note(issue.path.join('.'), issue.message)
  }
  return Object.fromEntries(fields)
}

/**
 * If the issue is about a union, returns the issues of one of its alternatives: the one that the client most likely
 * meant, which has the fewest unexpected fields, and among several of these the fewest issues.
 */
function relevant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const unexpected = (alternative: readonly z.core.$ZodIssue[]): number =>
    alternative.filter(
      (each) =>
        each.code === 'unrecognized_keys' || (each.code === 'invalid_type' && each.expected === 'never'),
    ).length
  const [best] = issue.errors.toSorted((a, b) => unexpected(a) - unexpected(b) || a.length - b.length)
  if (best === undefined) return [issue]
  return best.flatMap((inner) => relevant({ ...inner, path: [...issue.path, ...inner.path] }))
}

/** The names of the expected types in messages, in the terms of API clients. */
const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formats: Readonly<Record<string, string>> = {
  guid: 'a UUID',
  uuid: 'a UUID',
  date: 'a date, YYYY-MM-DD',
  datetime: 'a date and time with its offset, such as 2026-06-01T12:00:00Z',
  url: 'a URL',
}

/** Returns the message for an issue to which the schema gives no message. */
function sentenceOf(issue: z.core.$ZodRawIssue): string {
  const should = (be: string | undefined): string =>
    be === undefined ? 'This value is not valid.' : `This value should be ${be}.`
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'This value should not be blank.' : should(kinds[issue.expected])
    case 'invalid_format':
      return should(formats[issue.format])
    case 'invalid_value':
      return issue.input === undefined
        ? 'This value should not be blank.'
        : should(issue.values.length > 1 ? `one of: ${issue.values.join(', ')}` : String(issue.values[0]))
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'This value should not be blank.'
      if (issue.origin === 'array' && issue.minimum === 1) return 'This list should have at least one entry.'
      return sizeSentence(issue.origin, Number(issue.minimum), issue.inclusive === false ? 'above' : 'more')
    case 'too_big':
      return sizeSentence(issue.origin, Number(issue.maximum), issue.inclusive === false ? 'below' : 'less')
    case 'invalid_key':
      return issue.issues[0]?.message ?? should(undefined)
    default:
      return should(undefined)
  }
}

/** Returns the message about a length or size, in the same form as `shared/wire/limits.ts`. */
function sizeSentence(origin: string, limit: number, side: 'more' | 'less' | 'above' | 'below'): string {
  const range = side === 'above' || side === 'below' ? `${side} ${limit}` : `${limit} or ${side}`
  if (origin === 'string') return `This value should have ${range.replace(/ or/, ' characters or')}.`
  if (origin === 'array') return `This list should have ${range.replace(/ or/, ' entries or')}.`
  return `This value should be ${range}.`
}

function sentence(fields: FieldMessages): string {
  return Object.entries(fields)
    .flatMap(([field, messages]) =>
      messages.map((message) => (field === '' ? message : `${field}: ${message}`)),
    )
    .join(' ')
}
