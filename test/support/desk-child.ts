/**
 * A desk in its own process so that it can be killed. It logs in. For each of the given shipments in turn, it makes a
 * label and then a scan. It writes each label and each scan to stdout after the desk has saved it. Arguments: data
 * folder, service URL, shipment ids separated by commas.
 */
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { composeDesk } from '../../electron/compose-desk.ts'
import { createLogger } from '#kit/logger.ts'
import { benchScope, memorySecrets, quickOptions } from './desk-bench.ts'
import { byShipment } from './label-wishes.ts'
import { unreadPages } from './unread-pages.ts'

const [dataDir = '', url = '', shipments = ''] = process.argv.slice(2)
const say = (line: string): void => void writeSync(1, `${line}\n`)

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
})
await desk.start()
await desk.session.login({ username: 'sam', password: 'right' })
say('ready')
for (const shipmentId of shipments.split(',')) {
  const made = await desk.returnLabel.make({ mode: byShipment(shipmentId), request: true, seen: null })
  if (made.ok) say(`made ${made.value.id}`)
  const scan = await desk.scan.submit({ raw: `scan-${shipmentId}`, expect: 'anything' })
  say(`scanned ${scan.scanId}`)
}
