import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PrinterPort, PrintOutcome } from '#desk/ports/printers.ts'
import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { PrintQueue } from '#desk/paper/print-queue.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
let store: StorePort
let clock: ReturnType<typeof fakeClock>
let outcomes: PrintOutcome[]
let printed: { jobId: string; isReprint: boolean; stateThen: string | undefined }[]
let evidence: { evidence: string; file: string | null } | null
let labelId: string
let driverFault: Error | null
let faults: unknown[]
let lost: string[]
const hash = 'hash'

const troubles = failure('printer.refused')
const details = { at: 1, failure: null, evidence: null, file: null }

function open(jobs = store.printJobs, nameNow = () => 'p'): PrintQueue {
  const printer: PrinterPort = {
    get name() {
      return nameNow()
    },
    folder: null,
    status: () => Promise.resolve({ state: 'ready', failure: null }),
    print({ jobId, isReprint }) {
      printed.push({ jobId, isReprint, stateThen: store.printJobs.get(jobId)?.state })
      if (driverFault) throw driverFault
      return Promise.resolve(outcomes.shift() ?? { kind: 'confirmed', evidence: 'seen', file: '/f' })
    },
    lookFor: () => Promise.resolve(evidence),
  }
  return new PrintQueue({
    printer,
    clock,
    jobs,
    labels: store.labels,
    // in memory, so that a few turns of the event loop are all that a print takes
    vault: {
      put: () => Promise.resolve(hash),
      read: (name) => Promise.resolve(name === hash ? new TextEncoder().encode('%PDF-1.7') : null),
    },
    moved: () => undefined,
    printerChanged: () => undefined,
    documentLost: ({ id }) => lost.push(id),
    onFault: (error) => faults.push(error),
  })
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
  evidence = null
  driverFault = null
  faults = []
  lost = []
  labelId = makeLabel(store).id
  store.printJobs.add(labelId, hash, { id: 'job', printer: 'p', isReprint: false, at: 1 })
})
afterEach(async () => {
  expect(faults).toEqual([])
  await bench.dispose()
})

