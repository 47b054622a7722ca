/**
 * A desk in its own process so that it can be killed while it reads the service's goods. Arguments: data folder,
 * service URL, milliseconds between two full reads.
 */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from '#kit/logger.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { composeDesk } from '../../electron/compose-desk.ts'
import { benchScope, memorySecrets, quickOptions } from './desk-bench.ts'
import { unreadPages } from './unread-pages.ts'

const [dataDir = '', url = '', fullEveryMs = ''] = process.argv.slice(2)

const desk = await composeDesk({
  dataDir,
  scope: benchScope,
  embedded: () => url,
  secrets: memorySecrets(),
  printers: createPrinterBoard([
    createFolderPrinter('folder', join(dataDir, 'paper'), { look: unreadPages }),
  ]),
  logger: createLogger('child', { level: 'fatal' }),
  ...quickOptions,
  catalogue: { everyMs: 20, fullEveryMs: Number(fullEveryMs) },
})
await desk.start()
await desk.session.login({ username: 'sam', password: 'right' })
writeSync(1, 'ready\n')
