import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { overLimit } from '#shared/wire/limits.ts'
import type { FieldMessages } from '../services/refusal.ts'

/** A request that does not match its schema. Fastify adds `validationContext` (body, querystring, params). */
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
  // before the schemas, which would report each of a million wrong values
  app.addHook('preValidation', (request, _reply, done) => {
    const over = overLimit(request.query) ?? overLimit(request.body)
    if (over) done(new InvalidRequest([{ code: 'custom', ...over, path: [...over.path], input: undefined }]))
    else done()
  })
  app.setValidatorCompiler(compileValidator)
  // Undeclared fields of a response are removed. A missing field is an error of the server.
  app.setSerializerCompiler(serializerCompiler)
}

const compileValidator: FastifySchemaCompiler<unknown> = ({ schema, method, httpPart }) => {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Routes declare zod schemas only')
  const judgeNulls = httpPart === 'body' ? nullRule(schema, method) : (data: unknown) => data
  return (data: unknown) => {
    const result = schema.safeParse(judgeNulls(data), { error: sentenceOf })
    return result.success ? { value: result.data } : { error: new InvalidRequest(result.error.issues) }
  }
}

/**
 * Returns the rule for null in a body. Typed clients send null for every field that is not set. POST: the field is
 * removed, at any depth. PATCH and PUT: a field that accepts null is cleared, and any other field of the record is
 * removed; inside an address or a line the schema decides, so that null for a required part is refused.
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
 * Maximum depth of objects and lists in a body; `articles[].variants[]` has depth four. No field of the API is deeper.
 */
const deepestBody = 8

/** Keys that the client defines keep their nulls, because their schema decides. */
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
  // a Map, because a client may send a field with the name of an Object.prototype property
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
 * Returns the issues of the union's alternative that was most likely meant: fewest unexpected fields, then fewest
 * issues.
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

/** Names of the expected types, in the terms of API clients. */
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

/** Returns the message for an issue without a message of the schema. */
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

/** Returns the message in the same form as `shared/wire/limits.ts`. */
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
