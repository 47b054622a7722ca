import http, { type ClientRequest } from 'node:http'
import https from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { limitAnswer } from '#kit/limit-answer.ts'
import { makeCertificate } from '#support/certificate.ts'

let server: Server | null = null
const sockets = new Set<Socket>()
const agents = new Set<http.Agent>()
afterEach(async () => {
  for (const agent of agents) agent.destroy()
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await new Promise((done) => (server ? server.close(done) : done(null)))
  server = null
})

/** Starts a server that handles each request with `answer`, and returns its port. */
async function serve(answer: (socket: Socket) => void): Promise<number> {
  const listener = createServer((socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('data', () => answer(socket))
  })
  server = listener
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  return (listener.address() as AddressInfo).port
}

/** The result of a request: its status and body, or the code of the error that ended it. */
type End = { status: number; bytes: number } | string

function ask(port: number, largestBytes: number, agent: http.Agent | false = false): Promise<End> {
  const request = http.get({ host: '127.0.0.1', port, agent })
  limitAnswer(request, largestBytes)
  return outcome(request)
}

function outcome(request: ClientRequest): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>()
  request.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  request.on('response', (response) => {
    let bytes = 0
    response.on('data', (piece: Buffer) => (bytes += piece.length))
    response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
    // this error is ignored, because the error of the request already contains the reason
    response.on('error', () => undefined)
  })
  return promise
}

/** Writes the bytes again and again, as fast as the client reads. */
function pour(socket: Socket, bytes: Buffer): void {
  while (!socket.destroyed && socket.write(bytes));
  if (!socket.destroyed) socket.once('drain', () => pour(socket, bytes))
}

const header = (rest: string): string => `HTTP/1.1 200 OK\r\n${rest}\r\n`
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

describe('the limit on an HTTP response', () => {
  it.each([
    ['interim answers without end', 'HTTP/1.1 103 a\r\n\r\n', ''],
    ['100 Continue without end', 'HTTP/1.1 100\r\n\r\n', ''],
    ['interim answers with large headers', `HTTP/1.1 103 a\r\nx: ${'y'.repeat(10_000)}\r\n\r\n`, ''],
    ['a body in chunks of one byte', chunk(' '), header('transfer-encoding: chunked\r\n')],
    ['a body without end', 'x'.repeat(10_000), header('')],
    [
      'chunks with long extensions',
      `1;x=${'y'.repeat(5_000)}\r\n \r\n`,
      header('transfer-encoding: chunked\r\n'),
    ],
  ])('ends a request whose response is %s', async (_, repeated, first) => {
    const flood = Buffer.from(repeated.repeat(Math.ceil(65_536 / repeated.length)))
    const port = await serve((socket) => {
      socket.write(first)
      pour(socket, flood)
    })
    expect(await ask(port, 1024 * 1024)).toBe('TOO_LARGE')
  })

  it('ends a request whose response arrives byte by byte, even if its header states the length', async () => {
    const port = await serve((socket) => {
      socket.write(header('content-length: 100000\r\n'))
      const drip = (): void => {
        if (!socket.destroyed) socket.write(' ', () => setImmediate(drip))
      }
      drip()
    })
    // if the body may have 10,000 bytes, 156 reads of any length from the connection are allowed, and one more for
    // every 256 bytes that were read
    expect(await ask(port, 10_000)).toBe('TOO_LARGE')
  })

  it.each([
    [20, { status: 200, bytes: 2 }],
    [21, 'TOO_LARGE'],
  ])('accepts at most 20 TLS sessions per connection: %i sessions result in %j', async (sessions, end) => {
    const certificate = makeCertificate('localhost')
    const listener = https.createServer(certificate, (_, response) => response.end('{}'))
    server = listener
    await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
    const { port } = listener.address() as AddressInfo
    const request = https.get({ host: 'localhost', port, agent: false, ca: certificate.cert })
    limitAnswer(request, 1000)
    const ended = outcome(request)
    // a Node.js server sends at most two sessions, after the handshake, so the test emits the other sessions
    request.on('socket', (socket) => {
      socket.prependListener('secure', () => {
        for (let at = 0; at < sessions - 2; at++) socket.emit('session', Buffer.alloc(1))
      })
    })
    expect(await ended).toEqual(end)
  })

  it('accepts fewer one-byte chunks if the maximum size of the body is smaller', async () => {
    const port = await serve((socket) => {
      socket.write(`${header('transfer-encoding: chunked\r\n')}${chunk(' ').repeat(7_000)}0\r\n\r\n`)
    })
    expect(await ask(port, 64 * 1024)).toBe('TOO_LARGE')
    expect(await ask(port, 2 * 1024 * 1024)).toEqual({ status: 200, bytes: 7_000 })
  })

  it('accepts twenty interim responses before the final response', async () => {
    const port = await serve((socket) => {
      socket.write(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20)}${header('content-length: 2\r\n')}{}`)
    })
    expect(await ask(port, 1000)).toEqual({ status: 200, bytes: 2 })
  })

  it('accepts a body of the maximum size in chunks of 4 kB', async () => {
    const body = chunk('x'.repeat(4096)).repeat(256)
    const port = await serve((socket) => {
      socket.write(`${header('transfer-encoding: chunked\r\n')}${body}0\r\n\r\n`)
    })
    expect(await ask(port, 1024 * 1024)).toEqual({ status: 200, bytes: 1024 * 1024 })
  })

  it('accepts a body of 10,000 chunks of 40 bytes', async () => {
    const body = chunk('x'.repeat(40)).repeat(10_000)
    const port = await serve((socket) => {
      socket.write(`${header('transfer-encoding: chunked\r\n')}${body}0\r\n\r\n`)
    })
    expect(await ask(port, 2 * 1024 * 1024)).toEqual({ status: 200, bytes: 400_000 })
  })

  it('starts again from zero for each request on a persistent connection', async () => {
    const port = await serve((socket) => {
      socket.write(`${header('content-length: 60000\r\n')}${'x'.repeat(60_000)}`)
    })
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    agents.add(agent)
    for (let turn = 0; turn < 20; turn++)
      expect(await ask(port, 60_000, agent)).toEqual({ status: 200, bytes: 60_000 })
    expect(sockets.size).toBe(1)
    const [used] = Object.values(agent.freeSockets).flat()
    expect(used?.listenerCount('data')).toBeLessThan(5)
  })
})
