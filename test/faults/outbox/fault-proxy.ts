import { EventEmitter } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import { callKind, type Fault, type FaultRates, planFault } from './fault-plan.ts'
import { type Forwarded, forward } from './forward.ts'

/**
 * Moments of a write. `wire`: the whole write has arrived and was not forwarded yet. `applied`: the service has applied
 * it, and no response was sent yet. `reply`: half of the response was sent.
 */
export const wireMoments = ['wire', 'applied', 'reply'] as const
export type WireMoment = (typeof wireMoments)[number]

export interface FaultProxyOptions {
  /** The address of the middleware. */
  readonly target: URL
  readonly random: Random
  readonly rates: FaultRates
  /**
   * For the fault `late`: maximum milliseconds between the end of the client's connection and the moment when the proxy
   * forwards the call to the middleware.
   */
  readonly lateMs: number
  /** Settings for https. `origin`: the address that clients use, so that links in responses lead to the proxy. */
  readonly tls: { readonly key: string; readonly cert: string; readonly origin: string } | null
  /**
   * Receives lines about each write: one with its time, content and fault, and, if the middleware gets the write, one
   * with the response of the middleware.
   */
  readonly log: (line: string) => void
  /** A step between this proxy and the middleware: calls `go` once and returns the response for the client. */
  readonly through?: (call: PassingCall, go: () => Promise<Forwarded>) => Promise<Forwarded>
}

/** A call directly before it is forwarded to the middleware. */
export interface PassingCall {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  /** The value of performance.now() when the whole call had arrived. */
  readonly cameTicks: number
  /** The name of the call's fault, or null. */
  readonly fault: string | null
}

/**
 * The times in which the proxy does not listen (gaps). `everyMs`: the time between two gaps. `lastMs`: the length of a
 * gap. Each is a minimum and a maximum in milliseconds.
 */
export interface Gaps {
  readonly everyMs: readonly [from: number, to: number]
  readonly lastMs: readonly [from: number, to: number]
}

const shortGaps: Gaps = { everyMs: [300, 1_500], lastMs: [20, 120] }

/** Counts calls by the name of their fault. */
export class FaultCount {
  writes = 0
  faultedWrites = 0
  readonly byFault: Record<string, number> = {}

  note(name: string): void {
    this.byFault[name] = (this.byFault[name] ?? 0) + 1
  }
}

/**
 * A proxy in front of the middleware that adds faults to calls. A client sees the effects of a bad connection or a bad
 * service. The middleware receives each forwarded call once.
 */
export class FaultProxy {
  /** Whether calls get faults. False: every call is forwarded without a fault. */
  isHostile = false
  readonly count: FaultCount
  /**
   * Emits the events in `wireMoments`: a write has arrived, the service has applied it, half of its response was sent.
   */
  readonly moments = new EventEmitter<Record<WireMoment, []>>()
  /**
   * Longest observed time, in milliseconds, from the end of a connection until the middleware applied the write of this
   * connection.
   */
  latestMs = 0
  readonly #options: FaultProxyOptions
  readonly #server: http.Server
  readonly #pending = new Set<Promise<void>>()
  #port = 0
  #gaps: Promise<void> = Promise.resolve()

  static async start(options: FaultProxyOptions, count: FaultCount): Promise<FaultProxy> {
    const proxy = new FaultProxy(options, count)
    await proxy.#listen(0)
    return proxy
  }

