import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toLabelView } from '#desk/labels/label-view.ts'
import { PrintQueue } from '#desk/paper/print-queue.ts'
import { Prints, scanBack } from '#desk/paper/prints.ts'
import type { PrinterPort, PrintOutcome } from '#desk/ports/printers.ts'
import type { StorePort } from '#desk/ports/store.ts'
import type { LabelId } from '#shared/domain/ids.ts'
import type { PrintState } from '#shared/domain/print-job.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import { describedLabel } from '#support/described-label.ts'
import { fakeClock, printersOf } from '#support/desk-fakes.ts'
import { labelIdOf } from '#support/ids.ts'
import { StoreBench } from '#support/store-bench.ts'

const hash = 'hash'
const code = 'TB00000001'
const trouble = failure('printer.outcome_unknown', { cause: 'paper_out' })
const ends: Record<'partial' | 'unconfirmed', PrintOutcome> = {
  partial: { kind: 'partial', failure: trouble },
  unconfirmed: { kind: 'unconfirmed', failure: trouble },
}

let bench: StoreBench
let store: StorePort
let clock: ReturnType<typeof fakeClock>
let queue: PrintQueue
let prints: Prints
let labelId: LabelId
/** Number of pages of each job that the printer draws. */
let pageCount: number
/** The outcome of each job that the printer sends. */
let outcome: Promise<PrintOutcome>

const page = { widthDots: 8, heightDots: 1, bytes: Uint8Array.of(1), codes: [], hasUnreadBars: false }
const printer: PrinterPort = {
  name: 'p',
  title: 'P',
  folder: null,
  status: () => Promise.resolve({ state: 'ready', failure: null }),
  prepare: () =>
    Promise.resolve(
      ok({ dpi: 203, pages: Array.from({ length: pageCount }, () => page), send: () => outcome }),
    ),
  lookFor: () => Promise.resolve(new Map()),
}

const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
const scan = (): ReturnType<typeof scanBack> => {
  const parts = { jobs: store.printJobs, labels: store.labels, clock, moved: () => undefined }
  return scanBack(parts, labelId, { id: 's', raw: code })
}
const stateOf = (id: string): PrintState | undefined => store.printJobs.get(id)?.state
/** Adds a print of the label and sends it. Resolves when the outcome is stored, or cannot be stored yet. */
async function print(id: string, isReprint = false): Promise<void> {
  store.printJobs.add(labelId, hash, { id, printer: 'p', isReprint, reason: null, at: clock.now() })
  queue.kick()
  await rest()
}

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  clock = fakeClock()
  pageCount = 1
  outcome = Promise.resolve({ kind: 'sent' })
  const parts = {
    jobs: store.printJobs,
    labels: store.labels,
    vault: { put: () => Promise.resolve(hash), read: () => Promise.resolve(new Uint8Array(1)) },
    printers: printersOf(() => [printer]),
    clock,
    moved: () => undefined,
  }
  queue = new PrintQueue({
    ...parts,
    check: () => null,
    printerChanged: () => undefined,
    documentLost: () => undefined,
    onFault: (error) => {
      throw error
    },
  })
  prints = new Prints({
    ...parts,
    prints: queue,
    session: {
      state: () => ({ state: 'signed_in', username: 'eva', roles: [], customer: null, keepsLogin: true }),
    },
  })
  const about = describedLabel('server-1', { trackingCode: code, codes: [code], requested: true })
  labelId = store.labels.adopt(labelIdOf('server-1'), about, clock.now(), clock.now()).id
})
afterEach(async () => {
  await queue.close()
  await bench.dispose()
})

describe('a print of unknown outcome', () => {
  it.each(['partial', 'unconfirmed'] as const)(
    'with several pages keeps its question after a scan while it was sent or later, because a page may be missing (%s)',
    async (kind) => {
      pageCount = 2
      const sent = Promise.withResolvers<PrintOutcome>()
      outcome = sent.promise
      await print('job')
      scan()
      sent.resolve(ends[kind])
      await rest()
      expect(stateOf('job')).toBe('unknown')
      expect(scan()).toBeNull()
      expect(stateOf('job')).toBe('unknown')
      expect(prints.list().open).toMatchObject([{ jobId: 'job', failure: trouble, scanProves: false }])
    },
  )

  it('keeps its question after a scan if it is a reprint, because the scanned paper may be the first print', async () => {
    await print('job')
    scan()
    outcome = Promise.resolve(ends.unconfirmed)
    await print('again', true)
    scan()
    expect([stateOf('job'), stateOf('again')]).toEqual(['scan_confirmed', 'unknown'])
    expect(prints.list().open).toMatchObject([{ jobId: 'again', scanProves: false }])
  })

  it.each([
    [1, 'scan_confirmed'],
    [2, 'unknown'],
    // an earlier version of Scandesk sent the job
    [null, 'unknown'],
  ] as const)(
    'is confirmed after a crash, by an earlier or a later scan, only if it has one page (pages: %s)',
    async (pages, state) => {
      const about = { at: 1, failure: null, evidence: null, file: null }
      const sending = { ...about, ...(pages === null ? {} : { pageCount: pages }) }
      for (const id of ['scanned before', 'scanned after']) {
        store.printJobs.add(labelId, hash, { id, printer: 'p', isReprint: false, reason: null, at: 1 })
        store.printJobs.move(id, 'queued', 'sending', sending)
        if (id === 'scanned before') scan()
        store.close()
        store = await bench.open()
        store.printJobs.recover(clock.now())
        if (id === 'scanned after') scan()
        expect(stateOf(id)).toBe(state)
      }
    },
  )

  it('tells the screens whether a scan of its label confirms it', async () => {
    outcome = Promise.resolve(ends.unconfirmed)
    await print('job')
    expect(prints.list().open).toMatchObject([{ jobId: 'job', scanProves: true }])
    const label = store.labels.get(labelId)
    expect(label && toLabelView(label, { named: () => null }).print).toMatchObject({ scanProves: true })
    scan()
    expect(stateOf('job')).toBe('scan_confirmed')
  })
})
