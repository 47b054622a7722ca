import fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import { ResponseSerializationError } from 'fastify-type-provider-zod'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answerFailures } from '#middleware/plugins/failures.ts'
import { count, seed } from '#support/counts.ts'
import { jsonOf, validateByWireSchemas } from '#middleware/plugins/validation.ts'

const shown = z.object({
  id: z.string(),
  inner: z.object({ name: z.string() }),
  list: z.array(z.object({ a: z.number() })),
})
const choice = z.union([
  z.strictObject({ one: z.string() }),
  z.strictObject({ two: z.object({ deep_field: z.number() }), three: z.string() }),
])

let app: FastifyInstance
let answer: unknown
beforeEach(() => {
  app = Fastify()
  validateByWireSchemas(app)
  answerFailures(app)
  app.route({
    method: 'POST',
    url: '/thing/',
    schema: { body: choice, response: { 200: shown } },
    handler: (_request, reply) => reply.send(answer),
  })
})
afterEach(() => app.close())

describe('a response with a schema', () => {
  const whole = { id: '1', inner: { name: 'x' }, list: [{ a: 1 }] }
  const payload = { one: 'x' }

  it('omits fields that the schema does not declare, at any depth', async () => {
    answer = { ...whole, secret: 1, inner: { name: 'x', secret: 1 }, list: [{ a: 1, secret: 1 }] }
    const reply = await app.inject({ method: 'POST', url: '/thing/', payload })
    expect(reply.json()).toEqual(whole)
  })

  it('becomes a response with status 500 and no details if it lacks a declared field', async () => {
    answer = { id: '1', secret: 1 }
    const reply = await app.inject({ method: 'POST', url: '/thing/', payload })
    expect(reply.statusCode).toBe(500)
    expect(reply.json()).toEqual({ code: 500, message: 'Unexpected error.' })
  })
})

describe('the JSON of a value', () => {
  const named = z.object({ id: z.guid(), name: z.string().min(1), note: z.string().nullable().optional() })
  const louder = z.codec(z.string(), z.string(), {
    decode: (text) => text.toLowerCase(),
    encode: (text) => text.toUpperCase(),
  })
  const unchanged = z.codec(z.union([z.number(), z.string(), z.null()]), z.number().nullable(), {
    decode: Number,
    encode: (number) => number,
  })
  const tree = z.object({
    name: z.string(),
    get below() {
      return z.array(tree).optional()
    },
  })
  const schemas: Readonly<Record<string, z.ZodType>> = {
    'an object with checks': named,
    'a list': z.array(named),
    'a short list': z.array(z.number()).max(2),
    'a default': z.object({ name: z.string().nullable().default(null), size: unchanged.default(null) }),
    'an optional default': z.object({ name: z.string().default('x').optional() }),
    'a codec that changes': z.object({ name: louder }),
    'a codec that keeps': z.object({ name: unchanged }),
    'a union whose first option has less': z.union([z.object({ id: z.string() }), named]),
    'a union of scalars': z.object({ name: z.union([z.enum(['a', 'b']), z.literal(3), z.boolean()]) }),
    'times and refinements': z.object({ id: z.iso.datetime({ offset: true }).refine((at) => at > '1970') }),
    'whole numbers': z.object({ size: z.number().int() }),
    'a text that is trimmed': z.object({ name: z.string().trim() }),
    'other fields kept': z.looseObject({ name: z.string() }),
    'other fields refused': z.strictObject({ name: z.string() }),
    'a record': z.record(z.string(), z.string()),
    'a refined object': z.object({ name: z.string() }).refine(({ name }) => name !== 'a'),
    'a schema within itself': tree,
  }
  const guid = '7f3b1c52-0a4e-4c39-9d8e-1f2a3b4c5d6e'
  const time = '2026-03-01T12:00:00+00:00'
  const scalars = {
    id: [guid, time, '1960-03-01T12:00:00+00:00', 'a', 3],
    name: ['a', 'b', 'B', '', ' a ', 'other', 3, true, null, undefined],
    note: ['a', null, undefined, new Date(0)],
    size: [3, 1.5, NaN, 'a', null, undefined],
    secret: ['a', undefined],
  }
  const { value } = fc.letrec<{ record: object; value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { arbitrary: fc.constantFrom(...Object.values(scalars).flat()), weight: 1 },
      { arbitrary: tie('record'), weight: 4 },
      { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 2 },
    ),
    // the fields may be in any order
    record: fc
      .shuffledSubarray(['id', 'name', 'note', 'size', 'secret', 'below'] as const)
      .chain((names) =>
        fc
          .tuple(
            ...names.map((name) =>
              name === 'below'
                ? fc.array(tie('record'), { maxLength: 2 })
                : fc.constantFrom(...scalars[name]),
            ),
          )
          .map((fields) => Object.fromEntries(names.map((name, index) => [name, fields[index]]))),
      ),
  }))

  it.each(Object.entries(schemas))(
    'is the same with and without the compiled writer of its schema: %s',
    (_name, schema) => {
      fc.assert(
        fc.property(value, (each) => {
          const encoded = z.safeEncode(schema, each)
          const json = (): string => jsonOf(schema, each, { method: 'GET', path: '/' })
          if (encoded.success) expect(json()).toBe(JSON.stringify(encoded.data))
          else expect(json).toThrow(ResponseSerializationError)
        }),
        { numRuns: count(300, 20_000), seed },
      )
    },
  )
})

