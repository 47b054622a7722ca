import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import { networkOf } from '../services/access/network-of-address.ts'
import { Refusal } from '../services/refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its onRequest hook refuses calls without a good token. */
    needsToken?: boolean
  }
  interface FastifyRequest {
    /** Whose call it is, as for its turn; null: not found out, or nobody's. */
    owner: string | null
  }
}

/** What clients may take of the server, with a token or without one, and how slow they may be. */
export interface ConnectionLimits {
  /** Milliseconds until a request must have arrived, headers and body, and an answer must get on. */
  readonly slowMs: number
  /** How often slow clients are looked for, in milliseconds. */
  readonly checkEveryMs: number
  /** Milliseconds that a connection may stay without a call. */
  readonly keepAliveMs: number
  readonly mostConnections: number
  /** Bytes of an answer that its client must take on average, once it has had `slowMs`. */
  readonly leastBytesPerSecond: number
  /** Calls of one connection that have no answer yet; a client that sends more is cut. */
  readonly mostCallsAtOnce: number
  /** Of one request; together they have 16 kB. */
  readonly mostHeaders: number
  /**
   * Bytes of answers that wait in memory until their clients read them, over all connections. Beyond it calls are refused;
   * at twice as much the connections whose answers wait longest are cut.
   */
  readonly mostUnsentBytes: number
  /** Milliseconds that an answer may wait beyond that limit before a new call cuts its connection. */
  readonly slowAnswerMs: number
  /** Bytes of bodies that have arrived and are not worked off, over all connections; of the owner with most of them one gives way. */
  readonly mostBodyBytes: number
  /** The same of one owner, also of what is still to arrive; a call that would have more is refused. */
  readonly mostBodyBytesOfOwner: number
}

const megabyte = 1024 * 1024

export const usualConnectionLimits: ConnectionLimits = {
  slowMs: 30_000,
  checkEveryMs: 1_000,
  keepAliveMs: 30_000,
  mostConnections: 512,
  // a slow mobile line has this
  leastBytesPerSecond: 16 * 1024,
  mostCallsAtOnce: 8,
  mostHeaders: 100,
  mostUnsentBytes: 128 * megabyte,
  slowAnswerMs: 2_000,
  mostBodyBytes: 128 * megabyte,
  // four of the largest
  mostBodyBytesOfOwner: 64 * megabyte,
}

const headerBytes = 16 * 1024

/** A server of Node's that cuts slow clients and holds only so many connections. */
export function limitedServer(limits: ConnectionLimits, connections: Connections): FastifyServerFactory {
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
      (request, response) => connections.begins(request, response, () => handler(request, response)),
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
    const watch = setInterval(() => connections.cutSlowReaders(), limits.checkEveryMs).unref()
    server.once('close', () => clearInterval(watch))
    return server
  }
}

