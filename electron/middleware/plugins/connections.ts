import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import { networkOf } from '../services/access/network-of-address.ts'
import { Refusal } from '../services/refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route's onRequest hook refuses calls without a valid token. */
    needsToken?: boolean
  }
  interface FastifyRequest {
    /** The owner of the call for its turn. Null: not determined yet, or none. */
    owner: string | null
  }
}

/** Limits for the resources that clients use, with or without a token, and for slow clients. */
export interface ConnectionLimits {
  /** Milliseconds until a request must have arrived, headers and body, and until a response must progress. */
  readonly slowMs: number
  /** Interval of the checks for slow clients, in milliseconds. */
  readonly checkEveryMs: number
  /** Milliseconds that a connection may stay open without a call. */
  readonly keepAliveMs: number
  readonly mostConnections: number
  /** Average bytes per second of a response that its client must read after the first `slowMs`. */
  readonly leastBytesPerSecond: number
  /** Maximum number of unanswered calls of one connection. A client that sends more is disconnected. */
  readonly mostCallsAtOnce: number
  /** Maximum number of headers of one request. Together they may have 16 kB. */
  readonly mostHeaders: number
  /**
   * Bytes of responses that wait in memory for their clients, over all connections. Above this limit new calls are
   * refused. Above twice this limit the connections whose responses wait longest are closed.
   */
  readonly mostUnsentBytes: number
  /** Milliseconds that a response may wait above that limit before a new call closes its connection. */
  readonly slowAnswerMs: number
  /**
   * Bytes of bodies that have arrived and are not processed, over all connections. Above it, one body of the owner with
   * the most bytes is dropped.
   */
  readonly mostBodyBytes: number
  /** The same limit for one owner, including bytes that are announced. A call that would exceed it is refused. */
  readonly mostBodyBytesOfOwner: number
}

const megabyte = 1024 * 1024

export const usualConnectionLimits: ConnectionLimits = {
  slowMs: 30_000,
  checkEveryMs: 1_000,
  keepAliveMs: 30_000,
  mostConnections: 512,
  // the speed of a slow mobile connection
  leastBytesPerSecond: 16 * 1024,
  mostCallsAtOnce: 8,
  mostHeaders: 100,
  mostUnsentBytes: 128 * megabyte,
  slowAnswerMs: 2_000,
  mostBodyBytes: 128 * megabyte,
  // four bodies of the maximum size
  mostBodyBytesOfOwner: 64 * megabyte,
}

const headerBytes = 16 * 1024

/** Creates a Node server that disconnects slow clients and limits the number of connections. */
export function limitedServer(limits: ConnectionLimits, connections: Connections): FastifyServerFactory {
  return (handler) => {
    const server = createServer(
      {
        headersTimeout: limits.slowMs,
        requestTimeout: limits.slowMs,
        connectionsCheckingInterval: limits.checkEveryMs,
        keepAliveTimeout: limits.keepAliveMs,
        maxHeaderSize: headerBytes,
        // the host rule refuses a missing Host header, like a wrong one
        requireHostHeader: false,
      },
      (request, response) => connections.begins(request, response, () => handler(request, response)),
    )
    // above its own limit Node drops headers silently; `limitHeaders` refuses the request instead
    server.maxHeadersCount = 0
    server.on('connection', (socket: Socket) => connections.opened(socket))
    // the socket was idle for this time; longer than Node's own check, which responds with 408
    const silentMs = limits.slowMs + 2 * limits.checkEveryMs
    server.setTimeout(silentMs, (socket) => {
      // with nothing to send, the server is still working on the response, which has other limits
      if (connections.isServed(socket) && socket.writableLength === 0) socket.setTimeout(silentMs)
      else socket.destroy()
    })
    const watch = setInterval(() => connections.cutSlowReaders(), limits.checkEveryMs).unref()
    server.once('close', () => clearInterval(watch))
    return server
  }
}

/** Refuses calls with too many headers, and calls for which there is not enough memory. */
export function limitCalls(app: FastifyInstance, limits: ConnectionLimits, connections: Connections): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.rawHeaders.length / 2 > limits.mostHeaders) done(new Refusal('invalid', 'Too many headers.'))
    else if (!connections.makeRoom(limits.mostUnsentBytes, limits.slowAnswerMs)) done(busy())
    else done()
  })
  app.decorateRequest('owner', null)
  app.addHook('preParsing', ({ raw, routeOptions, owner }, reply, body, done) => {
    // the route has determined the owner of the call before
    if (routeOptions.config.needsToken) connections.admitted(raw)
    if (raw.method !== 'GET' && raw.method !== 'HEAD') {
      const expected = Math.min(Number(raw.headers['content-length'] ?? 0), routeOptions.bodyLimit)
      if (owner !== null && !connections.reserveBody(raw, owner, expected)) {
        // the rest of the body would be read for no purpose
        reply.header('connection', 'close')
        done(tooManyBodies())
        return
      }
      // the body's parser attaches its listener in this same tick, so it misses no data
      body.on('data', (part: Buffer) => connections.received(raw, part.length))
      body.once('end', () => connections.arrivedWhole(raw))
    }
    done(null, body)
  })
  app.addHook('onSend', ({ raw }, _reply, payload, done) => {
    const size = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    connections.answered(raw)
    // a finished response is always sent; connections whose responses have waited longest are closed for it
    connections.makeRoom(2 * limits.mostUnsentBytes - size, 0)
    done(null, payload)
  })
}