describe('a payload that fits no alternative of its schema', () => {
  it.each([
    [{ two: { deep_field: 'x' } }, ['two.deepField', 'three']],
    [{ two: { deep_field: 1 }, three: 'x', four: 1 }, ['four']],
    [{ one: 'x', three: 'y' }, ['three']],
    [{ one: 'x', toString: 'y' }, ['toString']],
    [{ one: 'x', constructor: 'y' }, ['constructor']],
    [{}, ['one']],
  ])('is refused with the errors of the most likely alternative: %j', async (payload, fields) => {
    const reply = await app.inject({ method: 'POST', url: '/thing/', payload })
    expect(reply.statusCode).toBe(400)
    expect(
      Object.keys(z.object({ errors: z.record(z.string(), z.array(z.string())) }).parse(reply.json()).errors),
    ).toEqual(fields)
  })
})

describe('a call with a field that does not fit the schema', () => {
  const fields = {
    text: z.string().min(2).max(3),
    filled: z.string().min(1),
    count: z.number().int().min(1).max(9),
    above: z.number().gt(0),
    flag: z.boolean(),
    list: z.array(z.string()).min(1).max(2),
    pairs: z.record(z.string().regex(/^a/, 'Keys begin with a.'), z.string()),
    kind: z.enum(['one', 'two']),
    only: z.literal('one'),
    id: z.guid(),
    day: z.iso.date(),
    moment: z.iso.datetime({ offset: true }),
    page: z.url(),
    either: z.union([z.number(), z.string().regex(/^x/, 'This value should begin with x.')]),
    own: z.string().refine((text) => text === 'own', 'This value is not ours.'),
    shape: z.string().regex(/^x/),
  }
  const blank = 'This value should not be blank.'

  it.each([
    [{ text: 'x' }, 'This value should have 2 characters or more.'],
    [{ text: 'long' }, 'This value should have 3 characters or less.'],
    [{ text: 5 }, 'This value should be a text.'],
    [{ text: undefined }, blank],
    [{ filled: '' }, blank],
    [{ count: 0 }, 'This value should be 1 or more.'],
    [{ count: 10 }, 'This value should be 9 or less.'],
    [{ count: 1.5 }, 'This value should be a whole number.'],
    [{ count: 'x' }, 'This value should be a number.'],
    [{ above: 0 }, 'This value should be above 0.'],
    [{ flag: 'yes' }, 'This value should be true or false.'],
    [{ flag: undefined }, blank],
    [{ list: 'x' }, 'This value should be a list.'],
    [{ list: [] }, 'This list should have at least one entry.'],
    [{ list: ['x', 'y', 'z'] }, 'This list should have 2 entries or less.'],
    [{ pairs: [] }, 'This value should be an object.'],
    [{ pairs: { b: 'x' } }, 'Keys begin with a.'],
    [{ kind: 'three' }, 'This value should be one of: one, two.'],
    [{ kind: undefined }, blank],
    [{ only: 'two' }, 'This value should be one.'],
    [{ id: 'x' }, 'This value should be a UUID.'],
    [{ day: '1 June' }, 'This value should be a date, YYYY-MM-DD.'],
    [
      { moment: '2026-06-01' },
      'This value should be a date and time with its offset, such as 2026-06-01T12:00:00Z.',
    ],
    [{ page: 'x' }, 'This value should be a URL.'],
    [{ either: {} }, 'This value should be a number.'],
    [{ own: 'x' }, 'This value is not ours.'],
    [{ shape: 'y' }, 'This value is not valid.'],
  ])('is refused with a sentence about the field: %j', async (payload, sentence) => {
    const own = Fastify()
    validateByWireSchemas(own)
    answerFailures(own)
    const [name = ''] = Object.keys(payload)
    const body = z.object({ [name]: fields[name as keyof typeof fields] })
    own.route({ method: 'PATCH', url: '/', schema: { body }, handler: (_request, reply) => reply.send() })
    const reply = await own.inject({ method: 'PATCH', url: '/', payload })
    await own.close()
    const { errors } = z.object({ errors: z.record(z.string(), z.array(z.string())) }).parse(reply.json())
    expect(Object.values(errors)).toEqual([[sentence]])
  })
})
