import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCode, firstLine, type Invitation, spawnCli } from './middleware-children.ts'

/** What a client gets in place of the middleware's answer; `reset`: the line breaks, before or after it was done. */
export type Meddling =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly type: string
      readonly body: string | Buffer
    }
  | { readonly kind: 'reset'; readonly applied: boolean }
  /** Done as asked, but the answer is cut in its middle and still claims to be whole. */
  | { readonly kind: 'garbled' }
  /** Done and answered as asked, but not before. */
  | { readonly kind: 'late'; readonly until: Promise<void> }

/** Decides over each call as it arrives; null lets it through. */
export type Meddle = (method: string, path: string) => Meddling | null

/**
 * A real middleware with demo data, and in front of it somebody who answers in its place now and then. The address that
 * clients see stays the same, also in the links to documents.
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

  /** The service itself, past whatever meddles: for judging what became of a call. */
  get truth(): string {
    return this.#target.origin
  }

  /** Its database, for what only the warehouse could do. */
  get databaseFile(): string {
    return join(this.#data, 'middleware.db')
  }

  /** Nobody answers at the address until `goOnline`. */
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
