/**
 * A desk in its own process that kills itself when it is about to store its second refresh token. Arguments: data
 * folder, file of the stored secrets, URL of the service. Writes `ready` when signed in. Starts to work at the first
 * input.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from '#kit/logger.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { composeDesk } from '../../../electron/compose-desk.ts'
import { benchScope, quickOptions } from '#support/desk-bench.ts'
import { readKept } from './kept-file.ts'
import { validLogin } from './watched-service.ts'
import { patientTimeouts, prepare, Promises } from './work.ts'
import { unreadPages } from '#support/unread-pages.ts'

const [dataDir = '', keptFile = '', url = ''] = process.argv.slice(2)
let writes = 0

const desk = await composeDesk({
  dataDir,
  scope: benchScope,
  embedded: () => url,
  secrets: {
    canProtect: () => Promise.resolve(true),
    read: (key) => Promise.resolve(readKept(keptFile).get(key) ?? null),
    write(key, value) {
      if (++writes === 2) process.kill(process.pid, 'SIGKILL')
      writeFileSync(keptFile, JSON.stringify({ [key]: value }))
      return Promise.resolve()
    },
    remove() {
      writeFileSync(keptFile, '{}')
      return Promise.resolve()
    },
  },
  printers: createPrinterBoard([
    createFolderPrinter('folder', join(dataDir, 'paper'), { look: unreadPages }),
  ]),
  logger: createLogger('child', { level: 'fatal' }),
  ...quickOptions,
  timeouts: patientTimeouts,
})
await desk.start()
await desk.session.login(validLogin)
await prepare(desk)
process.stdout.write('ready\n')
await once(process.stdin, 'data')
await new Promises().work(desk)
