import { createServer, IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import { networkOf, siteOf } from '../services/access/network-of-address.ts'
import { Refusal } from '../services/refusal.ts'
import { type BodyLimits, RequestBodies, type RequestBody, requestBody } from './request-bodies.ts'

// This file has over 400 lines: it contains the server, the hooks of its calls and the state of its connections,
// because they share the same limits.

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route's onRequest hook refuses calls without a valid token. */
    needsToken?: boolean
  }
  interface FastifyRequest {
    /**
     * The customer or user in whose turn the call is processed. Null: not determined yet, or the call needs no turn.
     */
    owner: string | null
  }
}

/**
 * Limits on the connections and the memory that clients use, and on slow clients. They apply with and without a token.
 */
export interface ConnectionLimits extends BodyLimits {
  /**
   * Maximum milliseconds until the headers and body of a request have arrived. While a client reads a response, it may
   * pause for this time plus twice `checkEveryMs`.
   */
  readonly slowMs: number
  /** Interval of the checks for slow clients, in milliseconds. */
  readonly checkEveryMs: number
  /** Milliseconds that a connection may stay open without a call. */
  readonly keepAliveMs: number
  readonly mostConnections: number
  /**
   * Minimum average speed, in bytes per second, at which a client must read a response. It is measured after the first
   * `slowMs`.
   */
  readonly leastBytesPerSecond: number
  /** Maximum number of calls of one connection that have no response yet. A client that sends more is disconnected. */
  readonly mostCallsAtOnce: number
  /** Maximum number of headers of one request. All headers together may have 16 kB. */
  readonly mostHeaders: number
  /**
   * Maximum bytes of responses that wait in memory for their clients, over all connections. Above this limit new calls
   * are refused. Above twice this limit the connections whose responses have waited longest are closed.
   */
  readonly mostUnsentBytes: number
  /**
   * Milliseconds that a response may wait for its client while all responses together exceed `mostUnsentBytes`. A new
   * call then closes the connections whose responses have waited longer.
   */
  readonly slowAnswerMs: number
  /** Milliseconds in which a client that is still sending its body must read the response and disconnect. */
  readonly lingerMs: number
  /** Time in milliseconds. If a stop has lasted for this time, connections with a call in progress are closed too. */
  readonly stopMs: number
}

const megabyte = 1024 * 1024

export const usualConnectionLimits: ConnectionLimits = {
  slowMs: 30_000,
  checkEveryMs: 1_000,
  keepAliveMs: 30_000,
  mostConnections: 512,
  // 16 kB/s is the speed of a slow mobile connection
  leastBytesPerSecond: 16 * 1024,
  mostCallsAtOnce: 8,
  mostHeaders: 100,
  mostUnsentBytes: 128 * megabyte,
  slowAnswerMs: 2_000,
  lingerMs: 10_000,
  // less than the 10 s after which a supervisor usually kills a process that it has asked to stop
  stopMs: 5_000,
  mostBodyBytes: 128 * megabyte,
  // permits four bodies of the maximum size
  mostBodyBytesOfOwner: 64 * megabyte,
}

/**
 * The share of a network is the maximum number of connections divided by this number: 128 of 512 connections. A
 * customer with dozens of desks has fewer connections.
 */
const shares = 4

const headerBytes = 16 * 1024
/**
 * Maximum size of a body that is read to its end although its response was already sent. The headers of the request
 * must contain the size.
 */
const shortBodyBytes = 64 * 1024

