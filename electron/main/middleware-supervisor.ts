import { join } from 'node:path'
import { utilityProcess, type UtilityProcess } from 'electron'
import { z } from 'zod'
import type { Logger } from '#kit/logger.ts'
import { makeFolder } from '#kit/durable-files.ts'

/** First message of the utility process: where it listens, or why it cannot. */
const firstMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.string() }),
  z.object({ type: z.literal('failed'), reason: z.string() }),
])

interface SupervisorOptions {
  /** The built middleware bundle. */
  readonly bundle: string
  readonly dataDir: string
  readonly logger: Logger
  /** The port it had the last time, so that a restart answers where it did before. */
  readonly port: number | null
  readonly onPort: (port: number) => void
}

const restartDelayMs = 500
const mostRestarts = 5
/** After so long a life an end is no part of a row of failures. */
const steadyMs = 60_000
const stopLimitMs = 2000
/** A desk works without it, and must be able to close: neither waits longer. It may still listen later. */
const startLimitMs = 30_000

/** Keeps the embedded middleware running as a process of its own: a crash there never takes the desk along. */
export class MiddlewareSupervisor {
  readonly #options: SupervisorOptions
  #child: UtilityProcess | null = null
  /** Null while nothing runs and nothing is going to. */
  #starting: Promise<void> | null = null
  #url: string | null = null
  #port: number
  #restarts = 0
  #listensSinceMs = Number.POSITIVE_INFINITY

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#port = options.port ?? 0
  }

  /** Starts it unless it runs; resolves when it listens, has said that it cannot, or after half a minute of silence. */
  start(): Promise<void> {
    if (!this.#starting) this.#restarts = 0
    this.#starting ??= this.#launch().catch((error: unknown) => {
      this.#starting = null
      throw error
    })
    const limit = new Promise<void>((resolve) => setTimeout(resolve, startLimitMs).unref())
    return Promise.race([this.#starting, limit])
  }

  /** Where it listens now, or null while it does not. */
  url(): string | null {
    return this.#url
  }

  /** Resolves when it has ended and its port is free again, after two seconds at most. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = null
    this.#url = null
    this.#starting = null
    if (!child) return
    const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.postMessage({ type: 'stop' })
    await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, stopLimitMs).unref())])
    child.kill()
  }

  /** One life of the process: resolves at its first word, or at its end. */
  async #launch(): Promise<void> {
    const { bundle, dataDir } = this.#options
    const folder = join(dataDir, 'sandbox')
    makeFolder(folder)
    const child = utilityProcess.fork(bundle, [], { serviceName: 'scandesk-middleware', stdio: 'inherit' })
    this.#child = child
    const word = new Promise<unknown>((resolve) => {
      child.once('message', resolve)
      child.once('exit', (code) => {
        resolve(null)
        if (this.#child === child) this.#ended(code)
      })
    })
    child.postMessage({ databaseFile: join(folder, 'middleware.db'), port: this.#port, sandbox: true })
    const message = firstMessage.safeParse(await word)
    // ended without a word, or stopped before it
    if (!message.success || this.#child !== child) return
    if (message.data.type === 'ready') this.#listens(message.data.url)
    else await this.#cannot(child, message.data.reason)
  }

  #listens(url: string): void {
    this.#url = url
    this.#listensSinceMs = performance.now()
    this.#port = Number(new URL(url).port)
    this.#options.onPort(this.#port)
  }

  /** Somebody else has the port of the last time: take any other, once. */
  async #cannot(child: UtilityProcess, reason: string): Promise<void> {
    this.#child = null
    child.kill()
    this.#options.logger.warn({ reason, port: this.#port }, 'the embedded middleware cannot start')
    if (reason === 'port_in_use' && this.#port !== 0) {
      this.#port = 0
      await this.#launch()
    } else this.#starting = null
  }

  #ended(code: number): void {
    this.#child = null
    this.#url = null
    if (performance.now() - this.#listensSinceMs > steadyMs) this.#restarts = 0
    this.#listensSinceMs = Number.POSITIVE_INFINITY
    if (this.#restarts >= mostRestarts) {
      this.#starting = null
      return
    }
    this.#restarts++
    this.#options.logger.warn(
      { code, restarts: this.#restarts },
      'the embedded middleware ended; starting it again',
    )
    setTimeout(() => {
      if (this.#starting && !this.#child) this.#starting = this.#launch()
    }, restartDelayMs * this.#restarts)
  }
}
