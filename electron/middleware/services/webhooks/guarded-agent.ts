import { Agent, type AgentOptions, type RequestOptions } from 'node:https'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { excess } from '#kit/limit-answer.ts'

/**
 * Maximum number of bytes that a connection may receive and that are not HTTP data; each received byte of HTTP data
 * allows one more. Bytes that are not HTTP data are the TLS handshake (its certificates may have 100 kB), the session
 * tickets for later connections, and the headers of TLS records.
 */
const freeBytes = 160 * 1024
/**
 * Maximum number of bytes that are decrypted in one turn of the event loop. This number of bytes can contain about 600
 * TLS messages.
 */
const mostBytesOfTurn = 16 * 1024

/** Milliseconds of CPU time that a budget has at first and at most. A usual handshake takes two. */
const fullBudgetMs = 500
/** Part of the elapsed time that is added to the budget of CPU time (TlsBudget), up to `fullBudgetMs`. */
const share = 0.1

/**
 * The CPU time that reading from a customer's receivers may take: TLS messages and responses. If it is used up, the
 * connections of this customer wait, so that at most a tenth of the thread's time is spent on them.
 */
export class TlsBudget {
  readonly #now: () => number
  #leftMs = fullBudgetMs
  #at: number

  /** `now`: returns a time in milliseconds that never goes back. */
  constructor(now = (): number => performance.now()) {
    this.#now = now
    this.#at = now()
  }

  spend(cpuMs: number): void {
    this.#refill()
    this.#leftMs -= cpuMs
  }

  /** Returns in how many milliseconds this budget has CPU time left again; 0 if it has CPU time left now. */
  waitMs(): number {
    this.#refill()
    return this.#leftMs > 0 ? 0 : Math.ceil(-this.#leftMs / share) + 1
  }

  /** Whether the whole budget (`fullBudgetMs`) is left. */
  isFull(): boolean {
    this.#refill()
    return this.#leftMs === fullBudgetMs
  }

  #refill(): void {
    const now = this.#now()
    this.#leftMs = Math.min(fullBudgetMs, this.#leftMs + (now - this.#at) * share)
    this.#at = now
  }
}

/**
 * An agent for receivers that are not trusted. A TLS server can make its client work without any data of HTTP, for
 * example by endless KeyUpdate and HelloRequest messages, or by a chain of a hundred certificates whose signatures take
 * a second to check. Node neither limits nor reports this work. OpenSSL processes all bytes that have arrived before
 * the thread handles another event. Therefore this agent decrypts only a few bytes in each turn of the event loop, and
 * charges the CPU time of all received bytes to a budget. If a connection receives too many bytes that are not data of
 * HTTP, the agent destroys the connection with an error of the code `TOO_LARGE`.
 */
export class GuardedAgent extends Agent {
  readonly #budget: TlsBudget

  constructor(budget: TlsBudget, options: AgentOptions) {
    super(options)
    this.#budget = budget
  }

  override createConnection(
    options: RequestOptions,
    onCreated?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const { host, port } = options
    const connection = connect({ host: host ?? 'localhost', port: Number(port), noDelay: true })
    const guard = new ReadGuard(connection, this.#budget)
    const secured = super.createConnection({ ...options, socket: guard } as RequestOptions, onCreated)
    if (secured instanceof TLSSocket) {
      // Without this listener, an error of a connection that has no request would end the thread. A connection can have
      // no request, for example, after the receiver has switched protocols. While it has a request, the request gets
      // the error too.
      secured.on('error', () => undefined)
      guard.watch(secured)
    }
    return secured
  }
}

/** The encrypted bytes of a connection. Its reader gets a small piece in each turn of the event loop. */
class ReadGuard extends Duplex {
  /** The TLS socket that decrypts the bytes. Its `bytesRead` counts only the decrypted HTTP data. */
  #secured: TLSSocket | null = null
  readonly #connection: Socket
  readonly #budget: TlsBudget
  #received: Uint8Array = new Uint8Array()
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(connection: Socket, budget: TlsBudget) {
    super()
    this.#connection = connection
    this.#budget = budget
    connection.on('data', (piece: Uint8Array) => {
      connection.pause()
      this.#received = piece
      this.#handOver()
    })
    connection.on('end', () => this.push(null))
    connection.on('error', (error) => this.destroy(error))
    connection.on('close', () => this.destroy())
  }

  /** Sets the TLS socket that decrypts the bytes. Must be called before the connection receives its first byte. */
  watch(secured: TLSSocket): void {
    this.#secured = secured
  }

  readonly #handOver = (): void => {
    const waitMs = this.#budget.waitMs()
    if (waitMs > 0) {
      this.#timer = setTimeout(this.#handOver, waitMs)
      return
    }
    const piece = this.#received.subarray(0, mostBytesOfTurn)
    this.#received = this.#received.subarray(mostBytesOfTurn)
    this.#bytes += piece.length
    const before = process.threadCpuUsage()
    this.push(piece)
    // received bytes that contain data are charged too, because a receiver can send hundreds of TLS messages together
    // with one byte of data
    const { user, system } = process.threadCpuUsage(before)
    this.#budget.spend((user + system) / 1000)
    if (this.#bytes > freeBytes + 2 * this.#dataBytes) this.destroy(excess())
  }

  get #dataBytes(): number {
    return this.#secured?.bytesRead ?? 0
  }

  override _read(): void {
    setImmediate(() => {
      if (this.#received.length > 0) this.#handOver()
      else this.#connection.resume()
    })
  }

  override _write(bytes: Uint8Array, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#connection.write(bytes, done)
  }

  override _final(done: () => void): void {
    this.#connection.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#connection.destroy()
    done(error)
  }
}