/** Creates a Node server that disconnects slow clients and limits the number of connections. */
export function limitedServer(limits: ConnectionLimits, connections: Connections): FastifyServerFactory {
  /**
   * A request whose body is counted piece by piece. Node calls `push` for each piece of a body, even while nothing
   * reads the body.
   */
  class CountedRequest extends IncomingMessage {
    override push(piece: Buffer | null): boolean {
      if (piece === null) connections.arrivedWhole(this)
      else if (!connections.received(this, piece.length)) return false
      // drops a piece of a body that no route reads; otherwise it would stay in memory until the response
      if (piece !== null && hasUnreadBody(this)) return true
      return super.push(piece)
    }
  }
  return (handler) => {
    const serve =
      (awaitsContinue: boolean): RequestListener =>
      (request, response) =>
        connections.begins({ request, response, awaitsContinue, work: () => handler(request, response) })
    const server = createServer(
      {
        IncomingMessage: CountedRequest,
        headersTimeout: limits.slowMs,
        requestTimeout: limits.slowMs,
        connectionsCheckingInterval: limits.checkEveryMs,
        keepAliveTimeout: limits.keepAliveMs,
        maxHeaderSize: headerBytes,
        // Node need not check the Host header, because the host rule refuses both a missing and a wrong header
        requireHostHeader: false,
      },
      serve(false),
    )
    // without listeners for `checkContinue` and `checkExpectation`, Node itself would respond to the header Expect with
    // 100 or 417 and ignore the limits
    server.on('checkContinue', serve(true))
    server.on('checkExpectation', serve(false))
    // 0 removes Node's limit, above which Node drops headers without an error; `limitCalls` refuses a request with too
    // many headers
    server.maxHeadersCount = 0
    server.on('connection', (socket: Socket) => connections.opened(socket))
    // maximum time without activity on the socket; it ends after Node's check of slow requests, so that Node can
    // respond with 408 first
    const silentMs = limits.slowMs + 2 * limits.checkEveryMs
    server.setTimeout(silentMs, (socket) => {
      // If no bytes of a response wait to be sent, the server is still working on the response. The connection then
      // stays open, because other limits apply to this work.
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
  closeWhenStopping(app, connections, limits.stopMs)
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.rawHeaders.length / 2 > limits.mostHeaders) done(new Refusal('invalid', 'Too many headers.'))
    else if (!connections.makeRoom(limits.mostUnsentBytes, limits.slowAnswerMs)) done(busy())
    else done()
  })
  app.decorateRequest('owner', null)
  app.addHook('preParsing', ({ raw, routeOptions, owner }, reply, body, done) => {
    // the onRequest hook of the route has already checked the token and determined the owner
    if (routeOptions.config.needsToken) connections.admitted(raw)
    if (!hasUnreadBody(raw)) {
      const expected = Math.min(Number(raw.headers['content-length'] ?? 0), routeOptions.bodyLimit)
      if (owner !== null && !connections.reserveBody(raw, owner, expected)) {
        // closes the connection, because otherwise the server would read the rest of a body that it has refused
        reply.header('connection', 'close')
        done(tooManyBodies())
        return
      }
    }
    connections.bodyIsWanted(raw)
    done(null, body)
  })
  app.addHook('onSend', ({ raw }, _reply, payload, done) => {
    const size = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    connections.answered(raw)
    // a finished response is never refused; to free memory for it, the connections whose responses have waited longest
    // are closed
    connections.makeRoom(2 * limits.mostUnsentBytes - size, 0)
    done(null, payload)
  })
}

function busy(): Refusal {
  const message = 'Too many responses wait for clients that do not read them. Try again in a few seconds.'
  return new Refusal('busy', message, { retryAfterSeconds: 5 })
}

function tooManyBodies(): Refusal {
  const message = 'The waiting calls already use too much memory. Try again in a few seconds.'
  return new Refusal('too_many', message, { retryAfterSeconds: 5 })
}

/** The state of a response that the client is reading. */
interface Reading {
  /**
   * Number of bytes that the connection had written before the response. Null: the call still waits for the previous
   * call of the connection.
   */
  writtenBefore: number | null
  /**
   * Time at which the client began to read the response. Null: no part of the response has waited for the client to
   * read it.
   */
  readSince: number | null
}

interface Call extends Reading {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly work: () => void
  /** Whether the client waits for the response 100 before it sends the body. */
  readonly awaitsContinue: boolean
  /** Whether the connection stays open after the response, provided that the whole body has arrived. */
  readonly keepsAlive: boolean
  readonly body: RequestBody
  /** Whether the call had a valid token. */
  isAdmitted: boolean
  /** Time at which the response was ready, in milliseconds of a monotonic clock. Null: it is not ready yet. */
  answeredAt: number | null
}

