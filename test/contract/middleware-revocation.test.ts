import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tokens as tokensSchema, type Tokens } from '#shared/wire/auth.ts'
import { tellInTransaction } from '#middleware/app.ts'
import type { Turns } from '#middleware/services/turns.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'
import { queryBeside } from '#support/test-database.ts'

const path = '/wms/customers/'
const secret = 'the-secret-that-signs-tokens-here'

let folder: string
let server: TestServer
/** The object in which the calls of the server wait for their turn. */
let turns: Turns
/** Called before the handler of a call, when its body was read. `left` resolves when its client has disconnected. */
let onCall: (left: Promise<unknown>) => void
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  onCall = () => {}
  server = await startTestServer({
    databaseFile: join(folder, 'middleware.db'),
    jwtSecret: secret,
    tellBy: (context) => {
      turns = context.turns
      return tellInTransaction(context)
    },
    beforeRoutes: (app) => {
      app.addHook('preHandler', (_request, { raw }, done) => {
        onCall(once(raw, 'close'))
        done()
      })
      return Promise.resolve()
    },
  })
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

/** Changes the database directly, not through the server, as an administrator could do. */
async function change(...statements: string[]): Promise<void> {
  for (const statement of statements) await queryBeside(join(folder, 'middleware.db'), statement)
}

/** Stores logins `l0`, `l1` and so on of the user `everything`. */
async function storeLogins(number: number, end: string): Promise<void> {
  const logins = Array.from({ length: number }, (_, at) => `('l${at}', '${smallIds.everything}', '${end}')`)
  await change(`INSERT INTO logins VALUES ${logins.join()}`)
}

async function count(table: string): Promise<unknown> {
  const file = join(folder, 'middleware.db')
  const [row] = await queryBeside<{ count: number }>(file, `SELECT count(*) AS count FROM ${table}`)
  return row?.count
}

async function logIn(username = 'everything'): Promise<Tokens> {
  const body = { username, password: `${username}-secret-word` }
  const { body: answer } = await server.call('/wms/auth/login/', { method: 'POST', body, token: null })
  return tokensSchema.parse(answer)
}

function refresh(refresh_token: string): Promise<Reply> {
  return server.call('/wms/auth/refresh/', { method: 'POST', body: { refresh_token }, token: null })
}

async function refreshed(from: Tokens): Promise<Tokens> {
  return tokensSchema.parse((await refresh(from.refresh_token)).body)
}

async function status(token: string, customer = 'ALDER'): Promise<number> {
  return (await server.call(path, { token, customer })).status
}

