import { z } from 'zod'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { keepNewFilesPrivate } from '#kit/private-files.ts'
import { type RunningMiddleware, startMiddleware, takeDatabaseFolder } from '../start-middleware.ts'

/** First message from the parent. A restart passes the port of the first `ready`, so that the base URL stays. */
const order = z.object({
  databaseFile: z.string().min(1),
  port: z.number().int().min(0).max(65535),
  sandbox: z.boolean(),
})

/** Electron's `process.parentPort`, as far as it is used here. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  once(event: 'message', listener: (event: { data: unknown }) => void): void
  postMessage(message: unknown): void
}

keepNewFilesPrivate()
const logger = createLogger('middleware')

/** A process that the desk has just stopped, or lost, may still be closing the folder. */
const folderPatienceMs = 10_000

function parentPort(): ParentPort {
  const port: unknown = Reflect.get(process, 'parentPort')
  if (isParentPort(port)) return port
  throw new Error('This entry runs as a utility process of Electron')
}

function isParentPort(value: unknown): value is ParentPort {
  return typeof value === 'object' && value !== null && 'postMessage' in value && 'once' in value
}

/** Answers `{type: 'ready', url, …}` or `{type: 'failed', reason}`; stops on `{type: 'stop'}` and on SIGTERM. */
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
      // a desk under test stands still unless the warehouse is the test's subject
      warehouse: process.env['SCANDESK_WAREHOUSE'] === 'manual' ? 'manual' : 'auto',
      clock: systemClock,
      logger,
    })
    stopWhenTold(parent, running)
    parent.postMessage({ type: 'ready', ...running.invitation })
  } catch (error) {
    logger.error({ err: error }, 'the embedded middleware did not start')
    parent.postMessage({ type: 'failed', reason: reasonOf(error) })
  }
}

function stopWhenTold(parent: ParentPort, running: RunningMiddleware): void {
  const stop = (): void => {
    // The parent port keeps the process alive, so it must be left explicitly.
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
