import type { LabelId } from '#shared/domain/ids.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PrinterPort, PrintEvidence, PrintOutcome } from '#desk/ports/printers.ts'
import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { type DocumentLoss, PrintLine } from '#desk/paper/print-line.ts'
import { PrintQueue } from '#desk/paper/print-queue.ts'
import type { PrintHold, PrintPlacement } from '#shared/domain/print-job.ts'
import { deskStopped, failure, type Failure } from '#shared/errors/catalogue.ts'
import { CataloguedError, ok } from '#shared/errors/result.ts'
import { fakeClock, printersOf } from '#support/desk-fakes.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
let store: StorePort
let clock: ReturnType<typeof fakeClock>
let outcomes: PrintOutcome[]
let printed: { jobId: string; isReprint: boolean; printer: string; stateThen: string | undefined }[]
/** An action of the operator that happens while a job is drawn, or while its missing document is read. */
let meanwhile: () => void
let prepared: { jobId: string; placement: PrintPlacement | null }[]
let unprepared: Failure[]
let holds: (PrintHold | null)[]
let evidence: PrintEvidence | null
/**
 * The ids of the jobs in each call of `lookFor`, which asks a printer for evidence that the jobs were printed.
 * `isSilent`: the printers do not respond to these calls.
 */
let looked: string[][]
let isSilent: boolean
let labelId: LabelId
let driverFault: Error | null
let faults: unknown[]
/** How many of the next reads of documents fail, as with a locked file. Reads of the document `hash` never fail. */
let unreadable: number
/** Resolves when a printer has printed the paper of a job. */
let paperOut: Promise<unknown>
/** The labels of which the queue reported a change, one entry per report. */
let movedLabels: LabelId[]
/** The labels whose document was requested again. */
let lost: DocumentLoss[]
const hash = 'hash'

const troubles = failure('printer.refused')
const details = { at: 1, failure: null, evidence: null, file: null }

function printerCalled(name: string): PrinterPort {
  return {
    name,
    title: `Printer ${name}`,
    folder: null,
    status: () => Promise.resolve({ state: 'ready', failure: null }),
    prepare({ jobId, isReprint, placement }) {
      prepared.push({ jobId, placement })
      meanwhile()
      meanwhile = () => undefined
      const failing = unprepared.shift()
      if (failing) return Promise.resolve({ ok: false, error: failing })
      const send = async (): Promise<PrintOutcome> => {
        printed.push({ jobId, isReprint, printer: name, stateThen: store.printJobs.get(jobId)?.state })
        if (driverFault) throw driverFault
        await paperOut
        return outcomes.shift() ?? { kind: 'confirmed', evidence: 'seen', file: '/f' }
      }
      return Promise.resolve(ok({ dpi: 203, pages: [], send }))
    },
    lookFor(requests) {
      looked.push(requests.map(({ jobId }) => jobId))
      const proof = evidence
      const found = new Map(proof ? requests.map(({ jobId }) => [jobId, proof]) : [])
      return isSilent ? new Promise(() => undefined) : Promise.resolve(found)
    },
  }
}

function open(
  jobs = store.printJobs,
  namesNow = () => ['p'],
  made = new Map(['p', 'q', 'folder'].map((name) => [name, printerCalled(name)])),
): PrintQueue {
  return new PrintQueue({
    printers: printersOf(() => {
      for (const name of namesNow()) if (!made.has(name)) made.set(name, printerCalled(name))
      return [...made.values()].filter(({ name }) => namesNow().includes(name))
    }),
    clock,
    check: () => holds.shift() ?? null,
    jobs,
    labels: store.labels,
    // this store of label PDFs reads no files, so that a print needs only a few turns of the event loop
    vault: {
      put: () => Promise.resolve(hash),
      read(name) {
        if (name === hash) return Promise.resolve(new TextEncoder().encode('%PDF-1.7'))
        if (unreadable-- > 0) return Promise.reject(new CataloguedError('store.unavailable'))
        meanwhile()
        return Promise.resolve(null)
      },
    },
    moved: (label) => movedLabels.push(label),
    printerChanged: () => undefined,
    documentLost: (loss) => lost.push(loss),
    onFault: (error) => faults.push(error),
  })
}