/**
 * The open connections, the oldest first. Each has its calls in the order of arrival; a call is removed when its
 * response was sent.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #calls = new Map<Socket, Call[]>()
  readonly #networks = new WeakMap<Socket, string>()
  /** The connections that have had a call with a valid token. */
  readonly #known = new WeakSet<Socket>()
  /** Responses outside a call, such as the 400 after a request that cannot be parsed. */
  readonly #readingsWithoutCall = new WeakMap<Socket, Reading>()
  readonly #bodies: RequestBodies

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#bodies = new RequestBodies(limits)
  }

  /**
   * Adds a connection. If there are too many connections, closes another one. The list names the connections to close;
   * the first item that applies determines the connection, and among several the oldest is closed. A stranger is a
   * connection that has had no call with a valid token. The new connection itself is closed only if its network has the
   * most connections and no other connection. So behind a proxy, where all clients have one address, slow clients
   * cannot block new ones.
   * 1. If a network has more than its share: a connection of this network without a call in progress, otherwise one
   *    without a call that has a valid token, otherwise any. So no address can block the others. If no network has more
   *    than its share, the same applies to the networks of one IPv6 site together (`siteOf`).
   * 2. If most connections are strangers: a stranger without a call in progress, otherwise any stranger. So an attacker
   *    with many networks cannot cut the calls of the others. If fewer are strangers, there is no such attack, and a
   *    stranger may be the new connection of a desk or a download by a signed link.
   * 3. Of all networks: a connection without a call in progress, otherwise one without a call that has a valid token.
   * 4. A connection of the network with the most connections.
   */
  opened(socket: Socket): void {
    this.#networks.set(socket, networkOf(socket.remoteAddress ?? ''))
    const others = [...this.#calls.keys()]
    this.#calls.set(socket, [])
    socket.once('close', () => this.#forget(socket))
    const endAtOnce = socket.destroySoon.bind(socket)
    // Node calls `destroySoon` after the last response of a connection. If the client is still sending at that time,
    // this replacement gives the client time to read the response (`endGently`).
    socket.destroySoon = () => {
      const [call] = this.#calls.get(socket) ?? []
      if (call?.request.complete === false) endGently(socket, this.#limits.lingerMs)
      else endAtOnce()
    }
    if (this.#calls.size <= this.#limits.mostConnections) return
    const leaving = this.#leastNeeded(others) ?? socket
    this.#forget(leaving)
    leaving.destroy()
  }

  /**
   * Returns the connection to close if there are too many connections (see `opened`). Null: none of the other
   * connections should be closed.
   */
  #leastNeeded(others: readonly Socket[]): Socket | null {
    const isIdle = (each: Socket): boolean => !this.isServed(each)
    const hasNoToken = (each: Socket): boolean => !this.#isAdmitted(each)
    const networkOfSocket = (each: Socket): string => this.#networks.get(each) ?? ''
    const siteOfSocket = (each: Socket): string => siteOf(networkOfSocket(each))
    const share = this.#limits.mostConnections / shares
    const largest = this.#largest(networkOfSocket)
    const ofLargest = others.filter((each) => networkOfSocket(each) === largest.name)
    const site = this.#largest(siteOfSocket)
    const ofSite = others.filter((each) => siteOfSocket(each) === site.name)
    const crowd = largest.count > share ? ofLargest : site.count > share ? ofSite : []
    const unknown = others.filter((each) => !this.#known.has(each))
    const strangers = unknown.length > this.#limits.mostConnections / 2 ? unknown : []
    return (
      crowd.find(isIdle) ??
      crowd.find(hasNoToken) ??
      crowd[0] ??
      strangers.find(isIdle) ??
      strangers[0] ??
      others.find(isIdle) ??
      others.find(hasNoToken) ??
      ofLargest[0] ??
      null
    )
  }

  /**
   * Returns the group of connections with the most connections, such as a network, and their number. If several groups
   * have equally many, returns the group with the oldest connection.
   */
  #largest(groupOf: (socket: Socket) => string): { name: string; count: number } {
    const counts = new Map<string, number>()
    for (const socket of this.#calls.keys()) {
      const group = groupOf(socket)
      counts.set(group, (counts.get(group) ?? 0) + 1)
    }
    let largest = { name: '', count: 0 }
    for (const [name, count] of counts) if (count > largest.count) largest = { name, count }
    return largest
  }

  /**
   * Runs a call after the previous response of its connection was sent. Otherwise a thousand calls could arrive in one
   * read of the socket, and all their responses would wait in memory. A client that sends too many calls is
   * disconnected.
   */
  begins(incoming: Pick<Call, 'request' | 'response' | 'awaitsContinue' | 'work'>): void {
    const { request, response } = incoming
    const { socket } = request
    const calls = this.#calls.get(socket)
    if (!calls || socket.destroyed) return
    if (calls.length >= this.#limits.mostCallsAtOnce) {
      socket.destroy()
      return
    }
    // Node discards all bytes after a request with the header `Upgrade`, even if they are the next call. So the
    // connection is closed, and the client sends the next call again.
    const keepsAlive = response.shouldKeepAlive && request.headers.upgrade === undefined
    const call: Call = {
      ...incoming,
      keepsAlive,
      body: requestBody(this.#networks.get(socket) ?? '', () => socket.destroy()),
      writtenBefore: null,
      readSince: null,
      isAdmitted: false,
      answeredAt: null,
    }
    // a response before the end of the body is a refusal: the connection closes, because otherwise the server would
    // read the rest of a body that it has refused
    response.shouldKeepAlive = keepsAlive && hasShortBody(request)
    calls.push(call)
    response.once('close', () => {
      this.#bodies.release(call.body)
      calls.splice(calls.indexOf(call), 1)
      startNext(socket, calls)
    })
    startNext(socket, calls)
  }

  /**
   * Whether the owner of a call may have another body of this size in memory. If so, the size is reserved until the
   * response.
   */
  reserveBody(request: IncomingMessage, owner: string, bytes: number): boolean {
    const call = this.#callOf(request)
    return !call || this.#bodies.reserve(call.body, owner, bytes)
  }

  /** Called when a route is about to read the body of a call. */
  bodyIsWanted(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (call?.awaitsContinue) call.response.writeContinue()
  }

  /**
   * Counts a piece of a body that has arrived. Returns false if the connection was closed, because of this piece or
   * earlier. If so, the caller must drop the piece.
   */
  received(request: IncomingMessage, bytes: number): boolean {
    if (request.socket.destroyed) return false
    const call = this.#callOf(request)
    // A call that is not found here had a short body, and its response was already sent. The piece belongs to the rest
    // of this body.
    return call === undefined || this.#bodies.arrived(call.body, bytes, call.isAdmitted)
  }

  arrivedWhole(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (!call) return
    call.body.wholeAt = performance.now()
    call.response.shouldKeepAlive = call.keepsAlive
  }

  /** Called when the token of a call is valid. */
  admitted(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (!call) return
    call.isAdmitted = true
    this.#known.add(request.socket)
  }

  /**
   * Closes connections whose clients read a response too slowly. The timeout of a silent connection is not enough,
   * because each byte that a client reads restarts it, so a very slow client could keep its connection and memory
   * without limit.
   */
  cutSlowReaders(): void {
    const { slowMs, leastBytesPerSecond } = this.#limits
    const now = performance.now()
    for (const [socket, [call]] of this.#calls) {
      const reading = call ?? this.#readingWithoutCall(socket)
      if (reading.writtenBefore === null || socket.writableLength === 0) continue
      const bytes = socket.bytesWritten - reading.writtenBefore
      reading.readSince ??= now
      if (now - reading.readSince > slowMs + (bytes / leastBytesPerSecond) * 1000) socket.destroy()
    }
  }

  /** Called when the body of a call has been processed and the response is about to be written. */
  answered(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (!call) return
    this.#bodies.release(call.body)
    call.answeredAt ??= performance.now()
  }

  /**
   * Closes connections until the unsent responses have at most `most` bytes in total. Returns whether this was
   * achieved. First closes connections whose unsent response belongs to no call, such as the 400 after a request that
   * cannot be parsed. Then closes those whose response has waited longest, but only if it has waited for `slowMs`
   * milliseconds.
   */
  makeRoom(most: number, slowMs: number): boolean {
    const waiting = [...this.#calls]
      .filter(([socket]) => !socket.destroyed && socket.writableLength > 0)
      .map(([socket, [call]]) => ({
        socket,
        since: call ? (call.answeredAt ?? performance.now()) : -Infinity,
      }))
    let unsent = waiting.reduce((sum, { socket }) => sum + socket.writableLength, 0)
    for (const { socket, since } of waiting.toSorted((a, b) => a.since - b.since)) {
      if (unsent <= most || performance.now() - since < slowMs) break
      unsent -= socket.writableLength
      socket.destroy()
    }
    return unsent <= most
  }

  /**
   * Whether the connection has a call that has arrived completely. An incomplete call does not count, because a client
   * could send a body slowly to keep its connection open.
   */
  isServed(socket: Socket): boolean {
    return (this.#calls.get(socket) ?? []).some(({ request }) => request.complete)
  }

  /** Closes the connections that have no call now. */
  closeSilent(): void {
    for (const [socket, calls] of this.#calls) if (calls.length === 0) socket.destroy()
  }

  #isAdmitted(socket: Socket): boolean {
    return (this.#calls.get(socket) ?? []).some(({ isAdmitted }) => isAdmitted)
  }

  #callOf(request: IncomingMessage): Call | undefined {
    return this.#calls.get(request.socket)?.find((each) => each.request === request)
  }

  #readingWithoutCall(socket: Socket): Reading {
    const known = this.#readingsWithoutCall.get(socket)
    if (known && socket.writableLength > 0) return known
    const reading = { writtenBefore: socket.bytesWritten, readSince: null }
    this.#readingsWithoutCall.set(socket, reading)
    return reading
  }

  #forget(socket: Socket): void {
    for (const call of this.#calls.get(socket) ?? []) this.#bodies.release(call.body)
    this.#calls.delete(socket)
  }
}

/**
 * Lets the server close all connections when it stops: connections without a call immediately, every other connection
 * after its last response, and after `stopMs` milliseconds the connections that are left. Otherwise the stop would wait
 * until the clients close their connections.
 */
function closeWhenStopping(app: FastifyInstance, connections: Connections, stopMs: number): void {
  let isStopping = false
  app.addHook('preClose', (done) => {
    isStopping = true
    connections.closeSilent()
    setTimeout(() => app.server.closeAllConnections(), stopMs).unref()
    done()
  })
  app.addHook('onRequest', (_, { raw }, done) => {
    raw.once('close', () => {
      if (isStopping) setImmediate(() => app.server.closeIdleConnections())
    })
    done()
  })
}

/** Whether a request has a method for which no route reads the body. */
function hasUnreadBody({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether the rest of the body can be read at little cost, because its size is known and small. */
function hasShortBody({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= shortBodyBytes
  )
}

/**
 * Ends a connection whose client is still sending. If it were closed at once, the system would reset it, and the client
 * could lose the response. Until the client closes the connection, arriving bytes are dropped without being parsed.
 */
function endGently(socket: Socket, lingerMs: number): void {
  socket.removeAllListeners('data')
  // this listener receives and drops the bytes in place of Node's parser
  socket.on('data', () => undefined)
  socket.resume()
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

function startNext(socket: Socket, [next]: readonly Call[]): void {
  if (!next || next.writtenBefore !== null || socket.destroyed) return
  next.writtenBefore = socket.bytesWritten
  next.work()
}
