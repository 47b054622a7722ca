import { Worker } from 'node:worker_threads'
import { entryBeside } from '#kit/child-process.ts'

/** One notification, and the addresses of its receiver (at least one address). */
export interface SendOrder {
  readonly id: number
  readonly webhookId: string
  readonly customerId: string
  readonly url: string
  /** IP addresses to which the notification may be sent, in the order of the tries. */
  readonly addresses: readonly string[]
  readonly headers: Readonly<Record<string, string | number>>
  /**
   * The `hash_secret` of the webhook. The sender thread signs the notification, so that the calls in the main thread do
   * not wait for the signing.
   */
  readonly secret: string
  /** The body, in shared memory (`sharedCopy`), because many webhooks may send the same notification. */
  readonly content: Uint8Array
}

/** A message of the main thread to the sender thread. */
export type SenderOrder =
  | ({ readonly kind: 'send' } & SendOrder)
  | { readonly kind: 'abort'; readonly id: number }
  /** Closes idle connections of a webhook until at most `count` are open. Connections in use are counted too. */
  | { readonly kind: 'keep'; readonly webhookId: string; readonly count: number }
  /** Closes all connections of a webhook. */
  | { readonly kind: 'rest'; readonly webhookId: string }

/** The end of an attempt: the status of the response, or a code that says why there is none. */
export type SendEnd =
  { readonly status: number; readonly failure: null } | { readonly status: null; readonly failure: string }

/**
 * A message of the sender thread to the main thread. `ready`: it can send. `status`: the header of a response has
 * arrived. `end`: the response or the attempt has ended.
 */
export type FromSender =
  | { readonly kind: 'ready' }
  | { readonly kind: 'status'; readonly id: number; readonly status: number }
  | { readonly kind: 'end'; readonly id: number; readonly end: SendEnd }

/** The settings of the sender thread. */
export interface SenderData {
  /** Certificate authority (PEM) that is trusted in addition to the public ones; null: there is none. */
  readonly webhookCa: string | null
  /** Maximum number of connections to the receiver of one webhook. */
  readonly mostConnections: number
}

/** The reason, as a code, why a notification was not sent. */
export class Refused extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/**
 * Returns a code like `ECONNREFUSED` or `CERT_HAS_EXPIRED`. It names the failure and contains nothing of the address or
 * the response.
 */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed'
}

/** Returns a copy of bytes in memory that the sender thread can read without another copy. */
export function sharedCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

interface Attempt {
  readonly resolve: (end: SendEnd) => void
  /** The status of the response; null: its header has not arrived. */
  status: number | null
}

interface RunningThread {
  readonly worker: Worker
  /** Resolves when the thread can send, or has failed. */
  readonly ready: Promise<undefined>
}

/**
 * The thread in which all connections to receivers run (sender-worker.ts). It starts at the first notification. If it
 * fails, its running attempts end with the code `failed`, and it starts again at the next notification.
 */
export class SenderThread {
  readonly #data: SenderData
  readonly #onFault: (error: unknown) => void
  #thread: RunningThread | null = null
  #lastId = 0
  /** The running attempts, by id. */
  readonly #running = new Map<number, Attempt>()

  constructor(data: SenderData, onFault: (error: unknown) => void) {
    this.#data = data
    this.#onFault = onFault
  }

  /** Starts the thread if it does not run. Resolves when it can send, so that no attempt waits for its start. */
  ready(): Promise<void> {
    this.#thread ??= this.#start()
    return this.#thread.ready
  }

  /**
   * Sends a notification. When `signal` aborts, even while the thread is busy, returns the status if the header of the
   * response has arrived, and otherwise rejects.
   */
  async send(order: Omit<SendOrder, 'id'>, signal: AbortSignal): Promise<SendEnd> {
    signal.throwIfAborted()
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<SendEnd>()
    const attempt: Attempt = { resolve, status: null }
    const abort = (): void => {
      this.#thread?.worker.postMessage({ kind: 'abort', id } satisfies SenderOrder)
      if (attempt.status === null) reject(new Error('The attempt was aborted'))
      else resolve({ status: attempt.status, failure: null })
    }
    signal.addEventListener('abort', abort)
    this.#running.set(id, attempt)
    this.#thread ??= this.#start()
    this.#thread.worker.postMessage({ kind: 'send', id, ...order } satisfies SenderOrder)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', abort)
      this.#running.delete(id)
    }
  }

  keepAtMost(webhookId: string, count: number): void {
    this.#thread?.worker.postMessage({ kind: 'keep', webhookId, count } satisfies SenderOrder)
  }

  rest(webhookId: string): void {
    this.#thread?.worker.postMessage({ kind: 'rest', webhookId } satisfies SenderOrder)
  }

  async close(): Promise<void> {
    await this.#thread?.worker.terminate()
  }

  #start(): RunningThread {
    const worker = new Worker(entryBeside(import.meta.url, 'sender-worker'), {
      workerData: this.#data,
      name: 'notifications',
    })
    worker.unref()
    const { promise: ready, resolve: isReady } = Promise.withResolvers<undefined>()
    worker.on('message', (message: FromSender) => {
      if (message.kind === 'ready') {
        isReady(undefined)
        return
      }
      const attempt = this.#running.get(message.id)
      if (message.kind === 'end') attempt?.resolve(message.end)
      else if (attempt) attempt.status = message.status
    })
    worker.on('error', this.#onFault)
    worker.on('exit', () => {
      this.#thread = null
      isReady(undefined)
      for (const { resolve } of this.#running.values()) resolve({ status: null, failure: 'failed' })
    })
    return { worker, ready }
  }
}
