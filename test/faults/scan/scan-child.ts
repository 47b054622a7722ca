/**
 * A desk in its own process that scans continuously until it is killed. Its only argument is JSON (`Given`). It writes
 * to stdout, always before it continues: `scan N` when it is about to submit scan N, `beep N` when the window would
 * play the sound for scan N, and `kept` after each purge.
 */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Desk } from '#desk/desk.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { createLogger } from '#kit/logger.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { benchScope, memorySecrets, quickOptions } from '#support/desk-bench.ts'
import { randomFrom } from '#support/random.ts'
import { composeDesk } from '../../../electron/compose-desk.ts'
import { given, oldScan, textOf } from './site.ts'

const told = given.parse(JSON.parse(process.argv[2] ?? ''))
const random = randomFrom(told.seed)
const say = (line: string): void => void writeSync(1, `${line}\n`)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const yearMs = 365 * 24 * 3600_000
let journal: StorePort['scans'] | null = null
let next = told.first

function watched(store: StorePort): StorePort {
  journal = store.scans
  return told.control === null ? store : { ...store, scans: soundFirst(store.scans) }
}

/**
 * Returns a store with a deliberate fault that the suite must find (control `sound-first`): a scan is saved only after
 * its sound.
 */
function soundFirst(scans: StorePort['scans']): StorePort['scans'] {
  return { ...scans, append: (scan) => void setTimeout(() => scans.append(scan), 15) }
}

/** One operator. Each scan follows the sound of the previous scan. */
async function scanOn(desk: Desk): Promise<void> {
  for (;;) {
    const number = next++
    say(`scan ${number}`)
    await desk.scan.submit({ raw: textOf(number), expect: number % 3 === 0 ? 'stock' : 'anything' })
    say(`beep ${number}`)
    await pause(random() * 6)
  }
}

/** Repeatedly adds old scans, purges them and copies desk.db. */
async function tidyUp(desk: Desk): Promise<void> {
  for (let round = 0; ; round++) {
    for (let one = 0; one < 5; one++)
      journal?.append({ id: crypto.randomUUID(), raw: `${oldScan}${one}`, at: Date.now() - yearMs })
    await desk.storage.keep({ days: round % 2 === 0 ? 30 : 60 })
    say('kept')
    await desk.storage.backUp()
    await pause(1)
  }
}

// This process ends when the process that started it ends.
process.stdin.resume().once('end', () => process.exit(1))
const desk = await composeDesk({
  dataDir: told.dataDir,
  scope: benchScope,
  embedded: () => told.url,
  secrets: memorySecrets(),
  printers: createPrinterBoard([createFolderPrinter('folder', join(told.dataDir, 'paper'))]),
  logger: createLogger('child', {
    level: 'error',
    destination: { write: (line) => say(`log ${line.trim()}`) },
  }),
  wrapStore: watched,
  ...quickOptions,
  // The desk reads the lists of the service again every 20 ms.
  index: { pageLength: 20, everyMs: 20, offlineEveryMs: 50, rereadRowsAtStart: 200, rereadRows: 100 },
  freshMs: 60,
  askMs: 250,
})
const scanning: Promise<unknown>[] = []
const beginToScan = (): void => {
  for (let lane = 0; lane < told.lanes; lane++) scanning.push(scanOn(desk))
}
if (told.moment === 'start') beginToScan()
await desk.start()
await desk.session.login({ username: 'sam', password: 'right' })
if (told.moment !== 'start') beginToScan()
if (told.moment === 'retention') scanning.push(tidyUp(desk))
// The first scan that cannot be saved ends this process.
await Promise.all(scanning)