  private constructor(options: FaultProxyOptions, count: FaultCount) {
    this.#options = options
    this.count = count
    const serve = (incoming: http.IncomingMessage, outgoing: http.ServerResponse): void => {
      const call = this.#serve(incoming, outgoing)
        .catch(() => void incoming.socket.destroy())
        .finally(() => this.#pending.delete(call))
      this.#pending.add(call)
    }
    this.#server = options.tls ? https.createServer(options.tls, serve) : http.createServer(serve)
    // Ignores errors, because a killed client breaks its connections.
    this.#server.on('clientError', (_error, socket) => socket.destroy())
    this.#server.on('tlsClientError', (_error, socket: Duplex) => void socket.destroy())
  }

  get port(): number {
    return this.#port
  }

  /**
   * Starts a loop in which the proxy stops listening at intervals (`everyMs`) for a short time (`lastMs`), so that
   * clients cannot connect.
   */
  openGaps({ everyMs, lastMs }: Gaps = shortGaps): void {
    const { random } = this.#options
    const gap = async (): Promise<void> => {
      await after(random.int(...everyMs))
      if (!this.isHostile) return
      this.count.note('no listener')
      this.#server.close()
      await after(random.int(...lastMs))
      await this.#listen(this.#port)
      await gap()
    }
    this.#gaps = gap()
  }

  /** Waits until all held calls were applied, and forwards all calls without faults from then on. */
  async calm(): Promise<void> {
    this.isHostile = false
    await this.#gaps
    const until = performance.now() + longestCallMs
    while (this.#pending.size > 0) {
      await Promise.race([Promise.all(this.#pending), after(1_000)])
      if (performance.now() > until) throw new Error(`${this.#pending.size} calls never come to their end`)
    }
  }

  async close(): Promise<void> {
    await this.calm()
    this.#server.closeAllConnections()
    await new Promise((closed) => this.#server.close(closed))
  }

  /** Tries again until the port is free, because another program may use it briefly while the proxy does not listen. */
  async #listen(port: number): Promise<void> {
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const fail = (): void => resolve(false)
      this.#server.once('error', fail)
      this.#server.listen(port, '127.0.0.1', () => resolve(true))
      const isListening = await promise
      this.#server.off('error', fail)
      if (isListening) break
      await after(10)
    }
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async #serve(incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming
    const kind = callKind(method, url)
    const body = await bodyOf(incoming)
    const isWrite = kind === 'write'
    if (isWrite) {
      this.count.writes++
      this.moments.emit('wire')
    }
    const planned = this.isHostile ? planFault(this.#options.random, kind, this.#options.rates) : null
    if (planned) this.count.note(planned.name)
    if (planned && isWrite) this.count.faultedWrites++
    const cameAt = Date.now()
    const cameTicks = performance.now()
    // The observation of the client's connection begins before the fault delays the call, because the connection may
    // end during the delay.
    const hangUp = isWrite ? noteEnd(incoming.socket) : null
    const pass = async (): Promise<Forwarded> => {
      const { target, tls, through } = this.#options
      const go = (): Promise<Forwarded> => forward(target, incoming, body, tls?.origin ?? null)
      const call = { method, path: url, headers: incoming.headers, cameTicks, fault: planned?.name ?? null }
      const answer = await (through ? through(call, go) : go())
      if (hangUp) {
        this.latestMs = Math.max(this.latestMs, performance.now() - hangUp.at)
        this.moments.emit('applied')
        const said = { status: answer.status, answer: answer.body.toString().slice(0, mostLogged) }
        this.#options.log(JSON.stringify({ cameAt, appliedAt: Date.now(), url, ...said }))
      }
      return answer
    }
    if (isWrite)
      this.#options.log(JSON.stringify({ cameAt, method, url, fault: planned?.name, body: body.toString() }))
    if (planned) await this.#spoil(planned.fault, { incoming, outgoing, pass })
    else await this.#answer(outgoing, await pass(), isWrite)
  }

  async #answer(outgoing: http.ServerResponse, answer: Forwarded, isWrite: boolean): Promise<void> {
    outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length })
    if (isWrite && this.moments.listenerCount('reply') > 0) {
      const half = answer.body.length >> 1
      const flushed = new Promise<void>((done) => outgoing.write(answer.body.subarray(0, half), () => done()))
      // The response is never flushed if the client has closed its connection, so the end of the connection ends this
      // wait too.
      await Promise.race([flushed, ended(outgoing)])
      this.moments.emit('reply')
      outgoing.end(answer.body.subarray(half))
    } else outgoing.end(answer.body)
  }

  async #spoil(fault: Fault, { incoming, outgoing, pass }: Spoiling): Promise<void> {
    const { random, lateMs } = this.#options
    const { socket } = incoming
    switch (fault.kind) {
      case 'reset':
        if (fault.applied) await pass()
        socket.destroy()
        return
      case 'truncated': {
        const { status, headers, body } = await pass()
        outgoing.writeHead(status, { ...headers, 'content-length': body.length })
        outgoing.write(body.subarray(0, body.length >> 1), () => socket.destroy())
        return
      }
      case 'answer':
        if (fault.applied) await pass()
        if (fault.page) outgoing.writeHead(fault.status, pageHeaders).end('<html><body>Welcome</body></html>')
        else outgoing.writeHead(fault.status, jsonHeaders).end(JSON.stringify({ error: 'Fault.' }))
        return
      case 'silence':
        if (fault.applied) await pass()
        await ended(socket)
        return
      case 'late':
        if (fault.after === 'reset') socket.destroy()
        await ended(socket)
        await after(random.int(0, lateMs))
        await pass()
        return
    }
  }
}

interface Spoiling {
  readonly incoming: http.IncomingMessage
  readonly outgoing: http.ServerResponse
  readonly pass: () => Promise<Forwarded>
}

/** Maximum number of characters of a response in the log, enough to recognize the response. */
const mostLogged = 120
/**
 * Maximum milliseconds of one call with all its delays: the time limit of the desk plus the delay of a write that is
 * applied late.
 */
const longestCallMs = 60_000
const jsonHeaders = { 'content-type': 'application/json' }
const pageHeaders = { 'content-type': 'text/html', location: 'http://portal.example/' }

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Records the time at which a connection ends. Infinity until it has ended. */
function noteEnd(socket: Socket): { at: number } {
  const end = { at: socket.destroyed ? performance.now() : Infinity }
  if (!socket.destroyed) socket.once('close', () => void (end.at = performance.now()))
  return end
}

/** Resolves when the client has closed the connection, either after its time limit or because its process ended. */
function ended(socket: NodeJS.EventEmitter & { readonly destroyed: boolean }): Promise<void> {
  if (socket.destroyed) return Promise.resolve()
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

async function bodyOf(incoming: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) if (piece instanceof Buffer) pieces.push(piece)
  return Buffer.concat(pieces)
}
