import https from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Agents, createAgents } from '#remote/agents.ts'
import { exchange, type Exchange } from '#remote/exchange.ts'
import { makeCertificate } from '#support/certificate.ts'

const host = 'wms.example.net'
const certificate = makeCertificate(host)
const trusted = getCACertificates('default')
const service = https.createServer(certificate, (_request, response) => response.end('{}'))
const portOf = (server: Server | https.Server): number => (server.address() as AddressInfo).port
const listen = (server: Server | https.Server): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

/** What the proxy does with a connection after it has received the request for a tunnel. */
let respond: (socket: Socket) => void
let sockets: Socket[]
let proxy: Server
let agents: Agents
const faults: unknown[] = []
const note = (error: unknown): void => void faults.push(error)

beforeAll(async () => {
  setDefaultCACertificates([...trusted, certificate.cert])
  process.on('uncaughtException', note)
  await listen(service)
})
afterAll(() => {
  setDefaultCACertificates(trusted)
  process.off('uncaughtException', note)
  service.close()
})

beforeEach(async () => {
  faults.length = 0
  sockets = []
  proxy = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => respond(socket))
  })
  await listen(proxy)
  agents = createAgents(() => `http://127.0.0.1:${portOf(proxy)}`)
})
afterEach(() => {
  vi.useRealTimers()
  agents.close()
  for (const socket of sockets) socket.destroy()
  proxy.close()
})

const isOpen = (socket: Socket | undefined): boolean => socket?.closed === false
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5_000 })
const url = new URL(`https://${host}/list`)

function call(agent = agents.forWrite(url)): Promise<Exchange> {
  return exchange({
    ...{ url, method: 'GET', headers: {}, body: null, largestBytes: 1_000, agent, throughProxy: true },
    timeouts: { connectMs: 1_000, headersMs: 1_000, idleMs: 1_000, totalMs: 2_000 },
  })
}

describe('a call through a proxy', () => {
  it('gets its response through a tunnel, and further reads use the same tunnel', async () => {
    respond = (socket) => {
      const onward = connect(portOf(service), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
      onward.on('error', () => undefined)
    }
    const reader = agents.forReads(url)
    for (let turn = 0; turn < 3; turn++)
      expect(await call(reader)).toMatchObject({ kind: 'response', status: 200 })
    expect(await call()).toMatchObject({ kind: 'response', status: 200 })
    expect(sockets).toHaveLength(2)
  })

  it.each([503, 403, 407, 302])(
    'fails before anything is sent if the proxy responds with %i; a reset after that is no uncaught error',
    async (status) => {
      respond = (socket) => {
        socket.write(`HTTP/1.1 ${status} Not now\r\ncontent-length: 2\r\n\r\n`)
        setTimeout(() => socket.resetAndDestroy(), status === 503 ? 0 : 100)
      }
      expect(await call()).toMatchObject({ kind: 'failed', sent: false, code: 'ERR_PROXY_TUNNEL' })
      await pause(200)
      expect(faults).toEqual([])
    },
  )

  it.each([
    ['with TLS, whose certificate has the name of the proxy', 'proxy.example.net', 'response'],
    ['with TLS, whose certificate has another name', 'other.example.net', 'failed'],
  ])('uses a proxy %s: %s', async (_, name, kind) => {
    const certified = makeCertificate('proxy.example.net')
    setDefaultCACertificates([...trusted, certificate.cert, certified.cert])
    const secure = https.createServer(certified)
    secure.on('connect', (_request, socket) => {
      const onward = connect(portOf(service), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
      for (const end of [onward, socket]) end.on('error', () => undefined)
    })
    await listen(secure)
    const through = createAgents(
      () => `https://${name}:${portOf(secure)}`,
      (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    )
    const reader = through.forReads(url)
    expect(await call(reader)).toMatchObject({ kind })
    expect(await call(reader)).toMatchObject(kind === 'failed' ? { sent: false } : { status: 200 })
    through.close()
    secure.closeAllConnections()
    secure.close()
    setDefaultCACertificates([...trusted, certificate.cert])
  })

  it('fails before anything is sent if the proxy closes the connection without a response', async () => {
    respond = (socket) => void socket.end()
    expect(await call()).toMatchObject({ kind: 'failed', sent: false, code: 'ERR_PROXY_TUNNEL' })
  })

  it('closes a connection whose tunnel the proxy refuses', async () => {
    respond = (socket) => void socket.write('HTTP/1.1 503 Not now\r\ncontent-length: 2\r\n\r\n')
    await call()
    await eventually(() => expect(isOpen(sockets[0])).toBe(false))
  })

  it('fails if the response of the proxy is larger than 16 kB, however small its pieces are', async () => {
    let sent = 0
    respond = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      const more = (): void => {
        if (socket.closed || sent > 100_000) return
        sent += 40
        socket.write('x'.repeat(40), () => setImmediate(more))
      }
      more()
    }
    expect(await call()).toMatchObject({ kind: 'failed' })
    expect(sent).toBeLessThan(100_000)
  })

  it('leaves no connection behind if the proxy does not respond', async () => {
    respond = () => undefined
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const result = call()
    while (sockets.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await result).toMatchObject({ kind: 'failed', code: 'TIMEOUT' })
    expect(isOpen(sockets[0])).toBe(true)
    await vi.advanceTimersByTimeAsync(20_000)
    vi.useRealTimers()
    await eventually(() => expect(isOpen(sockets[0])).toBe(false))
  })

  it('is aborted while its tunnel is opened if it is a read and its agent is closed', async () => {
    respond = () => undefined
    const result = call(agents.forReads(url))
    await eventually(() => expect(sockets).toHaveLength(1))
    agents.close()
    expect(await result).toMatchObject({ kind: 'failed' })
    await eventually(() => expect(isOpen(sockets[0])).toBe(false))
  })
})