/** Refuses calls with too many headers, and calls that the memory has no room for. */
export function limitCalls(app: FastifyInstance, limits: ConnectionLimits, connections: Connections): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.rawHeaders.length / 2 > limits.mostHeaders) done(new Refusal('invalid', 'Too many headers.'))
    else if (!connections.makeRoom(limits.mostUnsentBytes, limits.slowAnswerMs)) done(busy())
    else done()
  })
  app.decorateRequest('owner', null)
  app.addHook('preParsing', ({ raw, routeOptions, owner }, reply, body, done) => {
    // the route has found out whose call it is before
    if (routeOptions.config.needsToken) connections.admitted(raw)
    if (raw.method !== 'GET' && raw.method !== 'HEAD') {
      const expected = Math.min(Number(raw.headers['content-length'] ?? 0), routeOptions.bodyLimit)
      if (owner !== null && !connections.reserveBody(raw, owner, expected)) {
        // the rest would be read for nobody
        reply.header('connection', 'close')
        done(tooManyBodies())
        return
      }
      // the parser of the body starts to listen in this same turn, so it misses nothing
      body.on('data', (part: Buffer) => connections.received(raw, part.length))
      body.once('end', () => connections.arrivedWhole(raw))
    }
    done(null, body)
  })
  app.addHook('onSend', ({ raw }, _reply, payload, done) => {
    const size = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    connections.answered(raw)
    // what was worked out is sent: those that have waited longest give way to it
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
  /** Milliseconds of a clock that never goes back, like the other times. */
  readonly begunAt: number
  /** Bytes that its connection had written before; null: it waits for the call before it. */
  writtenBefore: number | null
  /** Since when its client has been taking the answer; null: nothing of it was seen to wait for the client. */
  readSince: number | null
  /** It came with a good token. */
  isAdmitted: boolean
  /** Whose body it holds: of a caller with a token, or the network of another one. */
  owner: string
  /** Of its body, as its headers say; 0: they say nothing, or its owner has no limit. */
  expectedBytes: number
  /** Of its body, until it has its answer. */
  bodyBytes: number
  /** Null: its body has not arrived whole. */
  wholeAt: number | null
  /** Null: it has no answer yet. */
  answeredAt: number | null
}

/** The open connections, oldest first, with the calls of each whose answers were not sent yet, in their order. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #calls = new Map<Socket, Call[]>()
  readonly #networks = new WeakMap<Socket, string>()
  #bodyBytes = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /**
   * Beyond the limit another connection gives way. The network that has most connections loses one, whatever it does with
   * them, so that no address can keep others out: a client of few connections takes its place from one of many. Of that
   * network a connection that is not being served goes first, then one that is served without a token, then any; the
   * oldest of each. The new one goes only where it stands alone: behind a proxy all clients have one address, and slow
   * ones must not keep out those that come.
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

  /** Where several have as many, that of the oldest connection. */
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
   * Works on a call once the answer before it was sent: one read of the socket may hold a thousand calls, each with an
   * answer that waits in memory until it is read. A client that sends too many is cut.
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

  /** Whether the owner of a call may have a body of that size beside its others; then the room is kept until the answer. */
  reserveBody(request: IncomingMessage, owner: string, bytes: number): boolean {
    const call = this.#callOf(request)
    if (!call) return true
    const held = this.#heldBy(owner)
    // one alone may be as large as its route takes
    if (held > 0 && held + bytes > this.#limits.mostBodyBytesOfOwner) return false
    call.owner = owner
    call.expectedBytes = bytes
    return true
  }

  /** Counts a part of a body that arrived; beyond the limits bodies are cut. */
  received(request: IncomingMessage, bytes: number): void {
    const call = this.#callOf(request)
    if (!call || call.answeredAt !== null || request.socket.destroyed) return
    call.bodyBytes += bytes
    this.#bodyBytes += bytes
    // its headers do not say how much comes
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

  /** Its token is good. */
  admitted(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (call) call.isAdmitted = true
  }

  /**
   * Cuts connections whose clients take an answer too slowly. Each byte that a client reads puts off the end of a silent
   * connection, so a trickle would hold it, and what it takes of the memory, without end.
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

  /** Its body is worked off, and its answer is about to be written. */
  answered(request: IncomingMessage): void {
    const call = this.#callOf(request)
    if (!call) return
    this.#settleBody(call)
    call.answeredAt ??= performance.now()
  }

  /**
   * Whether unsent answers have `most` bytes or less. Otherwise connections are cut before, those first whose answers
   * have waited longest, as far as they have waited for `slowMs`.
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

  /** Only a call that has arrived whole is served: a client could drip a body to keep its place. */
  isServed(socket: Socket): boolean {
    return (this.#calls.get(socket) ?? []).some(({ request }) => request.complete)
  }

  #isAdmitted(socket: Socket): boolean {
    return (this.#calls.get(socket) ?? []).some(({ isAdmitted }) => isAdmitted)
  }

  #callOf(request: IncomingMessage): Call | undefined {
    return this.#calls.get(request.socket)?.find((each) => each.request === request)
  }

  /** Bytes of bodies that arrived, or that were announced. */
  #heldBy(owner: string): number {
    const calls = [...this.#calls.values()].flat().filter((call) => call.owner === owner)
    return calls.reduce((sum, { bodyBytes, expectedBytes }) => sum + Math.max(bodyBytes, expectedBytes), 0)
  }

  /**
   * Of the owner who holds most one that has not arrived whole, the oldest; else the one that was whole last, which waits
   * for its turn: the first may be worked on already. Null: there is no such body of any owner.
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
