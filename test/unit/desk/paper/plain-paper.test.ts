import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PlainPaper } from '#desk/paper/plain-paper.ts'
import { PrintQueue } from '#desk/paper/print-queue.ts'
import type { PrinterPort, PrintOutcome, PrintRequest } from '#desk/ports/printers.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { readSymbols } from '#labels/read/read-label.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { drawTestPage } from '#labels/sheets/test-page.ts'
import { createEscposPrinter } from '#printing/escpos-printer.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard, type PrinterBoard } from '#printing/printer-board.ts'
import { planTestPage } from '#shared/domain/test-page.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok } from '#shared/errors/result.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { startFakeEscposPrinter, type FakeEscposPrinter } from '#support/fake-escpos-printer.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

const hash = 'hash'
const timeouts = {
  connectMs: 5_000,
  statusMs: 300,
  stallMs: 2_000,
  labelMs: 500,
  jobMs: 10_000,
  settleMs: 250,
  closeMs: 500,
}

let bench: StoreBench
let store: StorePort
let folder: string
let faults: unknown[]
let queue: PrintQueue
let fake: FakeEscposPrinter | null
let page: Uint8Array

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  folder = await mkdtemp(join(tmpdir(), 'scandesk-plain-'))
  faults = []
  fake = null
  const document = await PDFDocument.create()
  document.addPage([100, 60]).drawRectangle({ x: 10, y: 10, width: 60, height: 30 })
  page = await document.save()
})
afterEach(async () => {
  await queue.close()
  await fake?.close()
  await bench.dispose()
  await rm(folder, { recursive: true, force: true })
})

function open(board: PrinterBoard): PlainPaper {
  const clock = fakeClock()
  queue = new PrintQueue({
    printers: board,
    clock,
    check: () => null,
    jobs: store.printJobs,
    labels: store.labels,
    vault: { put: () => Promise.resolve(hash), read: () => Promise.resolve(page) },
    moved: () => undefined,
    printerChanged: () => undefined,
    documentLost: () => undefined,
    onFault: (error) => faults.push(error),
  })
  return new PlainPaper(queue, clock)
}

/**
 * A printer whose transmissions end when the test releases them. It records the transmissions and how many run at the
 * same time.
 */
function heldPrinter(name = 'held'): PrinterPort & {
  readonly sent: string[]
  most: number
  outcome: () => Promise<PrintOutcome>
  letGo(): void
} {
  let now = 0
  let free: (() => void)[] = []
  const printer = {
    name,
    title: 'Till',
    folder: null,
    sent: [] as string[],
    most: 0,
    outcome: (): Promise<PrintOutcome> => Promise.resolve({ kind: 'sent' }),
    letGo() {
      for (const go of free.splice(0)) go()
    },
    status: () => Promise.resolve({ state: 'ready', failure: null } as const),
    prepare: (request: PrintRequest) =>
      Promise.resolve(
        ok({
          dpi: 203,
          pages: [],
          async send() {
            now++
            printer.most = Math.max(printer.most, now)
            printer.sent.push(request.externalReference ?? '')
            await new Promise<void>((go) => (free = [...free, go]))
            now--
            return printer.outcome()
          },
        }),
      ),
    lookFor: () => Promise.resolve(new Map()),
  }
  return printer
}

