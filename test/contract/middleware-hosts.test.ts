import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { askRaw } from '#support/raw-socket.ts'

let server: TestServer
let token: string
beforeAll(async () => {
  server = await startTestServer({ allowedHosts: ['wms.example.com'] })
  token = await server.logIn()
})
afterAll(() => server.close())

const path = '/wms/customers/'

/** Returns the status of a request with the given target and header lines. The status is 200 for an allowed host. */
async function status(target: string, ...hosts: string[]): Promise<number> {
  const lines = [
    `GET ${target} HTTP/1.1`,
    ...hosts,
    'X-Wms-Code: DEV',
    'X-Customer-Code: ALDER',
    `Authorization: Bearer ${token}`,
    'Connection: close',
  ]
  const answer = await askRaw(server.url, `${lines.join('\n')}\n\n`)
  if (answer.status === 403)
    expect(JSON.parse(answer.body)).toEqual({ code: 403, message: 'This host name is not served here.' })
  return answer.status
}

describe('the host of a request', () => {
  it.each([
    ['127.0.0.1', 200],
    ['127.0.0.1:1', 200],
    ['127.0.0.1:65535', 200],
    ['LocalHost:8080', 200],
    ['[::1]:8080', 200],
    ['WMS.Example.com', 200],
    ['127.0.0.1:', 403],
    ['127.0.0.1:65536', 403],
    ['127.0.0.1:080000', 403],
    ['127.0.0.1:80:80', 403],
    ['127.0.0.1:8o', 403],
    ['127.0.0.1:-1', 403],
    ['localhost.', 403],
    ['localhost.:80', 403],
    ['wms.example.com.', 403],
    ['user@localhost', 403],
    ['localhost@evil.example', 403],
    ['evil.example@localhost', 403],
    ['evil.example#localhost', 403],
    ['localhost/evil.example', 403],
    ['localhost, evil.example', 403],
    ['localhost evil.example', 403],
    ['evil.example', 403],
    ['sub.localhost', 403],
    ['127.1', 403],
    ['2130706433', 403],
    ['0x7f.0.0.1', 403],
    ['127.0.0.1.evil.example', 403],
    ['::1', 403],
    ['[::1', 403],
    ['[0:0:0:0:0:0:0:1]', 403],
    ['[::ffff:127.0.0.1]', 403],
    ['%6cocalhost', 403],
    ['ｌocalhost', 403],
    ['', 403],
  ])('%j leads to the status %i', async (host, expected) => {
    expect(await status(path, `Host: ${host}`)).toBe(expected)
  })

  it('is refused if it is missing, or if it is sent twice, even with the same value', async () => {
    expect(await status(path)).toBe(403)
    expect(await status(path, 'Host: localhost', 'Host: evil.example')).toBe(403)
    expect(await status(path, 'Host: evil.example', 'Host: localhost')).toBe(403)
    expect(await status(path, 'Host: localhost', 'host: localhost')).toBe(403)
  })

  it('is read from the Host header, not from the forwarding headers of a proxy', async () => {
    const forwarded = ['X-Forwarded-Host: localhost', 'Forwarded: host=localhost']
    expect(await status(path, 'Host: evil.example', ...forwarded)).toBe(403)
    expect(await status(path, 'Host: localhost', 'X-Forwarded-Host: evil.example')).toBe(200)
  })

  it.each([
    ['http://localhost', 'localhost', 200],
    ['HTTP://LOCALHOST', 'localhost', 200],
    ['http://localhost:80', 'localhost:80', 200],
    ['http://localhost:80', 'localhost', 403],
    ['http://localhost', 'wms.example.com', 403],
    ['http://evil.example', 'localhost', 403],
    ['http://evil.example', 'evil.example', 403],
    ['http://user@localhost', 'localhost', 403],
    ['http://localhost@evil.example', 'localhost', 403],
    ['http://localhost.', 'localhost', 403],
    ['https://localhost', 'localhost', 403],
    ['ftp://localhost', 'localhost', 403],
    ['//localhost', 'localhost', 404],
    ['//evil.example', 'localhost', 404],
  ])(
    'in the request target %s with the Host header %s leads to the status %i',
    async (origin, host, expected) => {
      expect(await status(origin + path, `Host: ${host}`)).toBe(expected)
    },
  )

  it('is checked before the path if the host is in the request target', async () => {
    expect(await status('http://evil.example/wms/%zz', 'Host: localhost')).toBe(403)
    expect(await status('http://localhost/wms/%zz', 'Host: localhost')).toBe(400)
    expect(await status('http://evil.example', 'Host: localhost')).toBe(403)
    expect(await status('http://localhost', 'Host: localhost')).toBe(404)
    expect(await status('http://localhost?x=1', 'Host: localhost')).toBe(404)
    // Node's HTTP parser accepts a target of the form `host:port` only for CONNECT, so this GET gets 400.
    expect(await status('localhost:443', 'Host: localhost')).toBe(400)
  })

  it('appears only once in the link to the next page, even if the request target also contains it', async () => {
    const target = 'http://localhost/webhooks/?limit=1'
    const lines = [`GET ${target} HTTP/1.1`, 'Host: localhost', 'X-Wms-Code: DEV', 'X-Customer-Code: ALDER']
    const made = {
      url: 'https://example.org/',
      group: 'order',
      action: 'created',
      hash_secret: 'x'.repeat(32),
    }
    for (let number = 0; number < 2; number++)
      expect((await server.call('/webhooks/', { method: 'POST', body: made })).status).toBe(201)
    const { body } = await askRaw(
      server.url,
      `${[...lines, `Authorization: Bearer ${token}`, 'Connection: close'].join('\n')}\n\n`,
    )
    expect(JSON.parse(body)).toMatchObject({ next: 'http://localhost/webhooks/?limit=1&page=2' })
  })
})

describe('a server with a public URL', () => {
  it('serves the host name of this URL, and begins all links with this URL, whatever the Host header is', async () => {
    const publicBaseUrl = 'https://returns.example.com:8443/eu/'
    const behind = await startTestServer({ publicBaseUrl })
    const ask = async (host: string): Promise<{ status: number; body: string }> => {
      const lines = [
        'GET /webhooks/?limit=1 HTTP/1.1',
        `Host: ${host}`,
        'X-Wms-Code: DEV',
        'X-Customer-Code: ALDER',
        `Authorization: Bearer ${await behind.logIn()}`,
        'X-Forwarded-Proto: http',
        'Connection: close',
      ]
      return askRaw(behind.url, `${lines.join('\n')}\n\n`)
    }
    const made = {
      url: 'https://example.org/',
      group: 'order',
      action: 'created',
      hash_secret: 'x'.repeat(32),
    }
    for (let number = 0; number < 2; number++) await behind.call('/webhooks/', { method: 'POST', body: made })
    for (const host of ['returns.example.com', 'RETURNS.example.com:8443', 'localhost']) {
      const { status, body } = await ask(host)
      expect(status).toBe(200)
      expect(JSON.parse(body)).toMatchObject({
        next: 'https://returns.example.com:8443/eu/webhooks/?limit=1&page=2',
      })
    }
    for (const host of ['returns.example.com.', 'example.com', 'wms.example.com'])
      expect((await ask(host)).status).toBe(403)
    await behind.close()
  })
})
