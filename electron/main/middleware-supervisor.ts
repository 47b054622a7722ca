import { join } from 'node:path'
import { utilityProcess, type UtilityProcess } from 'electron'
import { z } from 'zod'
import type { Logger } from '#kit/logger.ts'
import { makeFolder } from '#kit/durable-files.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { ProcessOutput } from './process-output.ts'

/**
 * First message of the utility process: the address at which it listens, or why it cannot listen. `cause`: a word for
 * the program. `reason`: a text for the log.
 */
const firstMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.string() }),
  z.object({ type: z.literal('failed'), cause: z.string(), reason: z.string() }),
])

interface SupervisorOptions {
  /** The path of the built bundle of the middleware. */
  readonly bundle: string
  readonly dataDir: string
  readonly logger: Logger
  /** Logs the lines that the process writes to stdout and stderr. */
  readonly outputLogger: Logger
  /** The port of the last run, so that the middleware uses the same address again. Null: there was no run. */
  readonly port: number | null
  readonly onPort: (port: number) => void
}

const restartDelayMs = 500
const mostRestarts = 5
/**
 * If the process has listened for longer than this time in milliseconds, the count of restarts begins again at zero.
 */
const steadyMs = 60_000
const stopLimitMs = 2000
/**
 * Maximum time in milliseconds for which the opening or closing of a desk waits for the middleware. The wait is
 * limited, because a desk also works without the middleware. The middleware may start to listen later.
 */
const startLimitMs = 30_000

/**
 * Runs the embedded middleware as a separate process, so that its crash never ends the desk. Restarts the process after
 * a crash, at most five times in a row.
 */
export class MiddlewareSupervisor {
  readonly #options: SupervisorOptions
  readonly #output: ProcessOutput
  #child: UtilityProcess | null = null
  /** The promise of the last `#launch`; null if the middleware does not run and no start is planned. */
  #starting: Promise<void> | null = null
  #url: string | null = null
  #failure: Failure | null = null
  #port: number
  #restarts = 0
  #listensSinceMs = Number.POSITIVE_INFINITY

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#output = new ProcessOutput(options.outputLogger)
    this.#port = options.port ?? 0
  }

  /**
   * Starts the middleware unless it runs. Resolves when it listens, when it reports that it cannot listen, when its
   * process ends, or after half a minute without a message.
   */
  start(): Promise<void> {
    if (!this.#starting) this.#restarts = 0
    this.#starting ??= this.#launch().catch((error: unknown) => {
      this.#starting = null
      throw error
    })
    const limit = new Promise<void>((resolve) => setTimeout(resolve, startLimitMs).unref())
    return Promise.race([this.#starting, limit])
  }

  /** Returns the middleware's address, or null while it does not listen. */
  url(): string | null {
    return this.#url
  }

  /**
   * Returns why the middleware does not run and is not started again before the next call of `start`. Null: the
   * middleware listens, is starting, or was not started. The parameter `cause` is the cause that the process has
   * reported, or `crashed`.
   */
  failure(): Failure | null {
    return this.#failure
  }

  /**
   * Stops the middleware. Resolves when its process has ended and its port is free, at the latest after two seconds.
   */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = null
    this.#url = null
    this.#starting = null
    this.#failure = null
    if (!child) return
    const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.postMessage({ type: 'stop' })
    await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, stopLimitMs).unref())])
    child.kill()
  }

  /** Runs the middleware process once. Resolves at its first message, or when it ends. */
  async #launch(): Promise<void> {
    const { bundle, dataDir } = this.#options
    const folder = join(dataDir, 'sandbox')
    this.#failure = null
    makeFolder(folder)
    const child = utilityProcess.fork(bundle, [], { serviceName: 'scandesk-middleware', stdio: 'pipe' })
    this.#child = child
    // Electron emits `error` when V8 ends the process, and `exit` afterwards; without a listener for `error`, main
    // would throw
    child.on('error', () => undefined)
    this.#output.follow(child.stdout, 'stdout')
    this.#output.follow(child.stderr, 'stderr')
    const word = new Promise<unknown>((resolve) => {
      child.once('message', resolve)
      child.once('exit', (code) => {
        resolve(null)
        if (this.#child === child) this.#ended(code)
      })
    })
    child.postMessage({ databaseFile: join(folder, 'middleware.db'), port: this.#port, sandbox: true })
    const message = firstMessage.safeParse(await word)
    // if the process ended or was stopped before it sent a message, no message has to be handled
    if (!message.success || this.#child !== child) return
    if (message.data.type === 'ready') this.#listens(message.data.url)
    else await this.#cannot(child, message.data)
  }

  #listens(url: string): void {
    this.#url = url
    this.#listensSinceMs = performance.now()
    this.#port = Number(new URL(url).port)
    this.#options.onPort(this.#port)
  }

  /** Handles a failed start. If another program uses the port of the last run, starts once more with any free port. */
  async #cannot(child: UtilityProcess, { cause, reason }: { cause: string; reason: string }): Promise<void> {
    this.#child = null
    child.kill()
    this.#options.logger.warn({ cause, reason, port: this.#port }, 'the embedded middleware cannot start')
    if (cause === 'port_in_use' && this.#port !== 0) {
      this.#port = 0
      await this.#launch()
    } else this.#givesUp(cause)
  }

  #givesUp(cause: string): void {
    this.#starting = null
    this.#failure = failure('station.embedded_failed', { cause })
  }

  #ended(code: number): void {
    this.#child = null
    this.#url = null
    if (performance.now() - this.#listensSinceMs > steadyMs) this.#restarts = 0
    this.#listensSinceMs = Number.POSITIVE_INFINITY
    if (this.#restarts >= mostRestarts) {
      this.#givesUp('crashed')
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