describe('the print queue', () => {
  it('has noted that it sends before the printer gets the first byte', async () => {
    await open().start()
    await rest()
    expect(printed).toEqual([{ jobId: 'job', isReprint: false, stateThen: 'sending' }])
    expect(newest()).toMatchObject({ state: 'confirmed', file: '/f' })
  })

  it('tries again by itself only when nothing reached the printer', async () => {
    outcomes = [{ kind: 'refused', failure: troubles }]
    const queue = open()
    await queue.start()
    await rest()
    expect(state()).toBe('refused')
    expect(queue.printerState).toBe('refused')
    clock.advance(2_000)
    await rest()
    expect(state()).toBe('confirmed')
    expect(printed).toHaveLength(2)
    expect(queue.printerState).toBe('ready')
  })

  it.each(['printer.paper_too_narrow', 'document.not_a_pdf', 'document.unreadable'] as const)(
    'gives up a document that this printer can never print (%s), and prints what waits behind it',
    async (code) => {
      const other = makeLabel(store).id
      store.printJobs.add(other, hash, { id: 'behind', printer: 'p', isReprint: false, at: 2 })
      outcomes = [{ kind: 'refused', failure: failure(code) }]
      const queue = open()
      await queue.start()
      await rest()
      expect(newest()).toMatchObject({ state: 'failed', failure: { code } })
      expect(store.printJobs.get('behind')?.state).toBe('confirmed')
      expect(queue.printerState).toBe('ready')
      clock.advance(3600_000)
      await rest()
      expect(printed.map(({ jobId }) => jobId)).toEqual(['job', 'behind'])
      queue.reprint(labelId, hash, newest())
      await rest()
      expect(newest()).toMatchObject({ isReprint: true, state: 'confirmed' })
    },
  )

  it('writes down what the printer said as soon as the disk takes it again', async () => {
    let isFull = true
    const queue = open({
      ...store.printJobs,
      move(id, from, to, move) {
        if (isFull && to === 'confirmed') throw new CataloguedError('store.full')
        return store.printJobs.move(id, from, to, move)
      },
    })
    await queue.start()
    await rest()
    expect(state()).toBe('sending')
    isFull = false
    clock.advance(2_000)
    await rest()
    expect(state()).toBe('confirmed')
    expect(printed).toHaveLength(1)
    expect(faults.splice(0)).toHaveLength(1)
  })

  it('holds a job whose driver fell over: there may be paper', async () => {
    driverFault = new Error('driver')
    await open().start()
    await rest()
    expect(state()).toBe('unknown')
    expect(printed).toHaveLength(1)
    expect(faults.splice(0)).toEqual([driverFault])
  })

  it('looks for the paper of every unknown job at a start, not only of those it just found cut short', async () => {
    store.printJobs.move('job', 'queued', 'sending', details)
    store.printJobs.recover(1)
    evidence = { evidence: 'seen', file: '/f' }
    await open().start()
    await rest()
    expect(state()).toBe('confirmed')
    expect(printed).toEqual([])
  })

  it('sends what waits to another printer, and nothing that may have reached the old one', async () => {
    store.printJobs.add(labelId, hash, { id: 'elsewhere', printer: 'old', isReprint: false, at: 2 })
    store.printJobs.add(labelId, hash, { id: 'cut', printer: 'old', isReprint: false, at: 3 })
    store.printJobs.move('cut', 'queued', 'sending', details)
    await open().start()
    await rest()
    expect(printed.map(({ jobId }) => jobId)).toEqual(['job', 'elsewhere'])
    expect(store.printJobs.get('cut')).toMatchObject({ state: 'unknown', printer: 'old' })
  })

  it('sends to the other printer at once what the old one refused after it was exchanged', async () => {
    outcomes = [{ kind: 'refused', failure: troubles }]
    const queue = open(store.printJobs, () => (printed.length === 0 ? 'p' : 'folder'))
    await queue.start()
    await rest()
    expect(newest()).toMatchObject({ state: 'confirmed', printer: 'folder' })
    expect(queue.printerState).toBe('ready')
  })

  it.each(['partial', 'unconfirmed'] as const)('holds a %s print for the operator', async (kind) => {
    outcomes = [{ kind, failure: failure('printer.outcome_unknown') }]
    await open().start()
    clock.advance(3600_000)
    await rest()
    expect(state()).toBe('unknown')
    expect(printed).toHaveLength(1)
  })

  it.each(['sent', 'spooled'] as const)('calls %s what it is', async (kind) => {
    outcomes = [{ kind }]
    await open().start()
    await rest()
    expect(state()).toBe(kind)
  })

  it('holds what a crash cut short, unless the printer can show it', async () => {
    store.printJobs.move('job', 'queued', 'sending', details)
    await open().start()
    await rest()
    expect(state()).toBe('unknown')
    expect(printed).toEqual([])
  })

  it('believes evidence after a crash', async () => {
    store.printJobs.move('job', 'queued', 'sending', details)
    evidence = { evidence: '/f', file: '/f' }
    await open().start()
    await rest()
    expect(newest()).toMatchObject({ state: 'confirmed', file: '/f' })
  })

  it('fails a job whose document is gone', async () => {
    store.printJobs.add(labelId, 'no-such-hash', { id: 'job-2', printer: 'p', isReprint: false, at: 2 })
    await open().start()
    await rest()
    expect(newest()).toMatchObject({ id: 'job-2', state: 'failed', failure: { code: 'document.missing' } })
    expect(lost).toEqual(['job-2'])
  })

  it('reprints as a job of its own, marked, and closes one nobody knows about', async () => {
    outcomes = [{ kind: 'partial', failure: troubles }]
    const queue = open()
    await queue.start()
    await rest()
    queue.reprint(labelId, hash, newest())
    await rest()
    expect(store.printJobs.get('job')?.state).toBe('failed')
    expect(newest()).toMatchObject({ isReprint: true, state: 'confirmed' })
  })

  it('does not queue a second print behind one that still waits', async () => {
    outcomes = [{ kind: 'refused', failure: troubles }]
    const queue = open()
    await queue.start()
    await rest()
    queue.reprint(labelId, hash, newest())
    await rest()
    expect(newest()).toMatchObject({ id: 'job', state: 'confirmed' })
    expect(printed.map(({ jobId }) => jobId)).toEqual(['job', 'job'])
  })

  it('adds a job once', () => {
    store.printJobs.add(labelId, hash, { id: 'job', printer: 'p', isReprint: true, at: 9 })
    expect(store.printJobs.get('job')).toMatchObject({ isReprint: false, createdAt: 1 })
  })
})
