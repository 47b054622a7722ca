import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answerFailures } from '#middleware/plugins/failures.ts'
import { validateByWireSchemas } from '#middleware/plugins/validation.ts'

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

  it('becomes a 500 without details when it lacks a declared field', async () => {
    answer = { id: '1', secret: 1 }
    const reply = await app.inject({ method: 'POST', url: '/thing/', payload })
    expect(reply.statusCode).toBe(500)
    expect(reply.json()).toEqual({ code: 500, message: 'Unexpected error.' })
  })
})

describe('a payload that fits no alternative', () => {
  it.each([
    [{ two: { deep_field: 'x' } }, ['two.deepField', 'three']],
    [{ two: { deep_field: 1 }, three: 'x', four: 1 }, ['four']],
    [{ one: 'x', three: 'y' }, ['three']],
    [{ one: 'x', toString: 'y' }, ['toString']],
    [{ one: 'x', constructor: 'y' }, ['constructor']],
    [{}, ['one']],
  ])('is reported against the most likely alternative: %j', async (payload, fields) => {
    const reply = await app.inject({ method: 'POST', url: '/thing/', payload })
    expect(reply.statusCode).toBe(400)
    expect(
      Object.keys(z.object({ errors: z.record(z.string(), z.array(z.string())) }).parse(reply.json()).errors),
    ).toEqual(fields)
  })
})

describe('a field that does not fit its schema', () => {
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
  ])('is reported with a sentence: %j', async (payload, sentence) => {
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
