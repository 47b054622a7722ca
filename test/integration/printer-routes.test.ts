import { labelIdOf } from '#support/ids.ts'
import type { LabelId } from '#shared/domain/ids.ts'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LabelDocuments } from '#desk/paper/label-documents.ts'
import { PrintQueue } from '#desk/paper/print-queue.ts'
import { Prints } from '#desk/paper/prints.ts'
import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { createLine } from '#desk/service/line.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { createPrinter } from '#printing/printer-kinds.ts'
import { createPrinterBoard, type PrinterBoard } from '#printing/printer-board.ts'
import type { PrintLine } from '#shared/bridge/print-views.ts'
import { plainLayout, type PrinterEntry, type PrintRoute } from '#shared/bridge/printer-views.ts'
import { eventually } from '#support/desk-bench.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { type FakeZplPrinter, startFakeZplPrinter } from '#support/fake-zpl-printer.ts'
import { labelSpec } from '#support/label-specs.ts'
import { StoreBench } from '#support/store-bench.ts'
import { zplOptions } from '#support/zpl-options.ts'
import { describedLabel } from '#support/described-label.ts'

const label = await drawLabel(labelSpec())
const sheet = await drawLabel(labelSpec({ layout: 'sheet' }))
const routes: readonly PrintRoute[] = [
  { paper: 'return_label', size: 'label', printerId: 'dock' },
  { paper: 'return_label', size: 'page', printerId: 'office' },
]

let bench: StoreBench
let store: StorePort
let clock: ReturnType<typeof fakeClock>
let zebra: FakeZplPrinter
let board: PrinterBoard
let queue: PrintQueue
let prints: Prints
let documents: LabelDocuments
/** The document that the service returns for each label. */
let document: Uint8Array
let number = 0

function dockAt(port: number): PrinterEntry {
  return {
    id: 'dock',
    title: 'Zebra at the dock',
    settings: {
      kind: 'zpl',
      host: '127.0.0.1',
      port,
      widthMm: 104,
      dpi: 203,
      ...zplOptions,
      inchesPerSecond: 14,
    },
    layout: plainLayout,
  }
}
const office: PrinterEntry = {
  id: 'office',
  title: 'Office',
  settings: { kind: 'folder' },
  layout: plainLayout,
}
const driver = (entry: PrinterEntry): ReturnType<typeof createPrinter> =>
  createPrinter(entry, join(bench.dataDir, 'office'))

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  clock = fakeClock()
  zebra = await startFakeZplPrinter()
  // The first printer writes files to a folder. It is used if no route applies, so the second printer receives only
  // documents that a route sends to it.
  board = createPrinterBoard([driver(office), driver(dockAt(zebra.port))])
  board.route(routes)
  const onFault = (error: unknown): void => {
    throw error
  }
  const parts = { ...store, jobs: store.printJobs, printers: board, clock, moved: () => undefined, onFault }
  queue = new PrintQueue({
    ...parts,
    check: () => null,
    printerChanged: () => undefined,
    documentLost: () => undefined,
  })
  prints = new Prints({
    ...parts,
    prints: queue,
    session: {
      state: () => ({ state: 'signed_in', username: 'eva', roles: [], customer: null, keepsLogin: true }),
    },
  })
  documents = new LabelDocuments({
    ...parts,
    api: {
      ...unusedApi,
      downloadDocument: () =>
        Promise.resolve({ kind: 'answer', status: 200, value: document, serverDate: null }),
    },
    session: { withAccess: (call) => call('token') },
    line: createLine(clock, () => undefined),
    moved: () => queue.kick(),
  })
  queue.start()
})
afterEach(async () => {
  await documents.close()
  await queue.close()
  await zebra.close()
  await bench.dispose()
})

/**
 * Stores a label that another desk requested, as if this desk had read it from the service, and prints it. `pdf`: the
 * document of the label. Returns its id when its print is in the queue.
 */
async function wanted(pdf: Uint8Array): Promise<LabelId> {
  number++
  document = pdf
  const id = labelIdOf(`label-${String(number)}`)
  store.labels.adopt(id, describedLabel(`server-${String(number)}`, { requested: true }), 1, 1)
  documents.print(id, null)
  documents.fetch(id, 'https://files/label.pdf')
  await eventually(() => store.labels.get(id)?.print)
  return id
}
const jobOf = (labelId: LabelId): PrintJobRow | null => store.labels.get(labelId)?.print ?? null
const inState = (labelId: LabelId, state: PrintJobRow['state']): Promise<PrintJobRow> =>
  eventually(() => {
    const job = jobOf(labelId)
    return job?.state === state && job
  })
function lineOf(labelId: LabelId): PrintLine {
  const { open, notScanned } = prints.list()
  const line = [...open, ...notScanned].find((one) => one.labelId === labelId)
  if (!line) throw new Error('not shown')
  return line
}
const filesOf = async (): Promise<number> => {
  const files = await readdir(join(bench.dataDir, 'office'))
  return files.filter((name) => name.endsWith('.pdf')).length
}