function busy(): Refusal {
  const message = 'Too many answers wait for clients that do not read them. Try again in a few seconds.'
  return new Refusal('busy', message, { retryAfterSeconds: 5 })
}

function tooManyBodies(): Refusal {
  const message = 'The calls that wait for their turn already hold too much. Try again in a few seconds.'
  return new Refusal('too_many', message, { retryAfterSeconds: 5 })
}

interface Call {
  readonly request: IncomingMessage
  readonly work: () => void
  /** In milliseconds of a monotonic clock, like the other times. */
  readonly begunAt: number
  /** Bytes that the connection had written before this call. Null: the call waits for the call before it. */
  writtenBefore: number | null
  /**
   * Time since when the client has been reading the response. Null: the response was not seen waiting for the client.
   */
  readSince: number | null
  /** Whether the call had a valid token. */
  isAdmitted: boolean
  /** The owner of the body: the owner of the token, or the caller's network if there is no token. */
  owner: string
  /** Size of the body by its headers. 0: the headers do not contain it, or the owner has no limit. */
  expectedBytes: number
  /** Bytes of the body that have arrived. 0 after the response. */
  bodyBytes: number
  /** Null: the body has not arrived completely. */
  wholeAt: number | null
  /** Null: there is no response yet. */
  answeredAt: number | null
}

