import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '#middleware/openapi-document.ts'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { returnLabel as labelSchema } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallIds } from '#support/small-world.ts'

/** Matches any text, because tests do not check the wording of messages. */
const someText: unknown = expect.any(String)

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface RawReply {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: string
}

/** Sends a call with header names in the given letter case and with any Host header. `fetch` allows neither. */
function raw(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      server.url + path,
      { method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
        })
      },
    )
    call.on('error', reject)
    call.end(options.body)
  })
}

async function label(): Promise<string> {
  const body = { shipment_id: smallIds.shipments[0] }
  const reply = await server.call('/wms/return-labels/', { method: 'POST', body })
  return labelSchema.parse(reply.body).id
}

describe('requests in the forms that real clients send', () => {
  it.each(Object.entries(routes))(
    '%s refuses a wrong WMS code with 400, both at its path with a trailing slash and at its path without one',
    async (_, route) => {
      const id = await label()
      const path = route.path.replace(':id', id).replace(/\/$/, '')
      const wrong = { method: route.method, body: {}, headers: { 'x-wms-code': 'WRONG' } }
      for (const ending of ['', '/', '?', '/?']) {
        const reply = await server.call(
          path + ending,
          route.method === 'GET' ? { headers: wrong.headers } : wrong,
        )
        expect(reply.status, path + ending).toBe(400)
        expect(JSON.stringify(reply.body)).toContain('Invalid WMS.')
      }
    },
  )

  it.each(
    Object.entries(routes).filter(([, { method, path }]) => method === 'PATCH' && path.includes(':id')),
  )('%s accepts an empty body, and the empty array that PHP clients send', async (_, { method, path }) => {
    const nowhere = path.replace(':id', smallIds.alder)
    const headers = { 'content-type': 'application/json' }
    // the body is checked before the record is looked up: a refused body leads to 400, an accepted body to 404
    for (const body of ['', '[]', '{}'])
      expect((await server.call(nowhere, { method, headers, body })).status, body).toBe(404)
  })

  it('the calls that read, change, request or cancel a label work at paths with and without a trailing slash', async () => {
    for (const ending of ['', '/']) {
      const id = await label()
      const path = `/wms/return-labels/${id}`
      expect((await server.call(`${path}${ending}`)).status).toBe(200)
      expect((await server.call(`${path}${ending}`, { method: 'PATCH', body: {} })).status).toBe(200)
      expect((await server.call(`${path}/request${ending}`, { method: 'POST' })).status).toBe(200)
      expect((await server.call(`${path}/cancel${ending}`, { method: 'POST' })).status).toBe(412)
    }
  })

  it.each(['X-WMS-Code', 'x-wms-code', 'X-Wms-Code', 'X-WMS-CODE'])(
    'the header X-Wms-Code is accepted in the spelling %s',
    async (name) => {
      const authorization = `Bearer ${await server.logIn()}`
      const headers = { [name]: 'DEV', 'X-CUSTOMER-CODE': 'ALDER', authorization }
      expect((await raw('/wms/customers/', { headers })).status).toBe(200)
    },
  )

  it.each([
    ['no Content-Type header', undefined, 200],
    ['a charset in its Content-Type', 'application/json; charset=utf-8', 200],
    ['the Content-Type application/vnd.api+json', 'application/vnd.api+json', 200],
    ['the Content-Type of a form', 'application/x-www-form-urlencoded', 415],
    ['the Content-Type text/plain', 'text/plain', 415],
  ])('the response to a login with %s is JSON', async (_, type, status) => {
    const headers = { 'x-wms-code': 'DEV', ...(type !== undefined && { 'content-type': type }) }
    const body = JSON.stringify({ username: 'everything', password: 'everything-secret-word' })
    const reply = await raw('/wms/auth/login', { method: 'POST', headers, body })
    expect(reply.status).toBe(status)
    expect(reply.headers['content-type']).toMatch(/^application\/json/)
  })

  it.each(['', '[]', ' [] ', '{}'])('a call that cancels a label accepts the body "%s"', async (body) => {
    const path = `/wms/return-labels/${await label()}/cancel`
    const headers = { 'content-type': 'application/json' }
    expect((await server.call(path, { method: 'POST', headers, body })).status).toBe(200)
  })

  it.each(['{', '{"__proto__": {"a": 1}}', '"text"', '[1]'])(
    'a call that creates a label is refused if its body is %s',
    async (body) => {
      const reply = await server.call('/wms/return-labels/', { method: 'POST', body })
      expect(reply).toMatchObject({ status: 400, body: { error: someText } })
    },
  )

  it('a body of two megabytes for a return label is refused with 413', async () => {
    const body = { shipment_id: 'x'.repeat(2 * 1024 * 1024) }
    expect((await server.call('/wms/return-labels/', { method: 'POST', body })).status).toBe(413)
  })

  it('get the response 404 for an unknown path and 405 for a wrong method, both in JSON', async () => {
    expect(await server.call('/wms/nothing/')).toMatchObject({ status: 404, body: { code: 404 } })
    const wrong = await server.call('/wms/customers', { method: 'DELETE' })
    expect(wrong).toMatchObject({ status: 405, body: { code: 405 } })
    expect(wrong.headers.get('allow')).toBe('GET, HEAD')
    const label405 = await server.call('/wms/return-labels/x/request/', { method: 'PUT', body: {} })
    expect(label405).toMatchObject({ status: 405, body: { error: 'Method Not Allowed' } })
    const label404 = await server.call('/wms/return-labels/x/nothing/')
    expect(label404).toMatchObject({ status: 404, body: { error: 'Not Found' } })
  })

  it('the response has a valid Date header', async () => {
    expect(Date.parse((await server.call('/wms/customers/')).headers.get('date') ?? '')).not.toBeNaN()
  })
})