/** Makes a call whose client closes the connection while the call waits for a turn of the logins of `everything`. */
async function leaveDuring(path: string, body: unknown): Promise<void> {
  const turn = Promise.withResolvers<undefined>()
  const loginTurn = `logins of ${smallIds.everything}`
  const held = turns.runFor(loginTurn, () => turn.promise)
  const arrived = new Promise<{ left: Promise<unknown> }>((resolve) => {
    onCall = (left) => resolve({ left })
  })
  const client = new AbortController()
  const call = fetch(server.url + path, {
    method: 'POST',
    headers: { 'x-wms-code': 'DEV', 'x-customer-code': 'ALDER', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: client.signal,
  })
  const { left } = await arrived
  // Waits, so that the call can ask for its turn among the logins.
  await sleep(50)
  client.abort()
  await expect(call).rejects.toThrow('aborted')
  await left
  turn.resolve(undefined)
  await held
  await turns.runFor(loginTurn, () => Promise.resolve())
}

describe('an access token', () => {
  it('becomes invalid together with its refresh token when its user is deleted', async () => {
    const { token, refresh_token } = await logIn()
    expect(await status(token)).toBe(200)
    const id = smallIds.everything
    await change(
      `DELETE FROM refresh_tokens WHERE user_id = '${id}'`,
      `DELETE FROM user_customers WHERE user_id = '${id}'`,
      `DELETE FROM users WHERE id = '${id}'`,
    )
    expect(await server.call(path, { token })).toMatchObject({
      status: 401,
      body: { code: 401, message: 'Invalid JWT Token' },
    })
    expect((await refresh(refresh_token)).status).toBe(401)
  })

  it('has only the roles that its user had at the login and still has', async () => {
    await change(
      `UPDATE users SET roles = '["CUSTOMERS_READ","STOCK_READ"]' WHERE id = '${smallIds.everything}'`,
    )
    const { token } = await logIn()
    await change(
      `UPDATE users SET roles = '["STOCK_READ","ORDERS_READ"]' WHERE id = '${smallIds.everything}'`,
    )
    expect((await server.call('/wms/stock/', { token })).status).toBe(200)
    expect((await server.call(path, { token })).status).toBe(403)
    expect((await server.call('/wms/orders/', { token })).status).toBe(403)
  })

  it('is valid only for customers that its user may still act for', async () => {
    const { token } = await logIn()
    expect([await status(token, 'ALDER'), await status(token, 'BIRCH')]).toEqual([200, 200])
    await change(`DELETE FROM user_customers WHERE customer_id = '${smallIds.alder}'`)
    expect([await status(token, 'ALDER'), await status(token, 'BIRCH')]).toEqual([403, 200])
    const { body } = await server.call(path, { token, customer: 'BIRCH' })
    expect(body).toMatchObject([{ code: 'BIRCH' }])
  })

  it('is refused if it has a valid signature but not the id of a login of its user', async () => {
    const { token } = await logIn()
    const claims = decodeJwt(token)
    const sign = (more: Record<string, unknown>): Promise<string> =>
      new SignJWT({ ...claims, ...more })
        .setProtectedHeader({ typ: 'JWT', alg: 'HS256' })
        .sign(new TextEncoder().encode(secret))
    expect(await status(await sign({}))).toBe(200)
    const stored = await queryBeside<Record<string, unknown>>(
      join(folder, 'middleware.db'),
      'SELECT * FROM logins',
    )
    expect(stored.length).toBeGreaterThan(0)
    for (const known of stored.flatMap((row) => Object.values(row)))
      expect(await status(await sign({ sid: known }))).toBe(401)
    expect(await status(await sign({ sid: undefined }))).toBe(401)
    // this token has the id of another user and the login of the first user
    expect(await status(await sign({ user_id: smallIds.reader }))).toBe(401)
  })
})

describe('a refresh token', () => {
  it('ends its login and makes all tokens of this login invalid if it is used again more than ten seconds later', async () => {
    const stolen = await logIn()
    const owner = await refreshed(stolen)
    const later = await refreshed(owner)
    const other = await logIn()
    server.clock.advance(60_000)
    expect(await status(later.token)).toBe(200)
    expect((await refresh(stolen.refresh_token)).status).toBe(401)
    for (const { token } of [stolen, owner, later]) expect(await status(token)).toBe(401)
    expect((await refresh(later.refresh_token)).status).toBe(401)
    expect(await status(other.token)).toBe(200)
    expect((await refresh(other.refresh_token)).status).toBe(200)
  })

  it('is refused but does not end its login if it is used again within ten seconds', async () => {
    const first = await logIn()
    const second = await refreshed(first)
    server.clock.advance(10_000)
    expect((await refresh(first.refresh_token)).status).toBe(401)
    expect(await status(second.token)).toBe(200)
    server.clock.advance(1)
    expect((await refresh(first.refresh_token)).status).toBe(401)
    expect(await status(second.token)).toBe(401)
  })

  it('stays valid if its client closed the connection before the turn of the refresh', async () => {
    const { refresh_token } = await logIn()
    await leaveDuring('/wms/auth/refresh/', { refresh_token })
    server.clock.advance(60_000)
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  it('ends its login if it is used again, even if the service deleted it after later tokens of the login were used', async () => {
    const tokens = [await logIn()]
    for (let time = 0; time < 100; time++) tokens.push(await refreshed(tokens[time] as Tokens))
    const [, second] = tokens
    const last = tokens.at(-1)
    expect(await count('refresh_tokens')).toBe(2)
    expect(await status(last?.token ?? '')).toBe(200)
    server.clock.advance(60_000)
    expect((await refresh(second?.refresh_token ?? '')).status).toBe(401)
    expect(await status(last?.token ?? '')).toBe(401)
    expect((await refresh(last?.refresh_token ?? '')).status).toBe(401)
    expect(await count('refresh_tokens')).toBe(0)
  })

  it('is deleted together with its expired login; each new login deletes at most a hundred expired logins', async () => {
    await logIn()
    const end = '2026-01-01T00:00:00.000Z'
    const id = smallIds.everything
    await storeLogins(150, end)
    const tokens = Array.from({ length: 150 }, (_, at) => `('t${at}', '${id}', 'l${at}', '${end}', NULL)`)
    await change(`INSERT INTO refresh_tokens VALUES ${tokens.join()}`)
    await logIn()
    expect([await count('logins'), await count('refresh_tokens')]).toEqual([52, 52])
    await logIn()
    expect([await count('logins'), await count('refresh_tokens')]).toEqual([3, 3])
  })

  it('is deleted with its expired login, even if it was already exchanged for a new token', async () => {
    await refreshed(await logIn())
    server.clock.advance(31 * 24 * 3600_000)
    await logIn()
    expect([await count('logins'), await count('refresh_tokens')]).toEqual([1, 1])
  })
})

describe('the logins of a user', () => {
  it('do not include a login whose client closed the connection before its turn', async () => {
    await leaveDuring('/wms/auth/login/', { username: 'everything', password: 'everything-secret-word' })
    expect(await count('logins')).toBe(0)
    await logIn()
    expect(await count('logins')).toBe(1)
  })

  it('are limited to 200: a further login ends the least recently used login', async () => {
    const [first, second] = [await logIn(), await logIn()]
    const other = await logIn('reader')
    server.clock.advance(60_000)
    const used = await refreshed(first)
    const end = new Date(server.clock.now() + 30 * 24 * 3600_000).toISOString()
    await storeLogins(197, end)
    server.clock.advance(60_000)
    const third = await logIn()
    for (const { token } of [used, second, other, third]) expect(await status(token)).not.toBe(401)
    const fourth = await logIn()
    expect(await status(second.token)).toBe(401)
    expect((await refresh(second.refresh_token)).status).toBe(401)
    for (const { token } of [used, other, third, fourth]) expect(await status(token)).not.toBe(401)
    expect(await count(`logins WHERE user_id = '${smallIds.everything}'`)).toBe(200)
  })

  it('are reduced to the limit by new logins if an earlier version stored more: each new login ends at most a hundred logins', async () => {
    const end = new Date(server.clock.now() + 24 * 3600_000).toISOString()
    await storeLogins(350, end)
    const { token } = await logIn()
    expect(await count('logins')).toBe(251)
    await logIn()
    expect(await count('logins')).toBe(200)
    expect(await status(token)).toBe(200)
  })
})
