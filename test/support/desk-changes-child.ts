/**
 * A desk in its own process so that it can be killed. It logs in, makes, changes, requests and cancels labels, and
 * writes each action to stdout after the desk has saved it. Arguments: data folder, service URL, shipment ids
 * separated by commas.
 */
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { composeDesk } from '../../electron/compose-desk.ts'
import { createLogger } from '#kit/logger.ts'
import { benchScope, memorySecrets, quickOptions } from './desk-bench.ts'
import { byHand, byShipment } from './label-wishes.ts'
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
let turn = 0
for (const shipmentId of shipments.split(',')) {
  turn++
  const made = await desk.returnLabel.make({
    mode: turn % 3 === 0 ? byHand() : byShipment(shipmentId),
    request: false,
    seen: null,
  })
  if (!made.ok) continue
  const { id } = made.value
  say(`made ${id}`)
  // Waits after every second creation, so that the creation is sent before the next action.
  if (turn % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 60))
  const city = `City-${turn}`
  if ((await desk.returnLabel.patch({ id, sender: { city } })).ok) say(`patched ${id} ${city}`)
  if (turn % 4 === 0) {
    if ((await desk.returnLabel.cancel({ id })).ok) say(`cancelled ${id}`)
  } else if ((await desk.returnLabel.request({ id })).ok) say(`requested ${id}`)
}
