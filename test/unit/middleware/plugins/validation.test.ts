import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answerFailures } from '#middleware/plugins/failures.ts'
import { rememberServedPaths } from '#middleware/plugins/served-paths.ts'
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
  answerFailures(app, rememberServedPaths(app))
  app.route({
    method: 'POST',
    url: '/thing/',
    schema: { body: choice, response: { 200: shown } },
    handler: (_request, reply) => reply.send(answer),
  })
})
afterEach(() => app.close())

describe('answers', () => {
  const whole = { id: '1', inner: { name: 'x' }, list: [{ a: 1 }] }
  const payload = { one: 'x' }

  it('leave out what the schema does not declare, at any depth', async () => {
    answer = { ...whole, secret: 1, inner: { name: 'x', secret: 1 }, list: [{ a: 1, secret: 1 }] }
    const reply = await app.inject({ method: 'POST', url: '/thing/', payload })
    expect(reply.json()).toEqual(whole)
  })

  it('that lack a declared field are our failure and say nothing of it', async () => {
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
  ])('is judged by the likeliest: %j', async (payload, fields) => {
    const reply = await app.inject({ method: 'POST', url: '/thing/', payload })
    expect(reply.statusCode).toBe(400)
    expect(
      Object.keys(z.object({ errors: z.record(z.string(), z.array(z.string())) }).parse(reply.json()).errors),
    ).toEqual(fields)
  })
})
