import { once } from 'node:events'
import https from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientTls } from '#kit/client-tls.ts'
import { GuardedAgent, TlsBudget } from '#middleware/services/webhooks/guarded-agent.ts'
import { makeCertificate } from '#support/certificate.ts'

const servers = new Set<{ close(): unknown }>()
const sockets = new Set<Socket>()
const agents = new Set<https.Agent>()
afterEach(() => {
  for (const agent of agents) agent.destroy()
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
  for (const set of [agents, sockets, servers]) set.clear()
})

async function portOf(server: Server): Promise<number> {
  servers.add(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const certificate = makeCertificate('localhost')

function agent(budget = new TlsBudget()): https.Agent {
  const made = new GuardedAgent(budget, { keepAlive: true, ca: certificate.cert, ...clientTls })
  agents.add(made)
  return made
}

/** Sends a request with a body. Returns the response's body, or the code of the error. */
function post(port: number, through: https.Agent, body: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const options = { host: '127.0.0.1', servername: 'localhost', port, method: 'POST', agent: through }
  const request = https.request(options, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    response.on('end', () => resolve(text))
  })
  request.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  request.end(body)
  return promise
}

describe('GuardedAgent', () => {
  it('sends and receives megabytes, and reuses the connection', async () => {
    const server = https.createServer(certificate, (request, response) => void request.pipe(response))
    const port = await portOf(server)
    const through = agent()
    const body = 'x'.repeat(3_000_000)
    expect(await post(port, through, body)).toBe(body)
    expect(await post(port, through, 'again')).toBe('again')
    expect(sockets.size).toBe(1)
  })

  it('ends a connection on which HelloRequest messages arrive without end', async () => {
    const hello = Buffer.from([22, 3, 3, 0, 4, 0, 0, 0, 0])
    const flood = Buffer.concat(Array.from({ length: 7_000 }, () => hello))
    let sent = 0
    const pour = (socket: Socket): void => {
      while (!socket.destroyed) {
        sent += flood.length
        if (!socket.write(flood)) break
      }
      socket.once('drain', () => pour(socket))
    }
    const port = await portOf(createServer((socket) => void socket.once('data', () => pour(socket))))
    expect(await post(port, agent(), '')).toBe('TOO_LARGE')
    // `sent` also counts bytes that the agent has not read: they are in the buffers of the two sockets
    expect(sent).toBeLessThan(20_000_000)
  })

  it('subtracts the CPU time of TLS handshakes from a budget of CPU time, and waits while this budget is used up', async () => {
    let nowMs = 0
    const budget = new TlsBudget(() => nowMs)
    const server = https.createServer(certificate, (_, response) => void response.end('done'))
    const port = await portOf(server)
    // the system measures CPU time in steps of some milliseconds, so it may count a handshake as 0
    while (budget.isFull()) expect(await post(port, agent(budget), '')).toBe('done')
    budget.spend(510)
    const before = sockets.size
    let reply: string | null = null
    const replied = post(port, agent(budget), '').then((text) => (reply = text))
    // as soon as the server has written bytes to its new connection, it has sent its part of the handshake
    while (sockets.size === before || [...sockets].at(-1)?.bytesWritten === 0)
      await new Promise((resolve) => setTimeout(resolve, 1))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(reply).toBeNull()
    nowMs = 60_000
    // the agent checks the budget again after the time that TlsBudget.waitMs() returned
    expect(await replied).toBe('done')
  }, 30_000)

  it('subtracts the CPU time of responses from the budget too, because TLS messages without data may arrive together with a response', async () => {
    const budget = new TlsBudget()
    const server = https.createServer(certificate, (_, response) => void response.end('done'))
    const port = await portOf(server)
    const through = agent(budget)
    expect(await post(port, through, '')).toBe('done')
    const spend = vi.spyOn(budget, 'spend')
    expect(await post(port, through, '')).toBe('done')
    expect(spend).toHaveBeenCalled()
    expect(sockets.size).toBe(1)
  })

  it('reports the error of a connection that is refused', async () => {
    const server = createServer()
    const port = await portOf(server)
    server.close()
    await once(server, 'close')
    expect(await post(port, agent(), '')).toBe('ECONNREFUSED')
  })

  it('reports the end of a connection', async () => {
    const port = await portOf(createServer((socket) => void socket.once('data', () => socket.destroy())))
    expect(await post(port, agent(), '')).toBe('ECONNRESET')
  })
})

describe('TlsBudget', () => {
  it('is used up after 500 ms of CPU time, and regains 100 ms of it in each second', () => {
    let nowMs = 0
    const budget = new TlsBudget(() => nowMs)
    budget.spend(499)
    expect(budget.waitMs()).toBe(0)
    budget.spend(11)
    expect(budget.waitMs()).toBe(101)
    nowMs = 101
    expect(budget.waitMs()).toBe(0)
    expect(budget.isFull()).toBe(false)
    nowMs = 100_000
    expect(budget.isFull()).toBe(true)
    budget.spend(501)
    expect(budget.waitMs()).toBe(11)
  })
})

describe('clientTls', () => {
  it('lets no server of TLS 1.2 start another handshake', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const server = createTlsServer({ ...certificate, maxVersion: 'TLSv1.2' }, (socket) => {
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      socket.renegotiate({}, (error) => resolve(error ? error.message : 'done'))
      socket.resume()
    })
    const port = await portOf(server)
    void post(port, agent(), '')
    expect(await promise).toBe('ERR_SSL_NO_RENEGOTIATION')
  })
})
