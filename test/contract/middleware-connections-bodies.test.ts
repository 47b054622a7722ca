import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConnectionLimits, usualConnectionLimits } from '#middleware/plugins/connections.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { askRaw, openRaw, type RawSocket } from '#support/raw-socket.ts'

const megabyte = 1024 * 1024

let server: TestServer
let open: RawSocket[] = []
let gate: PromiseWithResolvers<undefined>
beforeEach(() => {
  gate = Promise.withResolvers()
})
afterEach(async () => {
  for (const { socket } of open) socket.destroy()
  open = []
  gate.resolve(undefined)
  await server.close()
})

/** Starts a server on which a call of `/openapi.json` gets its response only at the end of the test. */
async function start(limits: Partial<ConnectionLimits> = {}): Promise<void> {
  server = await startTestServer({
    connectionLimits: { ...usualConnectionLimits, ...limits },
    beforeRoutes: (app) => {
      app.addHook('preHandler', async ({ url }) => {
        if (url === '/openapi.json') await gate.promise
      })
      return Promise.resolve()
    },
  })
}

function client(says: string): RawSocket {
  const raw = openRaw(server.url, says)
  open.push(raw)
  return raw
}

const chunked = 'Transfer-Encoding: chunked'
const login = (...headers: string[]): string => post('/wms/auth/login/', 'X-Wms-Code: DEV', ...headers)

function post(path: string, ...headers: string[]): string {
  return ['POST ' + path + ' HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n')
}

/** The head of a call whose response comes only at the end of the test. */
const held = post('/openapi.json').replace('POST', 'GET')

/** The head of a call that creates articles. */
async function articles(...headers: string[]): Promise<string> {
  const token = `Authorization: Bearer ${await server.logIn()}`
  return post('/wms/articles/bulks/', 'X-Wms-Code: DEV', 'X-Customer-Code: ALDER', token, ...headers)
}

/** Returns the body in chunks. Each chunk has the given number of bytes. */
function inChunks(body: string, bytes: number): string {
  const count = Math.ceil(body.length / bytes)
  const parts = Array.from({ length: count }, (_, at) => body.slice(at * bytes, (at + 1) * bytes))
  return parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')
}

const pieces = (count: number): string => '1\r\n \r\n'.repeat(count)
const end = '0\r\n\r\n'

/** Sends a text. Resolves when the text was sent, or when the server has closed the connection. */
function sent({ socket, closed }: RawSocket, text: string): Promise<unknown> {
  return Promise.race([closed, new Promise((resolve) => socket.write(text, resolve))])
}

