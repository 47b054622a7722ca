import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { createMiddleware } from '#middleware/app.ts'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import type { World } from '#middleware/warehouse/world.ts'
import { makeSmallWorld, smallId } from '#support/small-world.ts'
import { forward } from '../outbox/forward.ts'
import { plainLabel } from '#support/plain-label.ts'

export interface WatchedCall {
  readonly method: string
  readonly path: string
  /** The bearer token of the call, or null. */
  readonly token: string | null
  /** The name of the port at which the call arrived: `desk`, or the name that was passed to `openDoor`. */
  readonly door: string
  /** Begin and end of the call in monotonic milliseconds. The end is null while the call is in progress. */
  readonly begunTicks: number
  endedTicks: number | null
}

/** The login of a user of the small test data. The service has a further user, `colleague`, with the same rights. */
export const validLogin = { username: 'everything', password: 'everything-secret-word' }

/**
 * A real middleware with the small test data, behind a proxy that counts calls, refuses expired tokens and can be
 * closed. The effects of writes are read from the database of the middleware.
 */
export class WatchedService {
  readonly calls: WatchedCall[] = []
  /** Decides about a call: returns the status with which the call is refused, or null to forward it. */
  refuse: (call: WatchedCall) => number | null = () => null
  /** Whether the connection breaks after a call was applied and before its response is sent. */
  loses: (call: WatchedCall) => boolean = () => false
  readonly #folder: string
  readonly #app: FastifyInstance
  readonly #target: URL
  readonly #over = new Set<string>()
  readonly #issued = new Set<string>()
  #lastRefreshToken = ''
  readonly #doors: Server[] = []
  #server: Server
  #port = 0

  static async start(): Promise<WatchedService> {
    const secondsAhead = { count: 0 }
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-service-'))
    const app = await createMiddleware({
      databaseFile: join(folder, 'middleware.db'),
      world: twoPeople(),
      sandbox: true,
      passwordCost: { N: 16, r: 1, p: 1 },
      // Each token is issued in a different second, because two access tokens of the same second have the same text.
      clock: { now: () => systemClock.now() + secondsAhead.count * 1_000, ticks: () => systemClock.ticks() },
      logger: createLogger('service', { level: 'silent' }),
      beforeRoutes(app) {
        app.addHook('onRequest', (request, _reply, done) => {
          if (request.url.startsWith('/wms/auth/')) secondsAhead.count++
          done()
        })
        return Promise.resolve()
      },
      carrierFor: () => ({
        drawReturnLabel: () =>
          Promise.resolve({
            pdf: plainLabel,
            labelCode: crypto.randomUUID(),
            trackingCode: crypto.randomUUID(),
            trackingUrl: 'https://track.example.org/',
          }),
      }),
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const service = new WatchedService(folder, app)
    await service.goOnline()
    return service
  }

  private constructor(folder: string, app: FastifyInstance) {
    this.#folder = folder
    this.#app = app
    this.#target = new URL(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
    this.#server = createServer()
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  count(method: string, pattern: RegExp): number {
    return this.calls.filter((call) => call.method === method && pattern.test(call.path)).length
  }

  get refreshes(): number {
    return this.count('POST', /auth\/refresh/)
  }

  /** Ends every access token issued until now. */
  endTokens(): void {
    for (const token of this.#issued) this.#over.add(token)
  }

  isGood(token: string): boolean {
    return this.#issued.has(token) && !this.#over.has(token)
  }

  /** Uses the newest refresh token as another client would. The desk can then no longer use the token. */
  async useUpRefreshToken(): Promise<void> {
    const answer = await fetch(new URL('/wms/auth/refresh/', this.#target), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-wms-code': 'DEV', 'x-customer-code': 'ALDER' },
      body: JSON.stringify({ refresh_token: this.#lastRefreshToken }),
    })
    if (!answer.ok) throw new Error(`the refresh token was over already: ${answer.status}`)
  }

  async goOffline(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((closed) => this.#server.close(closed))
  }

  async goOnline(): Promise<void> {
    this.#server = this.#doorOf('desk')
    this.#port = await listen(this.#server, this.#port)
  }

  /**
   * Listens on another port for the same service. The calls that arrive there have the name `door`, which identifies
   * the calls of one desk. Returns the URL.
   */
  async openDoor(door: string): Promise<string> {
    const server = this.#doorOf(door)
    this.#doors.push(server)
    return `http://127.0.0.1:${await listen(server, 0)}`
  }

  /** Returns the number of return labels for each reference. */
  labelsByReference(): Map<string, number> {
    return this.#counts('SELECT external_reference AS name, count(*) AS number FROM return_labels GROUP BY 1')
  }

  /** Returns the number of modifications for each note of an operator. */
  modificationsByNote(): Map<string, number> {
    return this.#counts('SELECT note AS name, count(*) AS number FROM modifications GROUP BY 1')
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.goOffline()
    for (const door of this.#doors) {
      door.closeAllConnections()
      door.close()
    }
    await this.#app.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #counts(sql: string): Map<string, number> {
    const database = openSqlite(join(this.#folder, 'middleware.db'), 'cache', { readonly: true })
    try {
      const rows = database.prepare<[], { name: string | null; number: number }>(sql).all()
      return new Map(rows.map(({ name, number }) => [name ?? '', number]))
    } finally {
      database.close()
    }
  }

  #doorOf(name: string): Server {
    return createServer((incoming, outgoing) => {
      this.#serve(name, incoming, outgoing).catch(() => incoming.socket.destroy())
    })
  }

  async #serve(door: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const { method = 'GET', url = '/' } = incoming
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? null
    const call: WatchedCall = {
      method,
      path: url,
      token,
      door,
      begunTicks: performance.now(),
      endedTicks: null,
    }
    this.calls.push(call)
    outgoing.once('close', () => (call.endedTicks = performance.now()))
    const status = token !== null && this.#over.has(token) ? 401 : this.refuse(call)
    if (status !== null) {
      outgoing.writeHead(status, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ code: status, message: 'Refused.' }))
      return
    }
    const answer = await forward(this.#target, incoming, Buffer.concat(pieces), null)
    if (url.startsWith('/wms/auth/')) this.#note(answer.body)
    if (this.loses(call)) {
      incoming.socket.destroy()
      return
    }
    outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length })
    outgoing.end(answer.body)
  }

  #note(body: Buffer): void {
    const issued = tokensSchema.safeParse(JSON.parse(body.toString('utf8')))
    if (!issued.success) return
    this.#issued.add(issued.data.token)
    this.#lastRefreshToken = issued.data.refresh_token
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

function twoPeople(): World {
  const world = makeSmallWorld()
  const colleagues = world.users
    .filter(({ username }) => username === validLogin.username)
    .map((user) => ({ ...user, id: smallId(29), username: 'colleague', password: 'colleague-secret-word' }))
  return { ...world, users: [...world.users, ...colleagues] }
}
