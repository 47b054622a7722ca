import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accessClaims, tokens as tokensSchema, type Tokens } from '#shared/wire/auth.ts'
import { roles, wireRole } from '#shared/wire/roles.ts'
import { type CallOptions, type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const good = { username: 'everything', password: 'everything-secret-word' }

function login(body: unknown, options: CallOptions = {}): Promise<Reply> {
  return server.call('/wms/auth/login/', { method: 'POST', body, token: null, ...options })
}

function refresh(token: string, options: CallOptions = {}): Promise<Reply> {
  return server.call('/wms/auth/refresh/', {
    method: 'POST',
    body: { refresh_token: token },
    token: null,
    ...options,
  })
}

async function freshTokens(): Promise<Tokens> {
  return tokensSchema.parse((await login(good)).body)
}

describe('POST /wms/auth/login/', () => {
  it('returns 200 with exactly the four documented fields, and a token with exactly the documented claims', async () => {
    const reply = await login(good)
    expect(reply.status).toBe(200)
    const tokens = tokensSchema.strict().parse(reply.body)
    expect(tokens.exp - tokens.iat).toBe(3600)
    expect(tokens.iat * 1000).toBe(server.clock.now())
    expect(tokens.refresh_token).toMatch(/^[0-9a-f]{128}$/)
    const claims = accessClaims.extend({ sid: z.string() }).strict().parse(decodeJwt(tokens.token))
    expect(claims).toEqual({
      sid: tokens.refresh_token.slice(0, 32),
      iat: tokens.iat,
      exp: tokens.exp,
      roles: roles.map(wireRole),
      username: 'everything',
      user_id: smallIds.everything,
      user_type: 'api',
      customer_ids: [smallIds.alder, smallIds.birch],
    })
  })

  it.each([
    ['an unknown user', { username: 'nobody', password: good.password }],
    ['a wrong password', { ...good, password: 'everything-secret-words' }],
    ['another user’s password', { ...good, password: 'reader-secret-word' }],
  ])('refuses %s with the same 401 message', async (_, body) => {
    const reply = await login(body)
    expect(reply.status).toBe(401)
    expect(reply.body).toEqual({ code: 401, message: 'Invalid credentials.' })
  })

  it('returns 400 with the names of the missing fields', async () => {
    const reply = await login({ username: 'everything' })
    expect(reply.status).toBe(400)
    const message: unknown = expect.any(String)
    expect(reply.body).toEqual({ code: 400, message, errors: { password: [message] } })
  })

  it('accepts a missing customer code, an empty bearer token and an Expand header', async () => {
    const headers = { 'x-customer-code': '', authorization: 'Bearer ', expand: 'variants' }
    expect((await login(good, { headers })).status).toBe(200)
  })

  it('refuses a customer code that the user may not act for', async () => {
    const reply = await login(
      { username: 'birch-only', password: 'birch-only-secret-word' },
      { customer: 'ALDER' },
    )
    expect(reply).toMatchObject({ status: 403, body: { code: 403 } })
  })
})

describe('POST /wms/auth/refresh/', () => {
  it('returns new tokens with the fields of a login response, and the used refresh token becomes invalid', async () => {
    const first = await freshTokens()
    const second = await refresh(first.refresh_token)
    expect(second.status).toBe(200)
    const tokens = tokensSchema.strict().parse(second.body)
    expect(tokens.refresh_token).not.toBe(first.refresh_token)
    expect((await refresh(first.refresh_token)).status).toBe(401)
    expect((await refresh(tokens.refresh_token)).status).toBe(200)
  })

  it('returns 401 for an unknown token, and 400 for a missing customer code', async () => {
    const { refresh_token } = await freshTokens()
    expect(await refresh('0'.repeat(128))).toMatchObject({ status: 401, body: { code: 401 } })
    expect((await refresh(refresh_token, { headers: { 'x-customer-code': '' } })).status).toBe(400)
    expect((await refresh(refresh_token, { customer: 'NOBODY' })).status).toBe(403)
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  it('refuses a refresh token after thirty days', async () => {
    const { refresh_token } = await freshTokens()
    server.clock.advance(30 * 24 * 3600 * 1000)
    expect((await refresh(refresh_token)).status).toBe(401)
  })
})

describe('the headers of a call', () => {
  const path = '/wms/customers/'

  it.each([
    ['', "Missing 'X-Wms-Code' header."],
    ['OTHER', 'Invalid WMS.'],
  ])('lead to 400 if the WMS code is "%s"', async (code, message) => {
    for (const token of [null, undefined]) {
      const reply = await server.call(path, {
        headers: { 'x-wms-code': code },
        ...(token === null && { token }),
      })
      expect(reply).toMatchObject({ status: 400, body: { code: 400, message } })
    }
  })

  it('may have the WMS code and the customer code in any letter case', async () => {
    server.clock.advance(0)
    const token = (await freshTokens()).token
    const headers = { 'x-wms-code': 'dev', 'x-customer-code': 'alder' }
    expect((await server.call(path, { headers, token })).status).toBe(200)
  })

  it('lead to 400 if the customer code is missing, and to 403 if it is unknown', async () => {
    const { token } = await freshTokens()
    expect((await server.call(path, { headers: { 'x-customer-code': '' }, token })).status).toBe(400)
    expect((await server.call(path, { customer: 'NOBODY', token })).status).toBe(403)
  })

  it.each(['', 'Bearer', 'Bearer x.y.z', 'Basic ZXZlcnl0aGluZw=='])(
    'lead to 401 if the Authorization header is "%s"',
    async (authorization) => {
      const reply = await server.call(path, { token: null, headers: { authorization } })
      expect(reply.status).toBe(401)
      expect(reply.body).toEqual({ code: 401, message: 'Invalid JWT Token' })
    },
  )

  it('lead to 401 if the token has expired, has the signature of another server, or has no signature', async () => {
    const { token } = await freshTokens()
    const [, payload] = token.split('.')
    const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload ?? ''}.`
    const other = await startTestServer({ clock: server.clock })
    const foreign = await other.logIn()
    await other.close()
    expect((await server.call(path, { token })).status).toBe(200)
    expect((await server.call(path, { token: foreign })).status).toBe(401)
    expect((await server.call(path, { token: unsigned })).status).toBe(401)
    server.clock.advance(3600 * 1000)
    expect((await server.call(path, { token })).status).toBe(401)
  })
})
