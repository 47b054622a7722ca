import { z } from 'zod'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { keepNewFilesPrivate } from '#kit/private-files.ts'
import { type RunningMiddleware, startMiddleware, takeDatabaseFolder } from '../start-middleware.ts'

/**
 * The first message of the parent process. After a restart it contains the port of the first `ready`, so that the base
 * URL stays the same.
 */
const order = z.object({
  databaseFile: z.string().min(1),
  port: z.number().int().min(0).max(65535),
  sandbox: z.boolean(),
})

/** The part of Electron's `process.parentPort` that this program uses. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  once(event: 'message', listener: (event: { data: unknown }) => void): void
  postMessage(message: unknown): void
}

keepNewFilesPrivate()
const logger = createLogger('middleware')

/**
 * Maximum time in milliseconds to wait for other processes that use the data folder. A process that the desk has just
 * stopped, or that crashed, may still have files of the folder open.
 */
const folderPatienceMs = 10_000

function parentPort(): ParentPort {
  const port: unknown = Reflect.get(process, 'parentPort')
  if (isParentPort(port)) return port
  throw new Error('This entry runs as a utility process of Electron')
}

function isParentPort(value: unknown): value is ParentPort {
  return typeof value === 'object' && value !== null && 'postMessage' in value && 'once' in value
}

/**
 * Starts the server for the parent. Sends `{type: 'ready', url, …}` or `{type: 'failed', reason}`. Stops at `{type:
 * 'stop'}` and at SIGTERM.
 */
async function serve(parent: ParentPort, message: unknown): Promise<void> {
  try {
    const { databaseFile, port, sandbox } = order.parse(message)
    takeDatabaseFolder(databaseFile, logger)
    const running = await startMiddleware({
      databaseFile,
      folderPatienceMs,
      port,
      host: '127.0.0.1',
      seed: 'demo',
      sandbox,
      // tests use `manual`, so that the simulated warehouse works only when the test requests it
      warehouse: process.env['SCANDESK_WAREHOUSE'] === 'manual' ? 'manual' : 'auto',
      clock: systemClock,
      logger,
    })
    stopOnRequest(parent, running)
    parent.postMessage({ type: 'ready', ...running.invitation })
  } catch (error) {
    logger.error({ err: error }, 'the embedded middleware did not start')
    parent.postMessage({ type: 'failed', reason: reasonOf(error) })
  }
}

function stopOnRequest(parent: ParentPort, running: RunningMiddleware): void {
  const stop = (): void => {
    // The parent port keeps the process alive, so the process must exit explicitly.
    void running.stop().finally(() => process.exit(0))
  }
  process.once('SIGTERM', stop)
  parent.on('message', ({ data }) => {
    if (z.object({ type: z.literal('stop') }).safeParse(data).success) stop()
  })
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return 'port_in_use'
  return error instanceof Error ? error.message : String(error)
}

const parent = parentPort()
parent.once('message', ({ data }) => {
  void serve(parent, data)
})
