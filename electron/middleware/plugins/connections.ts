import { createServer, type IncomingMessage } from 'node:http'
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
  /** Calls of one connection that have no answer yet; a client that sends more is cut. */
  readonly mostCallsAtOnce: number
  /** Of one request; together they have 16 kB. */
  readonly mostHeaders: number
}

export const usualConnectionLimits: ConnectionLimits = {
  slowMs: 30_000,
  checkEveryMs: 1_000,
  keepAliveMs: 30_000,
  mostConnections: 512,
  mostCallsAtOnce: 8,
  mostHeaders: 100,
}

const headerBytes = 16 * 1024

/** A server of Node's that cuts slow clients and holds only so many connections. */
export function limitedServer(limits: ConnectionLimits): FastifyServerFactory {
  return (handler) => {
    const connections = new Connections(limits.mostConnections)
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
      (request, response) => {
        // one read of the socket may hold a thousand calls, each with an answer that waits in memory until it is read
        if (connections.began(request) > limits.mostCallsAtOnce) {
          request.socket.destroy()
          return
        }
        response.once('close', () => connections.ended(request))
        handler(request, response)
      },
    )
    // beyond a limit of its own Node leaves headers out silently; `limitHeaders` refuses instead
    server.maxHeadersCount = 0
    server.on('connection', (socket: Socket) => connections.opened(socket))
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

/** The open connections, oldest first, with the calls of each that have no answer yet. */
class Connections {
  readonly #most: number
  readonly #calls = new Map<Socket, Set<IncomingMessage>>()

  constructor(most: number) {
    this.#most = most
  }

  /** Beyond the limit the oldest connection that is not being served is closed, else the new one. */
  opened(socket: Socket): void {
    this.#calls.set(socket, new Set())
    socket.once('close', () => this.#calls.delete(socket))
    if (this.#calls.size <= this.#most) return
    const oldest = [...this.#calls.keys()].find((each) => !this.isServed(each)) ?? socket
    this.#calls.delete(oldest)
    oldest.destroy()
  }

  /** How many calls the connection has under way with this one. */
  began(request: IncomingMessage): number {
    const calls = this.#calls.get(request.socket)
    calls?.add(request)
    return calls?.size ?? 0
  }

  ended(request: IncomingMessage): void {
    this.#calls.get(request.socket)?.delete(request)
  }

  /** Only a call that has arrived whole is served: a client could drip a body to keep its place. */
  isServed(socket: Socket): boolean {
    return [...(this.#calls.get(socket) ?? [])].some(({ complete }) => complete)
  }
}
