import type * as Crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '#middleware/data/engine/database.ts'
import { usualLoginLimits } from '#middleware/services/access/login-gate.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'

/** The cost parameters of all password hashes that the tests of this file compute. */
const { costs } = vi.hoisted(() => ({ costs: new Array<unknown>() }))
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof Crypto>()
  const scrypt: typeof crypto.scrypt = (...args: unknown[]) => {
    costs.push(args[3])
    Reflect.apply(crypto.scrypt, crypto, args)
  }
  return { ...crypto, scrypt }
})

const passwordOf = (username: string): string => `${username}-secret-word`
const tooMany = { status: 429, body: { code: 429, message: 'Too many refused logins.' } }

let server: TestServer
beforeEach(async () => {
  server = await startTestServer({ loginLimits: usualLoginLimits })
  costs.length = 0
})
afterEach(() => server.close())

function login(username: string, password = 'wrong', to = server, headers = {}): Promise<Reply> {
  const call = { method: 'POST', body: { username, password }, headers, token: null }
  return to.call('/wms/auth/login/', call)
}

async function guess(username: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) expect((await login(username)).status).toBe(401)
}

describe('login limits', () => {
  it('lead to 429 with Retry-After after ten refused logins in a minute, without computing a password hash', async () => {
    await guess('everything', 10)
    costs.length = 0
    server.clock.advance(20_000)
    const reply = await login('everything', passwordOf('everything'))
    expect(reply).toMatchObject(tooMany)
    expect(reply.headers.get('retry-after')).toBe('40')
    expect(costs).toEqual([])
    expect((await login('reader', passwordOf('reader'))).status).toBe(200)
    server.clock.advance(40_000)
    expect((await login('everything', passwordOf('everything'))).status).toBe(200)
  })

  it('are equal for unknown and known user names', async () => {
    for (const name of ['everything', 'nobody']) {
      await guess(name, 10)
      expect(await login(name)).toMatchObject(tooMany)
    }
    expect(costs).toHaveLength(20)
    expect(new Set(costs.map((cost) => JSON.stringify(cost))).size).toBe(1)
  })

  it('count from zero after a successful login', async () => {
    await guess('everything', 9)
    expect((await login('everything', passwordOf('everything'))).status).toBe(200)
    await guess('everything', 10)
    expect(await login('everything')).toMatchObject(tooMany)
  })

  it('lead to ten times 401 and ninety times 429 for a hundred parallel logins with a wrong password', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => login('everything')))
    expect(costs).toHaveLength(10)
    const statuses = replies.map(({ status }) => status)
    expect([...new Set(statuses)].sort()).toEqual([401, 429])
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(
      replies.every(({ status, headers }) => status === 401 || Number(headers.get('retry-after')) > 0),
    ).toBe(true)
  })

  it('write one log line without name and password if a user has too many refused logins', async () => {
    await guess('everything', 10)
    for (let time = 0; time < 3; time++) await login('everything', 'canary-password')
    const said = server.logLines.filter((line) => line.includes('too many refused logins'))
    expect(said).toHaveLength(1)
    expect(JSON.parse(said[0] ?? '')).toMatchObject({ level: 40, address: '127.0.0.1' })
    expect(server.logLines.join('')).not.toMatch(/canary|"everything"/)
  })

  it('do not apply in the sandbox', async () => {
    const sandbox = await startTestServer()
    for (let time = 0; time < 20; time++) expect((await login('nobody', 'wrong', sandbox)).status).toBe(401)
    const flood = Array.from({ length: 60 }, () => login('reader', passwordOf('reader'), sandbox))
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([200]))
    await sandbox.close()
  })

  it('apply by default to a server outside the sandbox', async () => {
    const real = await startTestServer({ sandbox: false })
    for (let time = 0; time < 10; time++) expect((await login('nobody', 'wrong', real)).status).toBe(401)
    expect(await login('nobody', 'wrong', real)).toMatchObject(tooMany)
    await real.close()
  })
})

describe('refused logins of a server with SQLite', () => {
  it('are counted in memory, because no other process serves the database', async () => {
    const databases: Database[] = []
    const alone = await startTestServer({
      // The command line passes null as `databaseUrl` if no PostgreSQL database is configured.
      databaseUrl: null,
      loginLimits: usualLoginLimits,
      onOpened: (database) => {
        databases.push(database)
        return Promise.resolve()
      },
    })
    for (let time = 0; time < 10; time++) expect((await login('nobody', 'wrong', alone)).status).toBe(401)
    expect(await login('nobody', 'wrong', alone)).toMatchObject(tooMany)
    expect(await databases[0]?.selectFrom('refused_logins').selectAll().execute()).toEqual([])
    await alone.close()
  })
})

describe('refused logins behind a proxy', () => {
  const limited = { loginLimits: usualLoginLimits }

  it('are counted for each client that the proxy names last in X-Forwarded-For', async () => {
    const behind = await startTestServer({ ...limited, proxies: ['127.0.0.1'] })
    const from = (addresses: string, password?: string): Promise<Reply> =>
      login('everything', password, behind, { 'x-forwarded-for': addresses })
    // The attacker can change all addresses in X-Forwarded-For except the last one, which the proxy adds.
    for (let guess = 0; guess < 10; guess++)
      expect((await from(`203.0.113.${guess}, 192.0.2.1`)).status).toBe(401)
    expect(await from('203.0.113.10, 192.0.2.1')).toMatchObject(tooMany)
    expect((await from('192.0.2.2', passwordOf('everything'))).status).toBe(200)
    const said = behind.logLines.find((line) => line.includes('too many refused logins'))
    expect(JSON.parse(said ?? '')).toMatchObject({ address: '192.0.2.1' })
    await behind.close()
  })

  it.each([
    ['no proxy', []],
    ['a proxy with a different address', ['192.0.2.7']],
  ])(
    'are counted for the address of the connection, whatever X-Forwarded-For contains, if the server has %s',
    async (_, proxies) => {
      const direct = await startTestServer({ ...limited, proxies })
      const from = (address: string): Promise<Reply> =>
        login('everything', 'wrong', direct, { 'x-forwarded-for': address })
      for (let guess = 0; guess < 10; guess++) expect((await from(`192.0.2.${guess}`)).status).toBe(401)
      expect(await from('192.0.2.10')).toMatchObject(tooMany)
      await direct.close()
    },
  )
})
