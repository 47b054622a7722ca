import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import { Refusal } from '../services/refusal.ts'

/** What a client may take of the server before it has a token, and how slow it may be. */
export interface ConnectionLimits {
  /** Milliseconds until a request must have arrived, headers and body, and an answer must get on. */
  readonly slowMs: number
  /** How often slow clients are looked for, in milliseconds. */
  readonly checkEveryMs: number
  /** Milliseconds that a connection may stay without a call. */
  readonly keepAliveMs: number
  readonly mostConnections: number
  /** Of one request; together they have 16 kB. */
  readonly mostHeaders: number
}

export const usualConnectionLimits: ConnectionLimits = {
  slowMs: 30_000,
  checkEveryMs: 1_000,
  keepAliveMs: 30_000,
  mostConnections: 512,
  mostHeaders: 100,
}

const headerBytes = 16 * 1024

/** A server of Node's that cuts slow clients and holds only so many connections. */
export function limitedServer(limits: ConnectionLimits): FastifyServerFactory {
  return (handler) => {
    const server = createServer(
      {
        headersTimeout: limits.slowMs,
        requestTimeout: limits.slowMs,
        connectionsCheckingInterval: limits.checkEveryMs,
        keepAliveTimeout: limits.keepAliveMs,
        maxHeaderSize: headerBytes,
        // a missing Host header is refused by the host rule, like a wrong one
        requireHostHeader: false,
      },
      handler,
    )
    // beyond a limit of its own Node leaves headers out silently; `limitHeaders` refuses instead
    server.maxHeadersCount = 0
    const connections = new Connections(limits.mostConnections)
    server.on('connection', (socket: Socket) => connections.opened(socket))
    server.on('request', ({ socket }, response) => {
      connections.began(socket)
      response.once('close', () => connections.ended(socket))
    })
    // nothing was read or written for so long; later than Node's own look, which answers 408
    const silentMs = limits.slowMs + 2 * limits.checkEveryMs
    server.setTimeout(silentMs, (socket) => {
      // with nothing to send the server is still at work on the answer: that has limits of its own
      if (connections.isServed(socket) && socket.writableLength === 0) socket.setTimeout(silentMs)
      else socket.destroy()
    })
    return server
  }
}

export function limitHeaders(app: FastifyInstance, { mostHeaders }: ConnectionLimits): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    done(raw.rawHeaders.length / 2 > mostHeaders ? new Refusal('invalid', 'Too many headers.') : undefined)
  })
}

/** The open connections, oldest first, with the number of calls that are being served on each. */
class Connections {
  readonly #most: number
  readonly #calls = new Map<Socket, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Beyond the limit the oldest connection without a call is closed, else the new one. */
  opened(socket: Socket): void {
    this.#calls.set(socket, 0)
    socket.once('close', () => this.#calls.delete(socket))
    if (this.#calls.size <= this.#most) return
    const [oldest] = [...this.#calls].find(([, calls]) => calls === 0) ?? [socket]
    this.#calls.delete(oldest)
    oldest.destroy()
  }

  began(socket: Socket): void {
    this.#add(socket, 1)
  }

  ended(socket: Socket): void {
    this.#add(socket, -1)
  }

  isServed(socket: Socket): boolean {
    return (this.#calls.get(socket) ?? 0) > 0
  }

  #add(socket: Socket, count: number): void {
    const calls = this.#calls.get(socket)
    if (calls !== undefined) this.#calls.set(socket, calls + count)
  }
}
