import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Protocol } from './cdp-protocol.ts'

type Method = keyof Protocol.CommandParameters
type EventName = keyof Protocol.Events

interface Message {
  id?: number
  sessionId?: string
  method?: string
  params?: unknown
  result?: unknown
  error?: { message: string }
}

interface Pending {
  method: string
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/** The DevTools protocol of --remote-debugging-pipe: JSON texts on fds 3 (in) and 4 (out), each ended by a NUL byte. */
export class CdpPipe {
  readonly #toChromium: Writable
  readonly #pending = new Map<number, Pending>()
  readonly #events = new EventEmitter({ captureRejections: false }).setMaxListeners(0)
  #lastId = 0
  #unread: Buffer[] = []

  constructor(child: ChildProcess) {
    this.#toChromium = child.stdio[3] as Writable
    const fromChromium = child.stdio[4] as Readable
    fromChromium.on('data', (chunk: Buffer) => this.#read(chunk))
    fromChromium.on('close', () => this.#fail(new Error('stand-in: Chromium closed its pipe')))
    // Errors of the stream are ignored, because the pending promises already report that Chromium has ended.
    this.#toChromium.on('error', () => undefined)
  }

  /** Returns the session of one target; without an id, the session of the browser. */
  session(sessionId = ''): CdpSession {
    return new CdpSession(this, sessionId)
  }

  request(method: string, params: unknown, sessionId: string): Promise<unknown> {
    const id = ++this.#lastId
    const message = { id, method, params: params ?? {}, ...(sessionId === '' ? {} : { sessionId }) }
    return new Promise((resolve, reject) => {
      if (!this.#toChromium.writable) reject(new Error(`${method}: Chromium has gone`))
      this.#pending.set(id, { method, resolve, reject })
      this.#toChromium.write(JSON.stringify(message) + '\0')
    })
  }

  listen(sessionId: string, event: string, listener: (params: never) => void): void {
    // The protocol's own description guarantees the shape of the parameters.
    this.#events.on(`${sessionId} ${event}`, listener as (params: unknown) => void)
  }

  #read(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const text = Buffer.concat([...this.#unread, rest.subarray(0, end)]).toString('utf8')
      this.#unread = []
      rest = rest.subarray(end + 1)
      this.#dispatch(JSON.parse(text) as Message)
    }
    if (rest.length > 0) this.#unread.push(rest)
  }

  #dispatch(message: Message): void {
    if (message.id === undefined) {
      this.#events.emit(`${message.sessionId ?? ''} ${message.method ?? ''}`, message.params)
      return
    }
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    if (message.error) pending?.reject(new Error(`${pending.method}: ${message.error.message}`))
    else pending?.resolve(message.result)
  }

  #fail(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
  }
}

/** Commands and events of one target, typed by the protocol. */
export class CdpSession {
  readonly #pipe: CdpPipe
  readonly #id: string

  constructor(pipe: CdpPipe, id: string) {
    this.#pipe = pipe
    this.#id = id
  }

  /** Sends a command. Rejects with Chromium's error message if the command fails, and also if Chromium has ended. */
  send<M extends Method>(
    method: M,
    params?: Protocol.CommandParameters[M],
  ): Promise<Protocol.CommandReturnValues[M]> {
    // The protocol's own description guarantees the shape of Chromium's result.
    return this.#pipe.request(method, params, this.#id) as Promise<Protocol.CommandReturnValues[M]>
  }

  on<E extends EventName>(event: E, listener: (params: Protocol.Events[E]) => void): void {
    this.#pipe.listen(this.#id, event, listener)
  }
}
