import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { utilityProcess, type UtilityProcess } from 'electron'
import { z } from 'zod'
import type { Logger } from '#kit/logger.ts'

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

export interface MiddlewareSupervisor {
  /** Starts it unless it runs; resolves when it listens, or has said that it cannot. */
  start(): Promise<void>
  /** Where it listens now, or null while it does not. */
  url(): string | null
  stop(): void
}

const restartDelayMs = 500
const mostRestarts = 5

/** Keeps the embedded middleware running as a process of its own: a crash there never takes the desk along. */
export function superviseMiddleware(options: SupervisorOptions): MiddlewareSupervisor {
  let child: UtilityProcess | null = null
  let url: string | null = null
  let port = options.port
  let restarts = 0

  function launch(): Promise<void> {
    const process = utilityProcess.fork(options.bundle, [], {
      serviceName: 'scandesk-middleware',
      stdio: 'inherit',
    })
    child = process
    const first = new Promise<void>((resolve) => {
      process.once('message', (raw: unknown) => {
        heard(raw)
        resolve()
      })
      process.once('exit', (code) => {
        resolve()
        if (child === process) ended(code)
      })
    })
    const folder = join(options.dataDir, 'sandbox')
    mkdirSync(folder, { recursive: true })
    process.postMessage({ databaseFile: join(folder, 'middleware.db'), port: port ?? 0, sandbox: true })
    return first
  }

  function heard(raw: unknown): void {
    const message = firstMessage.safeParse(raw)
    if (!message.success || message.data.type === 'failed') {
      options.logger.error({ message: raw }, 'the embedded middleware cannot start')
      return
    }
    url = message.data.url
    port = Number(new URL(url).port)
    options.onPort(port)
  }

  function ended(code: number): void {
    child = null
    url = null
    if (restarts >= mostRestarts) return
    restarts++
    options.logger.warn({ code, restarts }, 'the embedded middleware ended; starting it again')
    setTimeout(() => {
      if (!child && restarts > 0) void launch()
    }, restartDelayMs * restarts)
  }

  let starting: Promise<void> | null = null
  return {
    start: () => (starting ??= launch()),
    url: () => url,
    stop: () => {
      const running = child
      child = null
      url = null
      starting = null
      restarts = 0
      running?.kill()
    },
  }
}
