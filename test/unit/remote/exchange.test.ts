import { createServer, type Server, type ServerResponse } from 'node:http'
import net, { type AddressInfo, type LookupFunction } from 'node:net'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAgents } from '#remote/agents.ts'
import { exchange, type Exchange, type ExchangeRequest } from '#remote/exchange.ts'
import { createDheServer } from '#support/dhe-server.ts'

const nothingZipped = gzipSync(Buffer.alloc(0))
let server: Server
let seen: number
let answer: (response: ServerResponse) => void
const agents = createAgents()
const patient = { connectMs: 10_000, headersMs: 10_000, idleMs: 10_000, totalMs: 20_000 }

beforeEach(async () => {
  seen = 0
  answer = (response) => response.end('{}')
  server = createServer((request, response) => {
    seen++
    request.resume()
    request.on('end', () => answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  agents.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function post(change: Partial<ExchangeRequest> = {}): Promise<Exchange> {
  const url = change.url ?? new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`)
  return exchange({
    url,
    method: 'POST',
    headers: {},
    body: '{"a":1}',
    agent: agents.forWrite(url),
    throughProxy: false,
    timeouts: patient,
    largestBytes: 100_000,
    ...change,
  })
}

/**
 * Starts a server that does not accept connections for `ms` after the first two, so that the system ignores the first
 * packet of each further connection; the client's system repeats it after a second.
 */
async function startBusyServer(ms: number): Promise<{ port: number; close(): Promise<unknown> }> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
    const server = require('node:http').createServer((_, response) => response.end('{}'))
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${String(ms)})
    })`,
    { eval: true },
  )
  const port = await new Promise<number>((resolve) => worker.once('message', resolve))
  return { port, close: () => worker.terminate() }
}

/** Returns the agent of a write that finds these addresses for each host name, after `ms`. */
function agentFinding(url: URL, addresses: readonly string[], ms = 0): ExchangeRequest['agent'] {
  const agent = agents.forWrite(url)
  const lookup: LookupFunction = (_, __, found) => {
    setTimeout(
      () =>
        found(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
      ms,
    )
  }
  // the types of Node do not contain the options of an agent
  const options: unknown = Reflect.get(agent, 'options')
  Object.assign(options as object, { lookup })
  return agent
}

describe('an HTTP exchange', () => {
  it('sends a body and receives the body of the response', async () => {
    answer = (response) => response.end('{"b":2}')
    const result = await post()
    if (result.kind !== 'response') throw new Error(result.kind)
    expect(result.status).toBe(200)
    expect(Buffer.from(result.body).toString()).toBe('{"b":2}')
  })

  it('reports that nothing was sent if the connection was refused', async () => {
    const idle = net.createServer()
    await new Promise<void>((resolve) => idle.listen(0, '127.0.0.1', resolve))
    const { port } = idle.address() as AddressInfo
    await new Promise((resolve) => idle.close(resolve))
    const result = await post({ url: new URL(`http://127.0.0.1:${port}/`) })
    expect(result).toMatchObject({ kind: 'failed', sent: false, code: 'ECONNREFUSED' })
  })

  it('reports that nothing was sent if the host name is unknown', async () => {
    const result = await post({ url: new URL('http://no-such-host.invalid/') })
    expect(result).toMatchObject({ kind: 'failed', sent: false })
  })

  it('reports that nothing was sent if the TLS handshake failed', async () => {
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/x`)
    expect(await post({ url, agent: agents.forWrite(url) })).toMatchObject({ kind: 'failed', sent: false })
    expect(seen).toBe(0)
  })

  it('reports that nothing was sent if the server accepts the connection but not the TLS handshake', async () => {
    const silent = net.createServer((socket) => void socket.on('error', () => undefined).resume())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = new URL(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/x`)
    const timeouts = { ...patient, connectMs: 300 }
    const result = await post({ url, agent: agents.forWrite(url), timeouts })
    await new Promise((resolve) => silent.close(resolve))
    expect(result).toMatchObject({ kind: 'failed', sent: false, code: 'TIMEOUT' })
    const hasty = net.createServer((socket) => void socket.once('data', () => socket.resetAndDestroy()))
    await new Promise<void>((resolve) => hasty.listen(0, '127.0.0.1', resolve))
    const other = new URL(`https://127.0.0.1:${(hasty.address() as AddressInfo).port}/x`)
    expect(await post({ url: other, agent: agents.forWrite(other) })).toMatchObject({ sent: false })
    await new Promise((resolve) => hasty.close(resolve))
  })

  it('reports that nothing was sent if no address of the host accepted a connection, whatever the error is', async () => {
    const url = new URL('http://service.example.com/x')
    const agent = agents.forWrite(url)
    agent.createConnection = () => {
      const socket = new net.Socket()
      Object.defineProperty(socket, 'connecting', { value: true })
      setTimeout(() => socket.destroy(Object.assign(new Error('no response'), { code: 'ETIMEDOUT' })), 20)
      return socket
    }
    expect(await post({ url, agent })).toMatchObject({ kind: 'failed', sent: false, code: 'ETIMEDOUT' })
  })

  it.skipIf(process.platform !== 'linux')(
    'reaches an address that needs a second to accept, although the host has a further address without a service',
    async () => {
      const busy = await startBusyServer(700)
      const fill = [0, 1].map(() => net.connect(busy.port, '127.0.0.1').on('error', () => undefined))
      await Promise.all(fill.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
      const url = new URL(`http://service.example.com:${String(busy.port)}/x`)
      const result = await post({ url, agent: agentFinding(url, ['127.0.0.1', '127.0.0.2']) })
      for (const socket of fill) socket.destroy()
      await busy.close()
      expect(result).toMatchObject({ kind: 'response', status: 200 })
    },
  )

  it('allows the look-up of the host name more time than the connection', async () => {
    const url = new URL(`http://service.example.com:${(server.address() as AddressInfo).port}/x`)
    const timeouts = { ...patient, connectMs: 300 }
    const slow = agentFinding(url, ['127.0.0.1'], 600)
    expect(await post({ url, agent: slow, timeouts })).toMatchObject({ kind: 'response', status: 200 })
    const never = agentFinding(url, ['127.0.0.1'], 5_000)
    expect(await post({ url, agent: never, timeouts: { ...timeouts, totalMs: 600 } })).toMatchObject({
      kind: 'failed',
      sent: false,
      code: 'TIMEOUT',
    })
  })

  it('does not offer DHE ciphers, with which the service could choose large numbers in the handshake', async () => {
    const { server: service, wasOffered } = createDheServer()
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const url = new URL(`https://127.0.0.1:${(service.address() as AddressInfo).port}/x`)
    for (const agent of [agents.forWrite(url), agents.forReads(url)])
      expect(await post({ url, agent })).toMatchObject({ kind: 'failed', sent: false })
    await new Promise((resolve) => service.close(resolve))
    expect(wasOffered()).toBe(false)
  })

  it('has an unknown outcome if the server resets the connection', async () => {
    answer = (response) => response.socket?.resetAndDestroy()
    expect(await post()).toMatchObject({ kind: 'failed', sent: true })
    expect(seen).toBe(1)
  })

  it('has an unknown outcome if the server closes the connection or sends no response', async () => {
    answer = (response) => response.socket?.destroy()
    expect(await post()).toMatchObject({ kind: 'failed', sent: true })
    answer = () => undefined
    expect(await post({ timeouts: { ...patient, headersMs: 200 } })).toMatchObject({
      kind: 'failed',
      sent: true,
      code: 'TIMEOUT',
    })
  })

  it('is reported as broken if the body ends too early, stops arriving or never ends', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"a"', () => response.socket?.destroy())
    }
    expect(await post()).toEqual({ kind: 'broken', status: 200, code: 'TRUNCATED' })
    answer = (response) => void response.write('{"a"')
    expect(await post({ timeouts: { ...patient, idleMs: 200 } })).toEqual({
      kind: 'broken',
      status: 200,
      code: 'TIMEOUT',
    })
    answer = (response) => {
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    }
    expect(await post({ timeouts: { ...patient, totalMs: 400 } })).toEqual({
      kind: 'broken',
      status: 200,
      code: 'TIMEOUT',
    })
  })

  it('accepts a compressed body only if its decompressed size is within the limit', async () => {
    const small = gzipSync(Buffer.alloc(50_000, 'a'))
    answer = (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(small)
    }
    const whole = await post()
    expect(whole.kind === 'response' && whole.body.length).toBe(50_000)
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    answer = (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(bomb)
    }
    expect(await post()).toEqual({ kind: 'broken', status: 200, code: 'TOO_LARGE' })
    answer = (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': small.length })
      response.write(small.subarray(0, 20), () => response.socket?.destroy())
    }
    expect(await post()).toEqual({ kind: 'broken', status: 200, code: 'TRUNCATED' })
  })

  it('refuses a body of more than a hundred times its compressed size, and accepts usual JSON', async () => {
    const row = (at: number): string =>
      JSON.stringify({ id: at, reference: `SHP${at * 7_919}`, city: 'Utrecht' })
    const honest = `[${Array.from({ length: 40_000 }, (_, at) => row(at)).join()}]`
    const send = (text: string): Promise<Exchange> => {
      answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
      return post({ largestBytes: 100_000_000 })
    }
    expect(await send(honest)).toMatchObject({ kind: 'response' })
    expect(await send('{},'.repeat(1_000_000))).toEqual({ kind: 'broken', status: 200, code: 'TOO_LARGE' })
  })

  it.each([
    [204, {}],
    [401, { 'content-length': 0 }],
  ])('accepts a response %i without a body, even if its header names gzip', async (status, length) => {
    answer = (response) => response.writeHead(status, { 'content-encoding': 'gzip', ...length }).end()
    expect(await post()).toMatchObject({ kind: 'response', status })
  })

  it('stops reading a response body that never ends', async () => {
    answer = (response) => {
      const pour = (): void => {
        while (response.write('x'.repeat(10_000)));
        response.once('drain', pour)
      }
      pour()
    }
    expect(await post()).toEqual({ kind: 'broken', status: 200, code: 'TOO_LARGE' })
  })

  it('stops reading endless interim responses, and has an unknown outcome', async () => {
    const interim = 'HTTP/1.1 103 a\r\n\r\n'.repeat(3_600)
    answer = ({ socket }) => {
      const pour = (): void => {
        while (socket?.destroyed === false && socket.write(interim));
        socket?.once('drain', pour)
      }
      pour()
    }
    const timeouts = { ...patient, headersMs: 1_000 }
    expect(await post({ timeouts })).toMatchObject({ kind: 'failed', sent: true, code: 'TOO_LARGE' })
  })

  it.each([
    ['', (byte: number) => byte],
    ['gzip', (_: number, at: number) => nothingZipped[at % nothingZipped.length] ?? 0],
  ])(
    'fails as too large if the body arrives in 60,000 chunks of one byte, with the content encoding "%s"',
    async (encoding, byteAt) => {
      answer = (response) => {
        response.writeHead(200, encoding === '' ? {} : { 'content-encoding': encoding })
        const chunks = Array.from({ length: 60_000 }, (_, at) =>
          Buffer.from([0x31, 0x0d, 0x0a, byteAt(0x20, at), 0x0d, 0x0a]),
        )
        response.flushHeaders()
        response.socket?.end(Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]))
      }
      const result = await post({ largestBytes: 2_000_000 })
      expect([result.kind, result.kind === 'broken' && result.code]).toEqual(['broken', 'TOO_LARGE'])
    },
  )

  it('uses a separate connection for each write, and sends each write once', async () => {
    const sockets = new Set<unknown>()
    server.on('connection', (socket) => sockets.add(socket))
    await post()
    await post()
    expect(sockets.size).toBe(2)
    expect(seen).toBe(2)
  })

  it('sends no request if a proxy refuses the tunnel', async () => {
    const proxy = net.createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'))
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const through = createAgents(() => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    const url = new URL('https://service.example.org/')
    const result = await post({ url, agent: through.forWrite(url), throughProxy: through.throughProxy(url) })
    expect(result).toMatchObject({ kind: 'failed', sent: false, code: 'ERR_PROXY_TUNNEL' })
    await new Promise((resolve) => proxy.close(resolve))
  })

  it('uses the present proxy of its address, and aborts reads that still wait for a response of an earlier proxy', async () => {
    const silent = createServer(() => undefined)
    const proxies = { silent, responds: createServer((_, response) => response.end('{"from":"proxy"}')) }
    for (const proxy of Object.values(proxies))
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    let present = proxies.silent
    const changing = createAgents(() => `http://127.0.0.1:${(present.address() as AddressInfo).port}`)
    const url = new URL('http://service.example.org/')
    const read = (): Promise<Exchange> =>
      post({ url, method: 'GET', body: null, agent: changing.forReads(url), throughProxy: true })
    const first = read()
    await new Promise((resolve) => silent.once('request', resolve))
    present = proxies.responds
    expect(await read()).toMatchObject({ kind: 'response', status: 200 })
    expect(await first).toMatchObject({ kind: 'failed' })
    const agent = changing.forReads(url)
    expect(changing.forReads(url)).toBe(agent)
    changing.close()
    for (const proxy of Object.values(proxies)) {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    }
  })
})