/** Closes the queue. Returns the number of print lines that it closed; each prints the jobs of one printer. */
async function closedLines(queue: PrintQueue): Promise<number> {
  const close = vi.spyOn(PrintLine.prototype, 'close')
  await queue.close()
  const { length } = close.mock.calls
  close.mockRestore()
  return length
}

const newest = (): PrintJobRow | null => store.labels.get(labelId)?.print ?? null
const state = (): string | undefined => newest()?.state
const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  clock = fakeClock()
  outcomes = []
  printed = []
  prepared = []
  meanwhile = () => undefined
  unprepared = []
  holds = []
  evidence = null
  looked = []
  isSilent = false
  driverFault = null
  paperOut = Promise.resolve()
  movedLabels = []
  faults = []
  unreadable = 0
  lost = []
  labelId = makeLabel(store).id
  store.printJobs.add(labelId, hash, { id: 'job', printer: 'p', isReprint: false, reason: null, at: 1 })
})
afterEach(async () => {
  expect(faults).toEqual([])
  await bench.dispose()
})

describe('PrintQueue', () => {
  it('stores the state `sending` of a job before the printer gets the first byte', async () => {
    open().start()
    await rest()
    expect(printed).toEqual([{ jobId: 'job', isReprint: false, printer: 'p', stateThen: 'sending' }])
    expect(newest()).toMatchObject({ state: 'confirmed', file: '/f' })
  })

  it('prints a refused job again after a pause, without a request of the operator', async () => {
    outcomes = [{ kind: 'refused', failure: troubles }]
    const queue = open()
    queue.start()
    await rest()
    expect(state()).toBe('refused')
    expect(queue.conditionOf('p').state).toBe('refused')
    clock.advance(2_000)
    await rest()
    expect(state()).toBe('confirmed')
    expect(printed).toHaveLength(2)
    expect(queue.conditionOf('p').state).toBe('ready')
  })

  it.each(['document.not_a_pdf', 'document.too_large', 'document.unreadable'] as const)(
    'ends a job whose document cannot be printed (%s), and prints the next job',
    async (code) => {
      const other = makeLabel(store).id
      store.printJobs.add(other, hash, { id: 'behind', printer: 'p', isReprint: false, reason: null, at: 2 })
      unprepared = [failure(code)]
      const queue = open()
      queue.start()
      await rest()
      expect(newest()).toMatchObject({ state: 'failed', failure: { code } })
      expect(store.printJobs.get('behind')?.state).toBe('confirmed')
      expect(queue.conditionOf('p').state).toBe('ready')
      clock.advance(3600_000)
      await rest()
      expect(printed.map(({ jobId }) => jobId)).toEqual(['behind'])
      queue.reprint(labelId, hash, { newest: newest(), reason: 'damaged', printer: 'p', decided: null })
      await rest()
      // nothing was printed before, so the new print is no reprint
      expect(newest()).toMatchObject({ isReprint: false, reason: 'damaged', state: 'confirmed' })
    },
  )

  it('stores the outcome of a print, without printing again, when a full disk accepts writes again', async () => {
    let isFull = true
    const queue = open({
      ...store.printJobs,
      move(id, from, to, move) {
        if (isFull && to === 'confirmed') throw new CataloguedError('store.full')
        return store.printJobs.move(id, from, to, move)
      },
    })
    queue.start()
    await rest()
    expect(state()).toBe('sending')
    isFull = false
    clock.advance(2_000)
    await rest()
    expect(state()).toBe('confirmed')
    expect(printed).toHaveLength(1)
    expect(faults.splice(0)).toHaveLength(1)
  })

  it('stores a job as unknown when the driver throws, because the paper may have been printed', async () => {
    driverFault = new Error('driver')
    open().start()
    await rest()
    expect(state()).toBe('unknown')
    expect(printed).toHaveLength(1)
    expect(faults.splice(0)).toEqual([driverFault])
  })

  it('searches after a restart for evidence that a job was printed if its outcome was already unknown before the restart', async () => {
    store.printJobs.move('job', 'queued', 'sending', details)
    store.printJobs.recover(1)
    evidence = { evidence: 'seen', file: '/f' }
    open().start()
    await rest()
    expect(state()).toBe('confirmed')
    expect(printed).toEqual([])
  })

  it('queries a silent printer once about all its jobs of unknown outcome, and prints its next job after 15 seconds', async () => {
    for (const id of ['job', 'job-2', 'job-3']) {
      store.printJobs.add(labelId, hash, { id, printer: 'p', isReprint: false, reason: null, at: 2 })
      store.printJobs.move(id, 'queued', 'sending', details)
    }
    store.printJobs.add(labelId, hash, { id: 'next', printer: 'p', isReprint: false, reason: null, at: 3 })
    isSilent = true
    open().start()
    await rest()
    expect(looked.filter((jobs) => jobs.length > 0)).toEqual([['job', 'job-2', 'job-3']])
    // the next job waits, because the printer may delete its records of old jobs after a new job
    expect(printed).toEqual([])
    clock.advance(15_000)
    await rest()
    expect(printed.map(({ jobId }) => jobId)).toEqual(['next'])
    expect(state()).toBe('confirmed')
    expect(store.printJobs.get('job')?.state).toBe('unknown')
  })

  it('moves waiting jobs of a removed printer to another one, but not a job that may have been printed', async () => {
    const waiting = { printer: 'old', isReprint: false, reason: null }
    store.printJobs.add(labelId, hash, { ...waiting, id: 'elsewhere', at: 2 })
    store.printJobs.add(labelId, hash, { ...waiting, id: 'cut', at: 3 })
    store.printJobs.move('cut', 'queued', 'sending', details)
    open().start()
    // the queue reports a change of the label, so that the card of the label shows the new printer
    expect(movedLabels).toEqual([labelId])
    await rest()
    expect(printed.map(({ jobId }) => jobId)).toEqual(['job', 'elsewhere'])
    expect(store.printJobs.get('cut')).toMatchObject({ state: 'unknown', printer: 'old' })
  })

  it('sends a refused job at once to the first printer in the list if the job’s own printer was removed', async () => {
    outcomes = [{ kind: 'refused', failure: troubles }]
    const queue = open(store.printJobs, () => (printed.length === 0 ? ['p'] : ['folder']))
    queue.start()
    await rest()
    expect(newest()).toMatchObject({ state: 'confirmed', printer: 'folder' })
    expect(queue.conditionOf('folder').state).toBe('ready')
  })

  it.each(['partial', 'unconfirmed'] as const)(
    'stores the state unknown for a print with the outcome %s, and does not print it again',
    async (kind) => {
      outcomes = [{ kind, failure: failure('printer.outcome_unknown') }]
      open().start()
      clock.advance(3600_000)
      await rest()
      expect(state()).toBe('unknown')
      expect(printed).toHaveLength(1)
    },
  )

  it.each(['sent', 'spooled'] as const)(
    'stores a print with the outcome %s in the state of the same name',
    async (kind) => {
      outcomes = [{ kind }]
      open().start()
      await rest()
      expect(state()).toBe(kind)
    },
  )

  it('stores the state `unknown` for a job that a crash interrupted, with the cause that Scandesk was stopped', async () => {
    store.printJobs.move('job', 'queued', 'sending', details)
    open().start()
    await rest()
    expect(newest()).toMatchObject({ state: 'unknown', failure: { params: { cause: deskStopped } } })
    expect(printed).toEqual([])
  })

  it('stores the state `confirmed` for a job that a crash interrupted if there is evidence that the job was printed', async () => {
    store.printJobs.move('job', 'queued', 'sending', details)
    evidence = { evidence: '/f', file: '/f' }
    open().start()
    await rest()
    expect(newest()).toMatchObject({ state: 'confirmed', file: '/f' })
  })

  it('stores a job as failed, and requests its document, when the document is missing', async () => {
    const job = { printer: 'p', isReprint: false, reason: null, at: 2 }
    store.labels.documentStored(labelId, 'no-such-hash', { ...job, id: 'job-2' })
    const queue = open()
    queue.start()
    await rest()
    expect(newest()).toMatchObject({ id: 'job-2', state: 'failed', failure: { code: 'document.missing' } })
    expect(lost).toEqual([{ labelId, wasStored: true }])
    // the failure of `job-2` has removed the PDF from the label, so the failure of `job-3` is not the loss of a stored
    // PDF
    store.printJobs.add(labelId, 'no-such-hash', { ...job, id: 'job-3' })
    queue.kick()
    await rest()
    expect(lost.slice(1)).toEqual([{ labelId, wasStored: false }])
  })

  it.each([3, Infinity])(
    'requests the document of a job again after three failed reads of it, and prints the next job (failed reads: %d)',
    async (failed) => {
      store.printJobs.move('job', 'queued', 'failed', details)
      const job = { printer: 'p', isReprint: false, reason: null, at: 2 }
      store.printJobs.add(labelId, 'locked', { ...job, id: 'job-2' })
      store.printJobs.add(makeLabel(store).id, hash, { ...job, id: 'behind', at: 3 })
      unreadable = failed
      const queue = open()
      queue.start()
      await rest()
      expect([store.printJobs.get('job-2')?.state, printed]).toEqual(['queued', []])
      for (let tries = 0; tries < 3; tries++) {
        clock.advance(5_000)
        await rest()
      }
      expect(store.printJobs.get('job-2')).toMatchObject({
        state: 'failed',
        failure: { code: 'document.missing' },
      })
      expect(lost).toEqual([{ labelId, wasStored: false }])
      expect(printed.map(({ jobId }) => jobId)).toEqual(['behind'])
      expect(faults.splice(0)).toHaveLength(Math.min(failed, 3))
    },
  )

  it('does not request the missing document of a job that the operator discarded while the job was prepared', async () => {
    store.printJobs.move('job', 'queued', 'failed', details)
    const job = { id: 'job-2', printer: 'p', isReprint: false, reason: null, at: 2 }
    store.printJobs.add(labelId, 'no-such-hash', job)
    meanwhile = () => store.printJobs.move('job-2', 'queued', 'failed', details)
    open().start()
    await rest()
    expect([state(), lost]).toEqual(['failed', []])
  })

  it('reprints a label of unknown outcome in a new job, marked as a reprint, and closes the old job', async () => {
    outcomes = [{ kind: 'partial', failure: troubles }]
    const queue = open()
    queue.start()
    await rest()
    queue.reprint(labelId, hash, { newest: newest(), reason: 'damaged', printer: 'p', decided: null })
    await rest()
    expect(store.printJobs.get('job')?.state).toBe('failed')
    expect(newest()).toMatchObject({ isReprint: true, state: 'confirmed' })
  })

  it('does not queue a second print of a label while the first still waits', async () => {
    outcomes = [{ kind: 'refused', failure: troubles }]
    const queue = open()
    queue.start()
    await rest()
    queue.reprint(labelId, hash, { newest: newest(), reason: 'damaged', printer: 'p', decided: null })
    await rest()
    expect(newest()).toMatchObject({ id: 'job', state: 'confirmed' })
    expect(printed.map(({ jobId }) => jobId)).toEqual(['job', 'job'])
  })

  it('keeps the existing job when a job with the same id is added', () => {
    store.printJobs.add(labelId, hash, { id: 'job', printer: 'p', isReprint: true, reason: null, at: 9 })
    expect(store.printJobs.get('job')).toMatchObject({ isReprint: false, createdAt: 1 })
  })

  it('holds a job whose document does not fit on the paper, and prints the next job', async () => {
    const other = makeLabel(store).id
    store.printJobs.add(other, hash, { id: 'behind', printer: 'p', isReprint: false, reason: null, at: 2 })
    unprepared = [failure('printer.paper_too_narrow', { neededMm: 105, printableMm: 48 })]
    open().start()
    await rest()
    expect(newest()).toMatchObject({
      state: 'queued',
      hold: { kind: 'does_not_fit', neededMm: 105, printableMm: 48 },
    })
    expect(printed.map(({ jobId }) => jobId)).toEqual(['behind'])
  })

  it('holds a job if the check of its pages returns a reason, until an operator releases the job', async () => {
    holds = [{ kind: 'nothing_readable' }]
    const queue = open()
    queue.start()
    clock.advance(3600_000)
    await rest()
    expect(newest()).toMatchObject({ state: 'queued', hold: { kind: 'nothing_readable' } })
    expect(printed).toEqual([])
    holds = [{ kind: 'nothing_readable' }]
    store.printJobs.change(
      'job',
      { at: 2, by: 'eva', decision: 'print_anyway', details: 'seen' },
      { do: 'release' },
    )
    queue.retryNow()
    await rest()
    expect(state()).toBe('confirmed')
  })

  it('checks a job again after an operator changed its placement', async () => {
    holds = [{ kind: 'nothing_readable' }, { kind: 'nothing_readable' }]
    const queue = open()
    queue.start()
    await rest()
    const placement = { turn: 90, crop: 'page' } as const
    const note = { at: 2, by: 'eva', decision: 'place', details: null }
    store.printJobs.change('job', note, { do: 'place', placement })
    queue.retryNow()
    await rest()
    expect(prepared).toEqual([
      { jobId: 'job', placement: null },
      { jobId: 'job', placement },
    ])
    expect(newest()).toMatchObject({ hold: { kind: 'nothing_readable' }, placement })
  })

  it('prints in parallel on two printers, and one job at a time on each', async () => {
    const other = makeLabel(store).id
    store.printJobs.add(other, hash, { id: 'second', printer: 'q', isReprint: false, reason: null, at: 2 })
    store.printJobs.add(other, hash, { id: 'third', printer: 'p', isReprint: false, reason: null, at: 3 })
    outcomes = [{ kind: 'refused', failure: troubles }]
    open(store.printJobs, () => ['p', 'q']).start()
    await rest()
    expect(printed.map(({ jobId, printer }) => `${jobId} ${printer}`)).toEqual(['job p', 'second q'])
    clock.advance(2_000)
    await rest()
    expect(printed.map(({ jobId, printer }) => `${jobId} ${printer}`)).toEqual([
      'job p',
      'second q',
      'job p',
      'third p',
    ])
  })

  it('prints a job only on its new printer when the job was moved while it was drawn for the old printer', async () => {
    const note = { at: 2, by: 'eva', decision: 'move', details: 'q' }
    meanwhile = () => void store.printJobs.change('job', note, { do: 'move', printer: 'q' })
    const queue = open(store.printJobs, () => ['p', 'q'])
    queue.start()
    await rest()
    queue.retryNow()
    await rest()
    expect(printed.map(({ jobId, printer }) => `${jobId} ${printer}`)).toEqual(['job q'])
  })

  it('places a job, or discards it, as the operator chose while the job was being drawn', async () => {
    const placement = { turn: 90, crop: 'page' } as const
    const note = { at: 2, by: 'eva', decision: 'place', details: null }
    meanwhile = () => void store.printJobs.change('job', note, { do: 'place', placement })
    open().start()
    await rest()
    expect(prepared.map((one) => one.placement)).toEqual([null, placement])
    expect(printed).toHaveLength(1)
    store.printJobs.add(labelId, hash, {
      id: 'unwanted',
      printer: 'p',
      isReprint: false,
      reason: null,
      at: 3,
    })
    meanwhile = () => void store.printJobs.move('unwanted', 'queued', 'failed', details)
    open().start()
    await rest()
    expect(printed).toHaveLength(1)
  })
})