const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('PlainPaper', () => {
  it('creates a file and returns its path if the printer is a folder', async () => {
    const paper = open(createPrinterBoard([createFolderPrinter('folder', folder)]))
    const outcome = await paper.print({ printerId: null, document: page, reference: 'commands' })
    expect(outcome).toMatchObject({ kind: 'printed', failure: null })
    expect(outcome.file).toMatch(/2026-03-01-commands-[\w-]+\.pdf$/)
    expect(Buffer.from(await readFile(outcome.file ?? '')).equals(Buffer.from(page))).toBe(true)
    expect(await readdir(folder)).toHaveLength(1)
    expect(store.printJobs.open()).toEqual([])
  })

  it('prints a page exactly once on a network printer', async () => {
    fake = await startFakeEscposPrinter()
    const options = { host: '127.0.0.1', port: fake.port, paperMm: 80, dpi: 203, timeouts } as const
    const paper = open(createPrinterBoard([createEscposPrinter({ ...options, name: 'till' })]))
    const outcome = await paper.print({ printerId: 'till', document: page, reference: 'page' })
    expect(outcome).toEqual({ kind: 'printed', file: null, failure: null })
    expect(fake.jobs).toHaveLength(1)
  })

  it('sends a test page to the printer with every dot unchanged', async () => {
    fake = await startFakeEscposPrinter()
    const options = { host: '127.0.0.1', port: fake.port, paperMm: 80, dpi: 203, timeouts } as const
    const paper = open(createPrinterBoard([createEscposPrinter({ ...options, name: 'till' })]))
    const roll = { dpi: 203, widthDots: 576, heightDots: null }
    const words = { title: 'Test page', lead: 'Till', hint: 'Scan it.', block: 'Even?' }
    const document = await drawTestPage({ run: 'KM', paper: roll, words, date: new Date(0) })
    await paper.print({ printerId: 'till', document, reference: 'test-page' })
    const [label] = fake.jobs.flatMap(({ labels }) => labels)
    if (!label) throw new Error('nothing came out')
    const { marks, heightDots } = planTestPage('KM', roll)
    expect([label.widthDots, label.heightDots]).toEqual([576, heightDots])
    const [drawn] = await rasterise(document, roll, { turn: 0, crop: 'page' })
    expect(Buffer.from(label.bytes).equals(Buffer.from(drawn?.bytes ?? []))).toBe(true)
    const legible = marks.filter(({ moduleDots }) => moduleDots > 1).map(({ code }) => code)
    const seen = (await readSymbols(label, 203)).map(({ text }) => text)
    expect(seen).toEqual(expect.arrayContaining(legible))
  })

  it('returns unknown, and does not send the page again, if the printer closes the connection within a page', async () => {
    fake = await startFakeEscposPrinter({ kind: 'resets', afterBytes: 600 })
    const options = { host: '127.0.0.1', port: fake.port, paperMm: 80, dpi: 203, timeouts } as const
    const paper = open(createPrinterBoard([createEscposPrinter({ ...options, name: 'till' })]))
    const outcome = await paper.print({ printerId: 'till', document: page, reference: 'page' })
    expect(outcome).toMatchObject({ kind: 'unknown', failure: { code: 'printer.outcome_unknown' } })
    fake.behaviour = { kind: 'ready' }
    queue.retryNow()
    const next = await paper.print({ printerId: 'till', document: page, reference: 'next' })
    expect(next.kind).toBe('printed')
    expect(fake.jobs).toHaveLength(1)
  })

  it('returns refused when the printer is unreachable or unknown, or the document is unreadable', async () => {
    fake = await startFakeEscposPrinter()
    const { port } = fake
    await fake.close()
    const options = { host: '127.0.0.1', port, paperMm: 80, dpi: 203, timeouts } as const
    const paper = open(createPrinterBoard([createEscposPrinter({ ...options, name: 'till' })]))
    const print = (printerId: string, document = page): ReturnType<PlainPaper['print']> =>
      paper.print({ printerId, document, reference: 'page' })
    expect(await print('till')).toMatchObject({ kind: 'refused', failure: { code: 'printer.refused' } })
    expect(queue.conditionOf('till').state).toBe('refused')
    expect(await print('other')).toMatchObject({ kind: 'refused', failure: { code: 'printer.refused' } })
    const nonsense = new TextEncoder().encode('nonsense')
    expect(await print('till', nonsense)).toMatchObject({
      kind: 'refused',
      failure: { code: 'document.not_a_pdf' },
    })
    fake = null
  })

  it('prints a page after the job that is being sent and before the next job, and never sends two pages at once', async () => {
    const printer = heldPrinter()
    const paper = open(createPrinterBoard([printer]))
    for (const id of ['one', 'two'])
      store.printJobs.add(makeLabel(store).id, hash, {
        id,
        printer: 'held',
        isReprint: false,
        reason: null,
        at: 1,
      })
    queue.kick()
    await rest()
    const first = printer.sent.length
    const outcomes = [
      paper.print({ printerId: 'held', document: page, reference: 'page' }),
      paper.print({ printerId: null, document: page, reference: 'sheet' }),
    ]
    await rest()
    expect([first, printer.sent.length]).toEqual([1, 1])
    for (let turn = 0; turn < 6; turn++) {
      printer.letGo()
      await rest()
    }
    expect(printer.sent.slice(1, 3)).toEqual(['page', 'sheet'])
    expect(printer.sent).toHaveLength(4)
    expect(printer.most).toBe(1)
    expect(await Promise.all(outcomes)).toEqual([
      { kind: 'sent', file: null, failure: null },
      { kind: 'sent', file: null, failure: null },
    ])
  })

  it('returns `unknown` if the driver throws while it sends a page, and `refused` if it throws while it prepares a page', async () => {
    const printer = heldPrinter()
    printer.outcome = () => Promise.reject(new Error('broke'))
    const paper = open(createPrinterBoard([printer]))
    const outcome = paper.print({ printerId: null, document: page, reference: 'page' })
    await rest()
    printer.letGo()
    expect(await outcome).toMatchObject({ kind: 'unknown', failure: { code: 'printer.outcome_unknown' } })
    printer.prepare = () => Promise.reject(new Error('broke'))
    const next = await paper.print({ printerId: null, document: page, reference: 'page' })
    expect(next).toMatchObject({ kind: 'refused', failure: { code: 'document.unreadable' } })
    expect(faults).toHaveLength(2)
  })

  it('completes the print under way, and starts no other print, after the print queue begins to close', async () => {
    const printer = heldPrinter()
    const paper = open(createPrinterBoard([printer]))
    const before = paper.print({ printerId: null, document: page, reference: 'before' })
    const waiting = paper.print({ printerId: null, document: page, reference: 'waiting' })
    await rest()
    const closed = queue.close()
    printer.letGo()
    await closed
    const after = paper.print({ printerId: null, document: page, reference: 'after' })
    expect(await before).toMatchObject({ kind: 'sent' })
    expect([await waiting, await after]).toMatchObject([{ kind: 'refused' }, { kind: 'refused' }])
    expect(printer.sent).toEqual(['before'])
  })

  it('returns the reason when the document does not fit on the paper of the printer', async () => {
    const printer = heldPrinter()
    printer.prepare = () =>
      Promise.resolve(fail('printer.paper_too_narrow', { neededMm: 82, printableMm: 48 }))
    const paper = open(createPrinterBoard([printer]))
    const outcome = await paper.print({ printerId: null, document: page, reference: 'page' })
    expect(outcome.failure).toEqual(failure('printer.paper_too_narrow', { neededMm: 82, printableMm: 48 }))
    expect(queue.conditionOf('held').state).toBe('unknown')
  })
})
