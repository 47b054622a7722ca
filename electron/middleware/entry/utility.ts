import { z } from 'zod'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { keepNewFilesPrivate } from '#kit/private-files.ts'
import { codeOf } from '../data/engine/conflicts.ts'
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
 * Starts the server for the parent. Sends `{type: 'ready', url, …}` or `{type: 'failed', cause, reason}` (`cause`: see
 * `causeOf`; `reason`: the message of the error). Stops at `{type: 'stop'}` and at SIGTERM.
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
      replacesOtherVersion: sandbox,
      // tests use `manual`, so that the simulated warehouse works only when the test requests it
      warehouse: process.env['SCANDESK_WAREHOUSE'] === 'manual' ? 'manual' : 'auto',
      clock: systemClock,
      logger,
    })
    stopOnRequest(parent, running)
    parent.postMessage({ type: 'ready', ...running.invitation })
  } catch (error) {
    logger.error({ err: error }, 'the embedded middleware did not start')
    parent.postMessage({ type: 'failed', cause: causeOf(error), reason: reasonOf(error) })
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

/** Causes of a failed start by the codes of errors of the system and of SQLite. */
const causes = [
  ['port_in_use', /^EADDRINUSE$/],
  ['folder_in_use', /^(EBUSY|SQLITE_(BUSY|LOCKED))/],
  ['damaged', /^SQLITE_(CORRUPT|NOTADB)/],
  ['disk_full', /^(ENOSPC|EDQUOT|SQLITE_FULL)$/],
  ['no_access', /^(EACCES|EPERM|EROFS|SQLITE_(CANTOPEN|PERM|READONLY))/],
] as const

/** Returns why the start failed: a cause of `causes`, otherwise the code of the error, or `unknown`. */
function causeOf(error: unknown): string {
  const code = codeOf(error)
  return causes.find(([, codes]) => codes.test(code))?.[0] ?? (code === '' ? 'unknown' : code)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const parent = parentPort()
parent.once('message', ({ data }) => {
  void serve(parent, data)
})