describe('PrintQueue with printers that change', () => {
  describe('PrintQueue with a job that is held because it does not fit on the paper', () => {
    const narrow = (printableMm: number): Failure =>
      failure('printer.paper_too_narrow', { neededMm: 105, printableMm })
    let names: string[]
    let made: Map<string, PrinterPort>
    let queue: PrintQueue
    const change = (): Promise<void> => queue.printersChanged().then(rest)
    beforeEach(async () => {
      names = ['q', 'p']
      made = new Map(names.map((name) => [name, printerCalled(name)]))
      unprepared = [narrow(48)]
      queue = open(store.printJobs, () => names, made)
      queue.start()
      await rest()
      expect(newest()?.hold).toMatchObject({ kind: 'does_not_fit', printableMm: 48 })
    })

    it('prints the job when it fits after a change of the settings of its printer, and prints no job that is held for another reason', async () => {
      store.printJobs.add(labelId, hash, { id: 'other', printer: 'p', isReprint: false, reason: null, at: 2 })
      store.printJobs.hold('other', { kind: 'nothing_readable' })
      made.set('q', printerCalled('q'))
      await change()
      expect(prepared).toHaveLength(1)
      made.set('p', printerCalled('p'))
      unprepared = [narrow(72)]
      await change()
      expect(store.printJobs.get('job')?.hold).toMatchObject({ kind: 'does_not_fit', printableMm: 72 })
      made.set('p', printerCalled('p'))
      await change()
      expect(printed.map(({ jobId, printer }) => `${jobId} ${printer}`)).toEqual(['job p'])
    })

    it('prints the job on the first printer of the list when the printer of the job has been removed', async () => {
      names = ['q']
      await change()
      expect(newest()).toMatchObject({ state: 'confirmed', printer: 'q' })
    })

    it('prints the job after a restart, because the settings may have changed while no desk of this station ran', async () => {
      await queue.close()
      queue = open(store.printJobs, () => names, made)
      queue.start()
      await rest()
      expect(newest()).toMatchObject({ state: 'confirmed', printer: 'p' })
    })
  })

  it('keeps a PrintLine only for the two current printers after 1,000 changes of the printers', async () => {
    let names = ['p']
    const queue = open(store.printJobs, () => names)
    queue.start()
    await rest()
    for (let change = 0; change < 1_000; change++) {
      names = [`p${change}`, `q${change}`]
      await queue.printersChanged()
      await rest()
    }
    expect(await closedLines(queue)).toBe(2)
  })

  it('prints one job at a time on a printer that was removed and added again during a job', async () => {
    let names = ['p', 'q']
    const out = Promise.withResolvers<undefined>()
    paperOut = out.promise
    const queue = open(store.printJobs, () => names)
    queue.start()
    await rest()
    names = ['q']
    await queue.printersChanged()
    names = ['p', 'q']
    await queue.printersChanged()
    store.printJobs.add(labelId, hash, { id: 'next', printer: 'p', isReprint: false, reason: null, at: 2 })
    queue.kick()
    await rest()
    expect(printed.map(({ jobId }) => jobId)).toEqual(['job'])
    out.resolve(undefined)
    await rest()
    expect(printed.map(({ jobId }) => jobId)).toEqual(['job', 'next'])
    expect(await closedLines(queue)).toBe(2)
  })

  it('completes a print that belongs to no print job, although its printer is removed during the print, and then keeps no PrintLine of this printer', async () => {
    let names = ['p', 'q']
    store.printJobs.move('job', 'queued', 'failed', details)
    const close = vi.spyOn(PrintLine.prototype, 'close')
    const queue = open(store.printJobs, () => names)
    const out = Promise.withResolvers<undefined>()
    paperOut = out.promise
    const print = queue.printPlain('q', {
      jobId: 'plain',
      document: new Uint8Array(),
      isReprint: false,
      placement: null,
      externalReference: null,
      createdAt: 1,
    })
    await rest()
    names = ['p']
    await queue.printersChanged()
    expect(close).not.toHaveBeenCalled()
    out.resolve(undefined)
    expect(await print).toMatchObject({ kind: 'confirmed' })
    await rest()
    await queue.printersChanged()
    expect(close).toHaveBeenCalledOnce()
    close.mockRestore()
    expect(await closedLines(queue)).toBe(1)
  })
})
