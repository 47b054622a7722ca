import type { AddressInfo } from 'node:net'
import { createMiddleware, type MiddlewareOptions } from '#middleware/app.ts'
import type { Clock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { expectDeclaredStatus } from './declared-status.ts'
import { makeSmallWorld } from './small-world.ts'
import { dropTestDatabase, testPlace } from './test-database.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The body of the response: parsed JSON, or the text if it is not JSON. */
  readonly body: unknown
}

export interface CallOptions {
  readonly method?: string
  /** The body of the request. A string is sent unchanged, and any other value as JSON. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly expand?: string
  readonly customer?: string
  readonly token?: string | null
}

/** A wall clock that a test sets. It starts on 1 June 2026, noon UTC. */
export interface TestClock extends Clock {
  advance(ms: number): void
}

export function testClock(start = '2026-06-01T12:00:00Z'): TestClock {
  let now = Date.parse(start)
  return { now: () => now, ticks: () => now, advance: (ms) => void (now += ms) }
}

export interface TestServer {
  readonly url: string
  readonly clock: TestClock
  /** The log lines of the server, at every level. */
  readonly logLines: readonly string[]
  call(path: string, options?: CallOptions): Promise<Reply>
  /** Returns an access token of the user. Each call returns the same token unless `isFresh` is set. */
  logIn(username?: string, isFresh?: boolean): Promise<string>
  /** Returns the number of open connections of the server. */
  connections(): Promise<number>
  close(): Promise<void>
}

/**
 * Starts a listening server with the data of the small world. By default calls are made by the user `everything` for
 * the customer ALDER.
 */
export async function startTestServer(options: Partial<MiddlewareOptions> = {}): Promise<TestServer> {
  const clock = testClock()
  const logLines: string[] = []
  const logger = createLogger('test', {
    level: 'trace',
    destination: { write: (line) => logLines.push(line) },
  })
  const { databaseFile = ':memory:', ...rest } = options
  const place = options.databaseUrl ? { databaseFile } : await testPlace(databaseFile)
  const app = await createMiddleware({
    world: makeSmallWorld(),
    sandbox: true,
    // Cheap password hashes, so that logins do not slow the tests down.
    passwordCost: { N: 16, r: 1, p: 1 },
    // By default no webhook address can be reached: a test names its own receivers.
    deliveries: { resolve: () => Promise.resolve([]), mayReach: () => false },
    clock,
    logger,
    ...place,
    ...rest,
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const tokens = new Map<string, Promise<string>>()

  async function logIn(username = 'everything', isFresh = false): Promise<string> {
    const known = isFresh ? undefined : tokens.get(username)
    if (known !== undefined) return known
    const fresh = send(url, '/wms/auth/login/', {
      method: 'POST',
      body: { username, password: `${username}-secret-word` },
      headers: { 'x-customer-code': '' },
    }).then(({ body }) => tokensSchema.parse(body).token)
    tokens.set(username, fresh)
    return fresh
  }

  return {
    url,
    clock,
    logLines,
    logIn,
    call: async (path, call = {}) =>
      send(url, path, { ...call, token: call.token === undefined ? await logIn() : call.token }),
    connections: () =>
      new Promise((resolve, reject) => {
        app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
      }),
    async close() {
      await app.close()
      if (databaseFile === ':memory:') await dropTestDatabase(place)
    },
  }
}

/**
 * Makes one call with headers for the WMS code and the customer code. A header with an empty string is omitted. Throws
 * if the API does not declare the status of the response.
 */
export async function send(base: string, path: string, call: CallOptions): Promise<Reply> {
  const headers: Record<string, string> = {
    'x-wms-code': 'DEV',
    'x-customer-code': call.customer ?? 'ALDER',
    ...(call.token && { authorization: `Bearer ${call.token}` }),
    ...(call.expand && { expand: call.expand }),
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...call.headers,
  }
  for (const [name, value] of Object.entries(headers)) if (value === '') Reflect.deleteProperty(headers, name)
  const response = await fetch(base + path, {
    method: call.method ?? 'GET',
    headers,
    redirect: 'manual',
    ...(call.body !== undefined && {
      body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body),
    }),
  })
  const text = await response.text()
  expectDeclaredStatus(call.method ?? 'GET', path, response.status)
  return { status: response.status, headers: response.headers, body: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