async function isServed(): Promise<void> {
  const honest = 'GET /nothing HTTP/1.1\nHost: localhost\nConnection: close\n\n'
  expect((await askRaw(server.url, honest)).status).toBe(404)
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the bytes of memory that this process, including the server, uses after a garbage collection. */
async function usedBytes(): Promise<number> {
  for (let time = 0; time < 3; time++) {
    collectGarbage()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('request bodies in chunks of one byte', () => {
  it('make the server close their connection if the bodies are long; meanwhile the server serves other connections', async () => {
    await start()
    await isServed()
    const before = await usedBytes()
    for (const head of [login(chunked), await articles(chunked), post('/nothing', chunked)]) {
      const many = client(head)
      const text = pieces(50_000)
      for (let at = 0; at < text.length; at += 30_000) {
        await sent(many, text.slice(at, at + 30_000))
        if (at % 90_000 === 0) await isServed()
      }
      await many.closed
    }
    expect((await usedBytes()) - before).toBeLessThan(10 * megabyte)
  })

  it.each([
    ['of calls without a token', () => Promise.resolve(login(chunked))],
    ['of a customer', () => articles(chunked)],
    ['of calls that wait for the call before them', () => Promise.resolve(held + login(chunked))],
  ])('use less than 10 MB of memory in total: twenty bodies %s', async (_, head) => {
    await start({ mostBodyBytes: 4 * megabyte })
    const text = (await head()) + pieces(7_000)
    await isServed()
    const before = await usedBytes()
    for (let time = 0; time < 20; time++) {
      const each = client('')
      await sent(each, text)
    }
    // the response to a further call shows that the server has also read the last bodies
    await isServed()
    expect((await usedBytes()) - before).toBeLessThan(10 * megabyte)
  })

  it('are accepted if they are short', async () => {
    await start()
    const body = JSON.stringify({ username: 'everything', password: 'everything-secret-word' })
    const calm = client(login(chunked) + inChunks(body, 1) + inChunks(' '.repeat(7_000), 1) + end)
    await expect.poll(() => calm.heard()).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('the body of a GET or HEAD call', () => {
  it.each(['GET', 'HEAD'])(
    'is discarded while it arrives, so that unfinished bodies use little memory: %s',
    async (method) => {
      await start()
      const head = post('/openapi.json', chunked).replace('POST', method)
      await isServed()
      const before = await usedBytes()
      for (let time = 0; time < 20; time++) {
        const each = client('')
        await sent(each, head + pieces(7_000))
      }
      // the response to a further call shows that the server has also read the last bodies
      await isServed()
      expect((await usedBytes()) - before).toBeLessThan(10 * megabyte)
      expect(open.map(({ heard }) => heard())).toEqual(open.map(() => ''))
    },
  )

  it('is ignored if it is short, and the next call on the same connection is served', async () => {
    await start()
    const honest = client(post('/nothing', 'Content-Length: 5').replace('POST', 'GET') + '12345')
    await expect.poll(() => honest.heard()).toMatch(/^HTTP\/1\.1 404 /)
    honest.socket.write(post('/nothing', 'Content-Length: 0'))
    await expect.poll(() => honest.heard().match(/HTTP\/1\.1 404 /g)).toHaveLength(2)
  })
})

describe('a body in chunks of the usual size', () => {
  it.each([
    [1_000, 15_000_000],
    [100, 10_000_000],
  ])('is read completely: chunks of %i bytes, %i bytes in total', async (bytes, size) => {
    await start()
    const body = JSON.stringify({ articles: [] }).padEnd(size)
    const honest = client(
      (await articles(chunked, 'Content-Type: application/json')) + inChunks(body, bytes) + end,
    )
    // the body was read to its end, so the refusal is about its content
    await expect.poll(() => honest.heard(), { timeout: 20_000 }).toMatch(/^HTTP\/1\.1 400 .*"errors"/s)
  })
})

describe('a refusal before the body is read', () => {
  const refusals: [string, number, string][] = [
    ['an unknown path', 404, post('/nothing')],
    ['an unknown path of a known method', 405, post('/wms/customers/')],
    ['a wrong host', 403, login().replace('localhost', 'evil')],
    ['a missing token', 401, post('/wms/orders/', 'X-Wms-Code: DEV', 'X-Customer-Code: ALDER')],
    ['an address that no route can read', 400, post('/wms/%zz')],
  ]
  const withHeader = (head: string, header: string): string =>
    head.replace(/\r\n\r\n$/, `\r\n${header}\r\n\r\n`)

  it.each(refusals)('reaches a client that sends its whole body first: %s', async (_, status, head) => {
    await start()
    const body = inChunks(' '.repeat(15_000_000), 60_000)
    const honest = client(withHeader(head, chunked))
    await sent(honest, body)
    expect(await honest.closed).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, 'is'))
  })

  it.each(refusals)(
    'closes the connection of a client that continues to send its body: %s',
    async (_, status, head) => {
      await start({ lingerMs: 300 })
      const endless = client(withHeader(head, chunked))
      const drip = setInterval(() => void (endless.socket.writable && endless.socket.write(pieces(1))), 20)
      const cut = new Promise((resolve) => endless.socket.once('close', resolve))
      expect(await endless.closed).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      await expect.poll(() => server.connections()).toBe(0)
      await cut
      clearInterval(drip)
    },
  )

  it('leaves the connection open if the body is short and arrives after the refusal', async () => {
    await start()
    const honest = client(post('/nothing', 'Content-Length: 5'))
    await expect.poll(() => honest.heard()).toMatch(/^HTTP\/1\.1 404 /)
    honest.socket.write('12345' + post('/nothing', 'Content-Length: 0'))
    await expect.poll(() => honest.heard().match(/HTTP\/1\.1 404 /g)).toHaveLength(2)
    expect(honest.heard()).not.toMatch(/connection: close/i)
  })
})

describe('a call with an Expect header', () => {
  const get = (...headers: string[]): string => ['GET /nothing HTTP/1.1', ...headers, '', ''].join('\r\n')

  it.each(['x', '100-continue'])(
    'counts towards the limit of waiting calls of its connection: Expect: %s',
    async (expectation) => {
      await start()
      const eager = client(get('Host: localhost', `Expect: ${expectation}`).repeat(1_000))
      const answers = (await eager.closed).match(/HTTP\/1\.1 \d/g) ?? []
      expect(answers.length).toBeLessThanOrEqual(usualConnectionLimits.mostCallsAtOnce)
      await isServed()
    },
  )

  it('is refused with 417 and the usual response headers if the expectation is unknown', async () => {
    await start()
    const { url } = server
    const known = 'GET /docs/static/index.css HTTP/1.1\nHost: localhost\nConnection: close\n'
    expect((await askRaw(url, `${known}\n`)).status).toBe(200)
    const refused = await askRaw(url, `${known}Expect: x\n\n`)
    expect(refused.status).toBe(417)
    expect(JSON.parse(refused.body)).toEqual({ code: 417, message: expect.any(String) as string })
    expect(await client(get('Host: localhost', 'Expect: x', 'Connection: close')).closed).toMatch(/no-store/)
  })

  it.each(['x', '100-continue'])(
    'is refused with 403 for a host that is not served: Expect: %s',
    async (expectation) => {
      await start()
      const heard = await client(get('Host: evil', `Expect: ${expectation}`, 'Connection: close')).closed
      expect(heard).toMatch(/^HTTP\/1\.1 403 .*"code":403/s)
    },
  )

  it('that expects 100-continue gets 100 Continue before its body if its path is known', async () => {
    await start()
    const body = JSON.stringify({ username: 'everything', password: 'everything-secret-word' })
    const polite = client(login('Expect: 100-continue', `Content-Length: ${body.length}`))
    await expect.poll(() => polite.heard()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    polite.socket.write(body)
    await expect.poll(() => polite.heard()).toMatch(/\r\n\r\nHTTP\/1\.1 200 /)
  })

  it('that expects 100-continue gets 404 without 100 Continue if its path is unknown', async () => {
    await start()
    const polite = client(post('/nothing', 'Expect: 100-continue', 'Content-Length: 15000000'))
    expect(await polite.closed).toMatch(/^HTTP\/1\.1 404 .*connection: close/is)
  })
})

describe('a change of protocol', () => {
  it('is refused: CONNECT closes the connection, and a call with an Upgrade header is an ordinary call', async () => {
    await start()
    expect(await client('CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n').closed).toBe('')
    const upgrade = 'GET /nothing HTTP/1.1\nHost: evil\nConnection: Upgrade, close\nUpgrade: websocket\n\n'
    expect((await askRaw(server.url, upgrade)).status).toBe(403)
  })
})