describe('routes of a station', () => {
  it('send a label to the printer of labels and an A4 sheet to the printer of sheets', async () => {
    const small = await wanted(label)
    const large = await wanted(sheet)
    expect(await inState(small, 'confirmed')).toMatchObject({ printer: 'dock', file: null })
    expect(await inState(large, 'confirmed')).toMatchObject({ printer: 'office' })
    expect(zebra.printed).toHaveLength(1)
    expect(await filesOf()).toBe(1)
    expect(lineOf(small)).toMatchObject({ printer: 'dock', printerTitle: 'Zebra at the dock' })
  })

  it('send the reprint of a label to the printer of labels', async () => {
    const small = await wanted(label)
    await inState(small, 'confirmed')
    const decided = await prints.decide({
      ...lineOf(small),
      decision: { kind: 'print_again', reason: 'damaged' },
    })
    expect(decided.ok).toBe(true)
    await eventually(() => zebra.printed.length === 2)
    expect(await inState(small, 'confirmed')).toMatchObject({ printer: 'dock', isReprint: true })
    expect(await filesOf()).toBe(0)
  })

  it('keep a refused print at its printer until the operator moves the print to another printer', async () => {
    zebra.behaviour = { kind: 'wrong', wrong: 'paper_out' }
    const id = await wanted(label)
    await inState(id, 'refused')
    for (let minute = 0; minute < 5; minute++) {
      const asked = zebra.commands.length
      clock.advance(60_000)
      await eventually(() => zebra.commands.length > asked)
      await inState(id, 'refused')
    }
    expect(jobOf(id)).toMatchObject({
      printer: 'dock',
      failure: { params: { printer: 'Zebra at the dock', cause: 'paper_out' } },
    })
    const line = lineOf(id)
    const moves = ['office', 'office'].map((printer) =>
      prints.decide({ ...line, decision: { kind: 'move', printer } }),
    )
    expect((await Promise.all(moves)).map(({ ok }) => ok)).toEqual([true, false])
    expect(await inState(id, 'confirmed')).toMatchObject({ printer: 'office' })
    zebra.behaviour = { kind: 'ready' }
    clock.advance(60_000)
    queue.retryNow()
    expect(await filesOf()).toBe(1)
    expect(zebra.printed).toEqual([])
  })

  it('that name a missing printer lead to the first printer of the list', async () => {
    board.use([driver(office)])
    await queue.printersChanged()
    expect(await inState(await wanted(label), 'confirmed')).toMatchObject({ printer: 'office' })
  })

  it('assign an unreadable document to the first printer, and its print fails', async () => {
    const id = await wanted(new TextEncoder().encode('%PDF-1.7 and no more'))
    expect(await inState(id, 'failed')).toMatchObject({
      printer: 'office',
      failure: { code: 'document.unreadable' },
    })
  })
})

describe('a printer that is removed from the list', () => {
  it('hands its waiting prints to the first printer, but leaves a print with an unknown outcome to the operator', async () => {
    // The connection broke while the label was sent, so the outcome is unknown.
    zebra.behaviour = { kind: 'resets', afterBytes: 900, answers: true }
    const cut = await wanted(label)
    await inState(cut, 'unknown')
    zebra.behaviour = { kind: 'wrong', wrong: 'cover_open' }
    const waiting = await wanted(label)
    await inState(waiting, 'refused')

    board.use([driver(office)])
    await queue.printersChanged()
    expect(await inState(waiting, 'confirmed')).toMatchObject({ printer: 'office' })
    expect(await filesOf()).toBe(1)
    expect(lineOf(cut)).toMatchObject({
      state: 'unknown',
      printer: 'dock',
      // The title of the removed printer is unknown.
      printerTitle: 'dock',
      choices: ['came_out', 'print_again'],
    })
    expect((await prints.decide({ ...lineOf(cut), decision: { kind: 'came_out' } })).ok).toBe(true)
    expect(jobOf(cut)).toMatchObject({ state: 'confirmed', printer: 'dock' })
    expect(await filesOf()).toBe(1)
  })

  it('does not get the repeated print of a label whose first print had an unknown outcome; the printer of the present route gets it', async () => {
    zebra.behaviour = { kind: 'resets', afterBytes: 900, answers: true }
    const cut = await wanted(label)
    await inState(cut, 'unknown')
    board.use([driver(office)])
    await queue.printersChanged()
    const decided = await prints.decide({
      ...lineOf(cut),
      decision: { kind: 'print_again', reason: 'not_out' },
    })
    expect(decided.ok).toBe(true)
    expect(await inState(cut, 'confirmed')).toMatchObject({ printer: 'office', isReprint: true })
  })
})