/** The open connections, oldest first, each with its calls whose responses were not sent yet, in their order. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #calls = new Map<Socket, Call[]>()
  readonly #networks = new WeakMap<Socket, string>()
  #bodyBytes = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /**
   * Adds a connection and, above the limit, closes another one. The network with the most connections loses one, so
   * that no address can block the others: a client with few connections replaces one of a client with many. The oldest
   * connection of that network that serves no call is closed, otherwise the oldest one that serves a call without a
   * token, otherwise the oldest. The new connection is closed only if that network has no other one: behind a proxy all
   * clients have one address, and slow clients must not block new ones.
   */
  opened(socket: Socket): void {
    this.#networks.set(socket, networkOf(socket.remoteAddress ?? ''))
    const others = [...this.#calls.keys()]
    this.#calls.set(socket, [])
    socket.once('close', () => this.#forget(socket))
    if (this.#calls.size <= this.#limits.mostConnections) return
    const crowd = this.#largestNetwork()
    const candidates = others.filter((each) => this.#networks.get(each) === crowd)
    const leaving =
      candidates.find((each) => !this.isServed(each)) ??
      candidates.find((each) => !this.#isAdmitted(each)) ??
      candidates[0] ??
      socket
    this.#forget(leaving)
    leaving.destroy()
  }

  /** Returns the network with the most connections. Of several, the one with the oldest connection. */
  #largestNetwork(): string | undefined {
    const counts = new Map<string | undefined, number>()
    for (const socket of this.#calls.keys()) {
      const network = this.#networks.get(socket)
      counts.set(network, (counts.get(network) ?? 0) + 1)
    }
    const most = Math.max(...counts.values())
    return [...counts].find(([, count]) => count === most)?.[0]
  }

  /**
   * Runs a call after the response before it was sent, because one read of the socket may contain a thousand calls
   * whose responses would wait in memory. A client that sends too many calls is disconnected.
   */
  begins(request: IncomingMessage, response: ServerResponse, work: () => void): void {
    const { socket } = request
    const calls = this.#calls.get(socket)
    if (!calls || socket.destroyed) return
    if (calls.length >= this.#limits.mostCallsAtOnce) {
      socket.destroy()
      return
    }
    const call: Call = {
      request,
      work,
      begunAt: performance.now(),
      writtenBefore: null,
      readSince: null,
      isAdmitted: false,
      owner: this.#networks.get(socket) ?? '',
      expectedBytes: 0,
      bodyBytes: 0,
      wholeAt: null,
      answeredAt: null,
    }
    calls.push(call)
    response.once('close', () => {
      this.#settleBody(call)
      calls.splice(calls.indexOf(call), 1)
      startNext(socket, calls)
    })
    startNext(socket, calls)
  }

  /**
   * Whether the owner of a call may have a body of that size in addition to its other bodies. If so, the size is
   * reserved until the response.
   */
  reserveBody(request: IncomingMessage, owner: string, bytes: number): boolean {
    const call = this.#callOf(request)
    if (!call) return true
    const held = this.#heldBy(owner)
    // a single body may have the maximum size of its route
    if (held > 0 && held + bytes > this.#limits.mostBodyBytesOfOwner) return false
    call.owner = owner
    call.expectedBytes = bytes
    return true
  }

  /** Counts a part of a body that arrived. Above the limits connections with bodies are closed. */
  received(request: IncomingMessage, bytes: number): void {
    const call = this.#callOf(request)
    if (!call || call.answeredAt !== null || request.socket.destroyed) return
    call.bodyBytes += bytes
    this.#bodyBytes += bytes
    // the headers do not contain the size of the body
    const isUnmeasured = call.expectedBytes === 0 && call.isAdmitted
    if (isUnmeasured && this.#heldBy(call.owner) > this.#limits.mostBodyBytesOfOwner) this.#cut(call)
    while (this.#bodyBytes > this.#limits.mostBodyBytes) {
      const leaving = this.#bodyToGiveWay()
      if (leaving === null) return
      this.#cut(leaving)
    }
  }

  arrivedWhole(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (call) call.wholeAt = performance.now()
  }

  /** Called when the token of a call is valid. */
  admitted(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (call) call.isAdmitted = true
  }

  /**
   * Closes connections whose clients read a response too slowly. Each byte that a client reads resets the timeout of a
   * silent connection, so a very slow client would occupy it and its memory without limit.
   */
  cutSlowReaders(): void {
    const { slowMs, leastBytesPerSecond } = this.#limits
    const now = performance.now()
    for (const [socket, [call]] of this.#calls) {
      if (!call || call.writtenBefore === null || socket.writableLength === 0) continue
      const bytes = socket.bytesWritten - call.writtenBefore
      call.readSince ??= now
      if (now - call.readSince > slowMs + (bytes / leastBytesPerSecond) * 1000) socket.destroy()
    }
  }

  /** Called when the body is processed and the response is about to be written. */
  answered(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (!call) return
    this.#settleBody(call)
    call.answeredAt ??= performance.now()
  }

  /**
   * Whether unsent responses have `most` bytes or less. Before, it closes connections as far as needed, those whose
   * responses have waited longest first, but only if they have waited for `slowMs`.
   */
  makeRoom(most: number, slowMs: number): boolean {
    const waiting = [...this.#calls]
      .filter(([socket]) => !socket.destroyed && socket.writableLength > 0)
      .map(([socket, [call]]) => ({ socket, since: call?.answeredAt ?? performance.now() }))
    let unsent = waiting.reduce((sum, { socket }) => sum + socket.writableLength, 0)
    for (const { socket, since } of waiting.toSorted((a, b) => a.since - b.since)) {
      if (unsent <= most || performance.now() - since < slowMs) break
      unsent -= socket.writableLength
      socket.destroy()
    }
    return unsent <= most
  }

  /**
   * Whether the connection has a call that has arrived completely. A partial call does not count, because a client
   * could send a body slowly to keep its place.
   */
  isServed(socket: Socket): boolean {
    return (this.#calls.get(socket) ?? []).some(({ request }) => request.complete)
  }

  #isAdmitted(socket: Socket): boolean {
    return (this.#calls.get(socket) ?? []).some(({ isAdmitted }) => isAdmitted)
  }

  #callOf(request: IncomingMessage): Call | undefined {
    return this.#calls.get(request.socket)?.find((each) => each.request === request)
  }

  /** Returns the bytes of an owner's bodies that arrived or were announced. */
  #heldBy(owner: string): number {
    const calls = [...this.#calls.values()].flat().filter((call) => call.owner === owner)
    return calls.reduce((sum, { bodyBytes, expectedBytes }) => sum + Math.max(bodyBytes, expectedBytes), 0)
  }

  /**
   * Returns the body to drop. Of the owner with the most bytes it is the oldest incomplete body, otherwise the body
   * that was completed last: it waits for its turn, while the first one may be in use. Null: no owner has such a body.
   */
  #bodyToGiveWay(): Call | null {
    const bodies = [...this.#calls.values()].flat().filter(({ bodyBytes }) => bodyBytes > 0)
    const owners = [...Map.groupBy(bodies, ({ owner }) => owner).values()]
    for (const own of owners.toSorted((a, b) => bytesOf(b) - bytesOf(a))) {
      const unfinished = own.filter(({ wholeAt }) => wholeAt === null)
      const [oldest] = unfinished.toSorted((a, b) => a.begunAt - b.begunAt)
      if (oldest) return oldest
      const [, ...waiting] = own.toSorted((a, b) => (a.wholeAt ?? 0) - (b.wholeAt ?? 0))
      const last = waiting.at(-1)
      if (last) return last
    }
    return null
  }

  #cut(call: Call): void {
    this.#settleBody(call)
    call.request.socket.destroy()
  }

  #settleBody(call: Call): void {
    this.#bodyBytes -= call.bodyBytes
    call.bodyBytes = 0
    call.expectedBytes = 0
  }

  #forget(socket: Socket): void {
    for (const call of this.#calls.get(socket) ?? []) this.#settleBody(call)
    this.#calls.delete(socket)
  }
}

function bytesOf(calls: readonly Call[]): number {
  return calls.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)
}

function startNext(socket: Socket, [next]: readonly Call[]): void {
  if (!next || next.writtenBefore !== null || socket.destroyed) return
  next.writtenBefore = socket.bytesWritten
  next.work()
}
