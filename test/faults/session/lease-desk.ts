/**
 * A desk in its own process, one of many on one data folder. Arguments: data folder, URL of the service for this desk,
 * number of actions. Writes `ready` once signed in, performs the actions at the first input, and then sends its writes
 * until it is killed.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { createLogger } from '#kit/logger.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { composeDesk } from '../../../electron/compose-desk.ts'
import { benchScope, memorySecrets, quickOptions } from '#support/desk-bench.ts'
import { validLogin } from './watched-service.ts'
import { patientTimeouts, prepare, Promises } from './work.ts'
import { unreadPages } from '#support/unread-pages.ts'

const [dataDir = '', url = '', times = '1'] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const desk = await composeDesk({
  dataDir,
  scope: benchScope,
  embedded: () => url,
  secrets: memorySecrets(),
  printers: createPrinterBoard([
    createFolderPrinter('folder', join(dataDir, 'paper'), { look: unreadPages }),
  ]),
  logger: createLogger('child', {
    level: 'warn',
    destination: { write: (line) => say(`log ${line.trim()}`) },
  }),
  ...quickOptions,
  timeouts: patientTimeouts,
})
await desk.start()
await desk.session.login(validLogin)
await prepare(desk)
say('ready')
await once(process.stdin, 'data')
const promises = new Promises((name) => say(`promised ${name}`))
for (let work = 0; work < Number(times); work++) await promises.work(desk)
say('worked')
