/**
 * A desk in its own process that only prints, without a service. Its only argument is JSON (`Given`). It writes `begun`
 * to stdout before it sends a job, and `idle` as soon as no job waits for a printer.
 */
import type { StorePort } from '#desk/ports/store.ts'
import { createLogger } from '#kit/logger.ts'
import { createEscposPrinter } from '#printing/escpos-printer.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { createZplPrinter } from '#printing/zpl-printer.ts'
import { memorySecrets, quickOptions } from '#support/desk-bench.ts'
import { zplOptions } from '#support/zpl-options.ts'
import { composeDesk } from '../../../electron/compose-desk.ts'
import { given, printerNames, scope } from './site.ts'

const told = given.parse(JSON.parse(process.argv[2] ?? ''))
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const timeouts = {
  connectMs: 1_000,
  statusMs: 300,
  stallMs: 1_000,
  labelMs: 1_500,
  jobMs: 30_000,
  // The time limit is the same as in the product, because a printer on a busy machine reports an interruption late.
  settleMs: 250,
  closeMs: 500,
}
let jobs: StorePort['printJobs'] | null = null

const desk = await composeDesk({
  dataDir: told.dataDir,
  scope,
  embedded: () => null,
  secrets: memorySecrets(),
  printers: createPrinterBoard([
    createZplPrinter({
      name: printerNames.zpl,
      host: '127.0.0.1',
      port: told.zplPort,
      widthMm: 104,
      dpi: 203,
      ...zplOptions,
      timeouts: { ...timeouts, pollMs: 5, othersMs: 200, inchMs: 1 },
    }),
    createEscposPrinter({
      name: printerNames.escpos,
      host: '127.0.0.1',
      port: told.escposPort,
      paperMm: 104,
      dpi: 203,
      timeouts,
    }),
    createFolderPrinter(printerNames.folder, told.folder),
  ]),
  logger: createLogger('child', {
    level: 'error',
    destination: { write: (line) => say(`log ${line.trim()}`) },
  }),
  wrapStore(store) {
    const wrapped = telling(told.control ? resendingUnknown(store) : store)
    jobs = wrapped.printJobs
    return wrapped
  },
  ...quickOptions,
})
await desk.start()
const watch = setInterval(() => {
  const waits = jobs?.open().some(({ state, hold }) => state !== 'unknown' && hold === null) ?? true
  if (waits) return
  clearInterval(watch)
  say('idle')
}, 20)

/** Writes `begun` when a job is about to be sent. */
function telling(store: StorePort): StorePort {
  const move: StorePort['printJobs']['move'] = (id, from, to, details) => {
    const isMoved = store.printJobs.move(id, from, to, details)
    if (isMoved && to === 'sending') say('begun')
    return isMoved
  }
  return { ...store, printJobs: { ...store.printJobs, move } }
}

/**
 * Returns a store with a deliberate fault that the suite must find (control `resend`): the desk prints a label again if
 * the outcome of its print is unknown.
 */
function resendingUnknown(store: StorePort): StorePort {
  const { printJobs } = store
  return {
    ...store,
    printJobs: {
      ...printJobs,
      move: (id, from, to, details) => printJobs.move(id, from, to === 'unknown' ? 'refused' : to, details),
      recover(at) {
        const details = { at, failure: null, evidence: null, file: null }
        for (const job of printJobs.open())
          if (job.state === 'sending') printJobs.move(job.id, 'sending', 'refused', details)
      },
    },
  }
}
