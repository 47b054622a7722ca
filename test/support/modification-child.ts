/**
 * A desk in its own process so that it can be killed: logs in, scans a location and an article, and then makes
 * bookings, each with six pieces of the article. It writes each added piece and each booking to stdout after the desk
 * has saved it. Arguments: data folder, service URL.
 */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from '#kit/logger.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { composeDesk } from '../../electron/compose-desk.ts'
import { benchScope, memorySecrets, quickOptions } from './desk-bench.ts'
import { smallId } from './small-world.ts'
import { unreadPages } from './unread-pages.ts'

const [dataDir = '', url = ''] = process.argv.slice(2)
const say = (line: string): void => void writeSync(1, `${line}\n`)
const mostBookings = 18

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
const shelf = await desk.scan.submit({ raw: `LOC ${smallId(401)}`, expect: 'stock' })
const article = await desk.scan.submit({ raw: 'A-1', expect: 'stock' })
if (shelf.kind !== 'location' || article.kind !== 'article') throw new Error(`${shelf.kind} ${article.kind}`)
say('ready')
for (let booking = 1; booking <= mostBookings; booking++) {
  desk.modification.change({ kind: 'location', locationId: shelf.location.id })
  desk.modification.change({ kind: 'reason', reason: 'CORRECTION' })
  desk.modification.change({ kind: 'note', note: `booking ${booking}` })
  for (let piece = 0; piece < 6; piece++) {
    if (desk.modification.change({ kind: 'add', variantId: article.variant.id }).ok) say('added')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  if (desk.modification.book().ok) say('booked')
}
