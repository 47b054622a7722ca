import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCode, firstLine, type Invitation, spawnCli } from './middleware-children.ts'

/**
 * A fault that the proxy causes. `answer`: the client gets this response, and the middleware does not get the call.
 * `reset`: the connection breaks. `applied` tells whether the middleware applied the call before the connection broke.
 */
export type Meddling =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly type: string
      readonly body: string | Buffer
    }
  | { readonly kind: 'reset'; readonly applied: boolean }
  /** The middleware applies the call, but the client gets only the first bytes of a JSON body. */
  | { readonly kind: 'garbled' }
  /** The middleware gets the call only after this promise has resolved. */
  | { readonly kind: 'late'; readonly until: Promise<void> }

/** Decides for each call which fault the proxy causes. Null: the proxy forwards the call. */
export type Meddle = (method: string, path: string) => Meddling | null

/**
 * A real middleware with demo data behind a proxy that can cause faults. Clients use only the address of the proxy,
 * also in links to documents.
 */
export class MeddledMiddleware {
  meddle: Meddle = () => null
  readonly #data: string
  readonly #process: ChildProcess
  readonly #target: URL
  readonly invitation: Invitation
  #server: Server
  readonly #port: number

  static async start(...args: string[]): Promise<MeddledMiddleware> {
    const data = mkdtempSync(join(tmpdir(), 'scandesk-meddled-'))
    const child = spawnCli('--port', '0', '--data', data, '--seed', 'demo', '--sandbox', ...args)
    const invitation = await firstLine(child)
    const server = createServer()
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    return new MeddledMiddleware(data, child, invitation, server)
  }

  private constructor(data: string, child: ChildProcess, invitation: Invitation, server: Server) {
    this.#data = data
    this.#process = child
    this.#target = new URL(invitation.url)
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    this.invitation = { ...invitation, url: `http://127.0.0.1:${this.#port}` }
    this.#serve()
  }

  /** The address of the middleware behind the proxy, to check the effect of a call. */
  get truth(): string {
    return this.#target.origin
  }

  /** The path of the middleware's database, for changes that only the warehouse could make. */
  get databaseFile(): string {
    return join(this.#data, 'middleware.db')
  }

  /** Stops listening at the address until the call of `goOnline`. */
  async goOffline(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((closed) => this.#server.close(closed))
  }

  async goOnline(): Promise<void> {
    this.#server = createServer()
    this.#serve()
    await new Promise<void>((listening) => this.#server.listen(this.#port, '127.0.0.1', listening))
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.goOffline()
    this.#process.kill()
    await exitCode(this.#process)
    rmSync(this.#data, { recursive: true, force: true })
  }

  #serve(): void {
    this.#server.on('request', (incoming, outgoing) => this.#answer(incoming, outgoing))
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = 'GET', url = '/' } = incoming
    const meddling = this.meddle(method, url)
    if (meddling?.kind === 'answer') {
      incoming.resume()
      outgoing.writeHead(meddling.status, { 'content-type': meddling.type }).end(meddling.body)
      return
    }
    if (meddling?.kind === 'reset' && !meddling.applied) {
      incoming.socket.destroy()
      return
    }
    if (meddling?.kind === 'late') void meddling.until.then(() => this.#forward(incoming, outgoing, null))
    else this.#forward(incoming, outgoing, meddling)
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse, meddling: Meddling | null): void {
    const { method, url, headers } = incoming
    const { hostname, port } = this.#target
    const forwarded = request({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
      if (meddling?.kind === 'garbled') {
        answer.resume().once('end', () => {
          outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' }).end('{"id":"')
        })
        return
      }
      if (meddling) {
        answer.resume().once('end', () => incoming.socket.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => incoming.socket.destroy())
    incoming.pipe(forwarded)
  }
}