describe('the middleware', () => {
  it.each([
    ['evil.example', 403],
    ['evil.example:80', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost.', 403],
    ['LOCALHOST:1', 400],
    ['127.0.0.1', 400],
    ['[::1]:8080', 400],
  ])('responds to a call with the Host header %s with the status %i', async (host, status) => {
    for (const path of ['/wms/customers/', '/wms/auth/login/']) {
      const method = path.includes('login') ? 'POST' : 'GET'
      const reply = await raw(path, { method, headers: { host } })
      expect(reply.status).toBe(status)
    }
  })

  it('refuses foreign hosts at unknown paths and at the paths of files', async () => {
    const headers = { host: 'evil.example' }
    expect((await raw('/nothing', { headers })).status).toBe(403)
    expect((await raw('/wms/files/x.pdf', { headers })).status).toBe(403)
  })

  it.each([
    ['/wms/%zz', 400, { code: 400 }],
    ['/wms/return-labels/%zz/', 400, { error: someText }],
    [`/wms/shipments/${'1'.repeat(200)}/`, 414, { code: 414 }],
  ])('refuses a foreign host with 403 even if the path is invalid: %s', async (path, status, body) => {
    const own = await raw(path, { headers: { host: 'localhost' } })
    expect(own.status).toBe(status)
    expect(JSON.parse(own.body)).toMatchObject(body)
    expect(own.headers['x-content-type-options']).toBe('nosniff')
    const foreign = await raw(path, { headers: { host: 'evil.example' } })
    expect(foreign).toMatchObject({ status: 403, headers: { 'cache-control': 'no-store' } })
  })

  it('sends no CORS header to a web page, not even in the response to a preflight', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    for (const method of ['OPTIONS', 'POST', 'GET']) {
      const reply = await raw('/wms/auth/login/', { method, headers })
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.headers['cache-control']).toBe('no-store')
    }
  })
})

describe('signed links', () => {
  async function link(): Promise<URL> {
    const reply = await server.call(`/wms/return-labels/${await label()}/request`, { method: 'POST' })
    return new URL(labelSchema.parse(reply.body).url ?? '')
  }

  it('open a document without a token until they expire; a later read of the label returns a new, valid link', async () => {
    const url = await link()
    expect((await fetch(url)).status).toBe(200)
    server.clock.advance(899_000)
    expect((await fetch(url)).status).toBe(200)
    server.clock.advance(1_000)
    const expired = await fetch(url)
    expect(expired.status).toBe(403)
    expect(await expired.json()).toEqual({ code: 403, message: 'This link has expired.' })
    const reply = await server.call('/wms/return-labels/?limit=1')
    const [newest] = labelSchema.array().parse(reply.body)
    expect((await fetch(newest?.url ?? '')).status).toBe(200)
  })

  it('are refused if any part of the link was changed', async () => {
    const url = await link()
    const other = await link()
    const changed = (change: (copy: URL) => void): URL => {
      const copy = new URL(url)
      change(copy)
      return copy
    }
    for (const forged of [
      changed((copy) => (copy.search = '')),
      changed((copy) => (copy.pathname = other.pathname)),
      changed((copy) => copy.searchParams.set('expires', '9999999999')),
      changed((copy) => copy.searchParams.set('signature', 'f'.repeat(64))),
      changed((copy) => copy.searchParams.append('signature', 'f'.repeat(64))),
    ])
      expect((await fetch(forged)).status, forged.search).toBe(403)
  })
})

describe('secrets', () => {
  it('appear in no log line at any level', async () => {
    const password = 'everything-secret-word'
    const body = { username: 'everything', password }
    const reply = await server.call('/wms/auth/login/', { method: 'POST', body, token: null })
    const { token, refresh_token } = tokensSchema.parse(reply.body)
    await server.call('/wms/auth/login/', { method: 'POST', body: `{"password":"${password}`, token: null })
    await server.call('/wms/auth/refresh/', { method: 'POST', body: { refresh_token }, token: null })
    const requested = await server.call(`/wms/return-labels/${await label()}/request`, {
      method: 'POST',
      token,
    })
    const url = new URL(labelSchema.parse(requested.body).url ?? '')
    await fetch(url)
    const log = server.logLines.join('')
    expect(log).toContain('/wms/auth/login/')
    for (const secret of [password, token, refresh_token, url.searchParams.get('signature') ?? '?'])
      expect(log).not.toContain(secret)
  })
})

describe('resources/openapi.json', () => {
  it('equals the document that the server serves', async () => {
    const committed = readFileSync(new URL('../../resources/openapi.json', import.meta.url), 'utf8')
    expect(JSON.parse(committed)).toEqual(JSON.parse(await openApiDocument()))
  })

  it('contains every route of the route table', async () => {
    const document = JSON.stringify(JSON.parse(await openApiDocument()))
    for (const name of Object.keys(routes)) expect(document).toContain(`"operationId":"${name}"`)
    expect(document).toContain('"openapi":"3.1.0"')
  })
})
