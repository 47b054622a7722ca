import { labelIdOf } from '#support/ids.ts'
import type { LabelId } from '#shared/domain/ids.ts'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PrinterPort, PrintOutcome } from '#desk/ports/printers.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { PrintQueue } from '#desk/paper/print-queue.ts'
import { Prints, scanBack } from '#desk/paper/prints.ts'
import { toLabelView } from '#desk/labels/label-view.ts'
import type { PrintDecision, PrintLine } from '#shared/bridge/print-views.ts'
import { asksAboutPrint, type PrintState } from '#shared/domain/print-job.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import { fakeClock, printersOf } from '#support/desk-fakes.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'
import { describedLabel } from '#support/described-label.ts'

const hash = 'hash'
let bench: StoreBench
let store: StorePort
let clock: ReturnType<typeof fakeClock>
let prints: Prints
let queue: PrintQueue
let labelId: LabelId
/** Number of pages of each job that a printer draws. */
let pageCount: number
/** The outcome of each job that a printer sends. */
let outcome: Promise<PrintOutcome>

const laid = { turn: 90, part: 'ink' } as const
const bytes = Uint8Array.of(0b1010_0000)
function printerCalled(name: string): PrinterPort {
  return {
    name,
    title: `Printer ${name}`,
    folder: null,
    status: () => Promise.resolve({ state: 'ready', failure: null }),
    prepare: () =>
      Promise.resolve(
        ok({
          dpi: 203,
          pages: Array.from({ length: pageCount }, () => {
            return { widthDots: 3, heightDots: 1, bytes, codes: [name], hasUnreadBars: false, laid }
          }),
          send: () => outcome,
        }),
      ),
    lookFor: () => Promise.resolve(new Map()),
  }
}

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  clock = fakeClock()
  pageCount = 1
  outcome = Promise.resolve({ kind: 'sent' })
  const all = [printerCalled('p'), printerCalled('q')]
  const printers = printersOf(() => all)
  const parts = {
    jobs: store.printJobs,
    labels: store.labels,
    vault: {
      put: () => Promise.resolve(hash),
      read: () => Promise.resolve(new Uint8Array(1)),
    },
    printers,
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
  labelId = makeLabel(store).id
  store.printJobs.add(labelId, hash, { id: 'job', printer: 'p', isReprint: false, reason: null, at: 1 })
})
afterEach(async () => {
  await queue.close()
  await bench.dispose()
})

const details = { at: 1, failure: null, evidence: null, file: null, pageCount: 1 }
function moveTo(...states: PrintState[]): void {
  let from: PrintState = 'queued'
  for (const state of states) {
    expect(store.printJobs.move('job', from, state, details)).toBe(true)
    from = state
  }
}
function shown(): PrintLine {
  const { open, notScanned } = prints.list()
  const line = [...open, ...notScanned].find(({ jobId }) => jobId === 'job')
  if (!line) throw new Error('not shown')
  return line
}
const decide = async (decision: PrintDecision): Promise<boolean> =>
  (await prints.decide({ ...shown(), decision })).ok
/** Runs an action on desk.db through another connection. */
function withFile<R>(action: (file: Database.Database) => R): R {
  const file = new Database(join(bench.dataDir, 'desk.db'))
  try {
    return action(file)
  } finally {
    file.close()
  }
}
const job = (): ReturnType<StorePort['printJobs']['get']> => store.printJobs.get('job')
const newest = (): ReturnType<StorePort['printJobs']['get']> => store.labels.get(labelId)?.print ?? null

describe('the list of prints', () => {
  it('has the oldest 200 jobs with a question, the oldest 200 jobs without a question, and the number of jobs left out', () => {
    for (let number = 0; number < 420; number++) {
      const id = `job ${number}`
      store.printJobs.add(labelId, hash, { id, printer: 'p', isReprint: false, reason: null, at: 1 })
      if (number % 2 === 0) store.printJobs.hold(id, { kind: 'nothing_readable' })
    }
    expect(store.printJobs.openCounts()).toEqual({ asking: 210, waiting: 211 })
    const { open, moreOpen } = prints.list()
    const asking = open.filter(({ hold }) => hold !== null).map(({ jobId }) => jobId)
    expect(asking).toEqual(Array.from({ length: 200 }, (_, at) => `job ${at * 2}`))
    expect(open).toHaveLength(400)
    expect(open.map(({ jobId }) => jobId).at(-1)).toBe('job 398')
    expect(moreOpen).toBe(21)
  })

  it('has the newest 200 printed labels that were not scanned, and the number of labels left out', () => {
    moveTo('sending', 'sent')
    // one statement, because 600 durable writes of the store take several seconds
    withFile((file) => {
      file.pragma('foreign_keys = off')
      file.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 203)
        INSERT INTO print_jobs (id, scope, label_id, document_hash, printer, is_reprint, created_at, state, state_at)
        SELECT 'job ' || n, scope, 'label ' || n, document_hash, printer, 0, 1, state, ${String(clock.now())}
        FROM numbers, print_jobs WHERE id = 'job'`)
    })
    const { notScanned, moreNotScanned } = prints.list()
    expect(notScanned.map(({ jobId }) => jobId)).toEqual(
      Array.from({ length: 200 }, (_, at) => `job ${203 - at}`),
    )
    // the print `job` does not count, because it was sent more than 24 hours ago
    expect(moreNotScanned).toBe(3)
  })

  it('counts a held job as asking in exactly the states in which asksAboutPrint() returns true', () => {
    for (const state of ['queued', 'sending', 'refused', 'unknown'] as const) {
      const before = store.printJobs.openCounts()
      const id = `job in ${state}`
      store.printJobs.add(labelId, hash, { id, printer: 'p', isReprint: false, reason: null, at: 1 })
      store.printJobs.hold(id, { kind: 'nothing_readable' })
      if (state !== 'queued') store.printJobs.move(id, 'queued', 'sending', details)
      if (state !== 'queued' && state !== 'sending') store.printJobs.move(id, 'sending', state, details)
      expect(store.printJobs.get(id)).toMatchObject({ state, hold: { kind: 'nothing_readable' } })
      expect(store.printJobs.openCounts().asking - before.asking).toBe(asksAboutPrint(state, true) ? 1 : 0)
    }
  })
})

describe('a print in the list of prints', () => {
  it('is confirmed, if its outcome was unknown, when the operator decides that the paper came out', async () => {
    moveTo('sending', 'unknown')
    expect(shown().choices).toEqual(['came_out', 'print_again'])
    expect(await decide({ kind: 'came_out' })).toBe(true)
    expect(job()).toMatchObject({ state: 'confirmed' })
  })

  it('is replaced by a new job, marked as a reprint, when the operator decides that no paper came out', async () => {
    moveTo('sending', 'unknown')
    expect(await decide({ kind: 'print_again', reason: 'not_out' })).toBe(true)
    expect(job()).toMatchObject({ state: 'failed', failure: { code: 'printer.outcome_unknown' } })
    expect(newest()).toMatchObject({ state: 'queued', isReprint: true, reason: 'not_out' })
  })

  it('is printed again from the PDF that is now stored for its label, even if that PDF differs from the PDF of the first print', async () => {
    moveTo('sending', 'unknown')
    store.labels.documentStored(labelId, 'other bytes', null)
    expect(await decide({ kind: 'print_again', reason: 'damaged' })).toBe(true)
    expect(newest()).toMatchObject({ state: 'queued', documentHash: 'other bytes', reason: 'damaged' })
  })

  it('logs the decision to print it again', async () => {
    moveTo('sending', 'unknown')
    expect(await decide({ kind: 'print_again', reason: 'not_out' })).toBe(true)
    const decisions = withFile((file) =>
      file.prepare('SELECT job_id, at, decided_by, decision, details FROM print_decisions').all(),
    )
    const at = clock.now()
    expect(decisions).toEqual([
      { job_id: 'job', at, decided_by: 'eva', decision: 'print_again', details: 'not_out' },
    ])
  })

  it('keeps its question, and logs no decision, when the new print that would replace it cannot be stored', async () => {
    moveTo('sending', 'unknown')
    withFile((file) =>
      file.exec(`CREATE TRIGGER full BEFORE INSERT ON print_jobs BEGIN SELECT RAISE(ABORT, 'full'); END`),
    )
    await expect(decide({ kind: 'print_again', reason: 'not_out' })).rejects.toThrow()
    expect(shown()).toMatchObject({ state: 'unknown', choices: ['came_out', 'print_again'] })
    expect(withFile((file) => file.prepare('SELECT * FROM print_decisions').all())).toEqual([])
  })

  it('accepts the same decision only once, and refuses its repetition with queue.moved_on', async () => {
    moveTo('sending', 'unknown')
    const line = shown()
    const twice = [1, 2].map(() =>
      prints.decide({ ...line, decision: { kind: 'print_again', reason: 'not_out' } }),
    )
    expect((await Promise.all(twice)).map(({ ok }) => ok)).toEqual([true, false])
    expect(
      await prints.decide({ ...line, decision: { kind: 'print_again', reason: 'not_out' } }),
    ).toMatchObject({
      ok: false,
      error: { code: 'queue.moved_on' },
    })
    const { open, notScanned } = prints.list()
    expect([...open, ...notScanned]).toHaveLength(1)
  })

  it('can be turned or cropped, moved to another printer or released while it is held, and discarded after its release', async () => {
    store.printJobs.hold('job', { kind: 'nothing_readable' })
    expect(shown()).toMatchObject({
      hold: { kind: 'nothing_readable' },
      choices: ['place', 'move', 'print_anyway', 'give_up'],
    })
    expect(store.printJobs.due('p')).toBeNull()
    expect(await decide({ kind: 'place', placement: { turn: 90, crop: 'page' } })).toBe(true)
    expect(store.printJobs.due('p')).toMatchObject({ placement: { turn: 90, crop: 'page' }, hold: null })
    store.printJobs.hold('job', { kind: 'nothing_readable' })
    expect(await decide({ kind: 'move', printer: 'q' })).toBe(true)
    expect(store.printJobs.due('q')).toMatchObject({ id: 'job', hold: null })
    store.printJobs.hold('job', { kind: 'nothing_readable' })
    expect(await decide({ kind: 'print_anyway', reason: 'looked at it' })).toBe(true)
    expect(store.printJobs.due('q')).toMatchObject({ isReleased: true, hold: null })
    expect(await decide({ kind: 'give_up', reason: 'not wanted' })).toBe(true)
    expect(job()).toMatchObject({ state: 'failed', failure: { code: 'printer.given_up' } })
  })

  it('cannot be moved if it may already have been printed', async () => {
    for (const state of ['sending', 'unknown'] as const) {
      moveTo(...(state === 'sending' ? (['sending'] as const) : []))
      if (state === 'unknown') store.printJobs.move('job', 'sending', 'unknown', details)
      expect(shown().choices).not.toContain('move')
      expect(await decide({ kind: 'move', printer: 'q' })).toBe(false)
      expect(
        store.printJobs.change(
          'job',
          { at: 1, by: null, decision: 'move', details: null },
          { do: 'move', printer: 'q' },
        ),
      ).toBe(false)
    }
    expect(job()).toMatchObject({ printer: 'p' })
  })

  it('cannot be moved to a printer that is not set up', async () => {
    store.printJobs.move('job', 'queued', 'sending', details)
    store.printJobs.move('job', 'sending', 'refused', { ...details, failure: failure('printer.refused') })
    expect(shown().choices).toEqual(['retry', 'move', 'give_up'])
    expect(await decide({ kind: 'move', printer: 'nowhere' })).toBe(false)
    expect(job()).toMatchObject({ printer: 'p', state: 'refused' })
  })

  it('shows, on the job and on the label, the codes of its document that the desk does not recognise', () => {
    store.printJobs.noteUnlisted('job', ['JVGL01'])
    const label = store.labels.get(labelId)
    expect(shown().unlisted).toEqual(['JVGL01'])
    expect(label && toLabelView(label, { named: () => null }).print?.unlisted).toEqual(['JVGL01'])
  })

  it('has a preview that contains every dot of the page', async () => {
    expect(await prints.preview({ jobId: 'job' })).toEqual({
      ok: true,
      value: { dpi: 203, pages: [{ widthDots: 3, heightDots: 1, rows: bytes, codes: ['p'], laid }] },
    })
  })
})

describe('a printed label', () => {
  /** Adds a label of the service with this id and this code. Returns its local id. */
  const described = (id: string, code: string): LabelId => {
    const made = store.labels.adopt(
      labelIdOf(id),
      describedLabel(id, { trackingCode: code, codes: [code], requested: true }),
      clock.now(),
      clock.now(),
    )
    return made.id
  }
  const print = (id: LabelId, ...states: PrintState[]): void => {
    const at = clock.now()
    store.printJobs.add(id, hash, { id: `job ${id}`, printer: 'p', isReprint: false, reason: null, at })
    states.reduce((from: PrintState, to) => {
      expect(store.printJobs.move(`job ${id}`, from, to, { ...details, at })).toBe(true)
      return to
    }, 'queued')
  }
  const scan = (id: LabelId, raw: string): ReturnType<typeof scanBack> =>
    scanBack({ jobs: store.printJobs, labels: store.labels, clock, moved: () => undefined }, id, {
      id: 's',
      raw,
    })

  it('confirms its print job, whose outcome was unknown, when it is scanned', () => {
    const one = described('server-1', 'TB00000001')
    print(one, 'sending', 'unknown')
    expect(scan(one, 'TB00000001')).toBeNull()
    expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state: 'scan_confirmed' })
  })

  it('is removed from the list of printed but unscanned labels when it is scanned', () => {
    const one = described('server-1', 'TB00000001')
    print(one, 'sending', 'sent')
    expect(prints.list().notScanned.map((line) => line.labelId)).toEqual([one])
    scan(one, 'TB00000001')
    expect(prints.list().notScanned).toEqual([])
  })

  it('does not confirm its print job when a code that is not on the label, such as the code of its shipment, is scanned', () => {
    const one = described('server-1', 'TB00000001')
    print(one, 'sending', 'sent')
    scan(one, 'SHP00000000001')
    expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state: 'sent' })
  })

  it.each<[PrintState, PrintState[]]>([
    ['unknown', ['sending', 'unknown']],
    ['sent', ['sending', 'sent']],
  ])(
    'does not confirm its print job, whose state is %s, when a reference that the sender of the parcel can know is scanned',
    (state, states) => {
      // codes that do not confirm the print: the service may use the order number, or a code with the reference of the
      // shipment, as the code of a parcel
      const known = ['WEB-1001.R', 'WEB-1001', '421', 'SHP00000000001/1']
      const one = store.labels.make(
        {
          ...{ id: labelIdOf('one'), shipmentId: 's', shipmentReference: 'SHP00000000001' },
          ...{ shippingMethodId: null, wishedReference: '421', sender: null, madeBy: null },
          ...{ at: clock.now(), commands: [] },
        },
        () => null,
      ).id
      const codes = [...known, 'TB00000001']
      const said = { externalReference: 'WEB-1001.R', trackingCode: 'TB00000001', codes, requested: true }
      store.labels.describe(one, describedLabel('server-1', said), clock.now(), clock.now())
      print(one, ...states)
      for (const text of [...known, 'web-1001.r', 'https://shop.example/WEB-1001.R'])
        expect(scan(one, text)).toBeNull()
      expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state })
      scan(one, 'TB00000001')
      expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state: 'scan_confirmed' })
    },
  )

  it('whose only code is its external reference is confirmed by the operator, and not by a scan', async () => {
    const { id } = store.labels.adopt(
      labelIdOf('server-1'),
      describedLabel('server-1', { externalReference: 'WEB-1001.R', codes: ['WEB-1001.R'], requested: true }),
      clock.now(),
      clock.now(),
    )
    print(id, 'sending', 'unknown')
    scan(id, 'WEB-1001.R')
    const line = prints.list().open.find((one) => one.labelId === id)
    expect(line).toMatchObject({ state: 'unknown', choices: ['came_out', 'print_again'] })
    const wish = { jobId: line?.jobId ?? '', version: line?.version ?? '' }
    await prints.decide({ ...wish, decision: { kind: 'came_out' } })
    expect(store.printJobs.get(`job ${id}`)).toMatchObject({ state: 'confirmed' })
  })

  it('counts as scanned, in the list and for warnings about swapped labels, after its reprint was scanned', () => {
    const one = described('server-1', 'TB00000001')
    const other = described('server-2', 'TB00000002')
    print(one, 'sending', 'sent')
    store.printJobs.add(one, hash, { id: 'again', printer: 'p', isReprint: true, reason: 'damaged', at: 1 })
    const at = clock.now()
    store.printJobs.move('again', 'queued', 'sending', { ...details, at })
    store.printJobs.move('again', 'sending', 'sent', { ...details, at })
    expect(prints.list().notScanned.map(({ jobId }) => jobId)).toEqual(['again'])
    scan(one, 'TB00000001')
    expect(store.printJobs.get('again')).toMatchObject({ state: 'scan_confirmed' })
    expect(prints.list().notScanned).toEqual([])
    expect(scan(other, 'TB00000002')).toBeNull()
  })

  it('counts as scanned after its scan also if it was printed from a file in the label folder', () => {
    const one = described('server-1', 'TB00000001')
    print(one, 'sending')
    const saved = { ...details, at: clock.now(), evidence: '/f', file: '/f' }
    store.printJobs.move(`job ${one}`, 'sending', 'confirmed', saved)
    expect(scan(one, 'TB00000001')).toBeNull()
    expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state: 'scan_confirmed', file: '/f' })
  })

  it.each([
    ['was given up', 'printer.given_up', 'sent'],
    ['failed, once the printed label was scanned', 'document.unreadable', 'scan_confirmed'],
  ] as const)('shows its first print, and not its reprint, after the reprint %s', (_, code, state) => {
    const one = described('server-1', 'TB00000001')
    print(one, 'sending', 'sent')
    store.printJobs.add(one, hash, { id: 'again', printer: 'p', isReprint: true, reason: 'lost', at: 1 })
    const at = clock.now()
    store.printJobs.move('again', 'queued', 'failed', { ...details, at, failure: failure(code) })
    if (state === 'scan_confirmed') {
      expect(store.labels.get(one)?.print).toMatchObject({ id: 'again', state: 'failed' })
      scan(one, 'TB00000001')
    }
    expect(store.labels.get(one)?.print).toMatchObject({ id: `job ${one}`, state })
  })

  it('shows its failed or abandoned print if no paper can have come out', () => {
    const one = described('server-1', 'TB00000001')
    print(one, 'failed')
    store.printJobs.add(one, hash, { id: 'again', printer: 'p', isReprint: false, reason: null, at: 1 })
    store.printJobs.move('again', 'queued', 'failed', { ...details, failure: failure('printer.given_up') })
    expect(store.labels.get(one)?.print).toMatchObject({ id: 'again', state: 'failed' })
  })

  it('is still listed, and is confirmed by its scan, after its reprint was given up without a print', () => {
    const one = described('server-1', 'TB00000001')
    print(one, 'sending', 'sent')
    store.printJobs.add(one, hash, { id: 'again', printer: 'p', isReprint: true, reason: 'lost', at: 1 })
    expect(prints.list().notScanned).toEqual([])
    store.printJobs.move('again', 'queued', 'failed', { ...details, failure: failure('printer.given_up') })
    expect(prints.list().notScanned.map(({ jobId }) => jobId)).toEqual([`job ${one}`])
    expect(scan(one, 'TB00000001')).toBeNull()
    expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state: 'scan_confirmed' })
    expect(prints.list().notScanned).toEqual([])
  })

  it('is not confirmed by a scan that may be of its reprint, whose outcome was unknown', () => {
    const one = described('server-1', 'TB00000001')
    print(one, 'sending', 'sent')
    store.printJobs.add(one, hash, { id: 'again', printer: 'p', isReprint: true, reason: 'lost', at: 1 })
    for (const [from, to] of [
      ['queued', 'sending'],
      ['sending', 'unknown'],
      ['unknown', 'failed'],
    ] as const)
      store.printJobs.move('again', from, to, { ...details, failure: failure('printer.outcome_unknown') })
    expect(prints.list().notScanned).toEqual([])
    scan(one, 'TB00000001')
    expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state: 'sent' })
  })

  describe('a printed label that is scanned while its print job is being sent', () => {
    const trouble = failure('printer.outcome_unknown')
    const outcomes: Record<PrintOutcome['kind'], PrintOutcome> = {
      sent: { kind: 'sent' },
      spooled: { kind: 'spooled' },
      confirmed: { kind: 'confirmed', evidence: 'seen', file: null },
      partial: { kind: 'partial', failure: trouble },
      unconfirmed: { kind: 'unconfirmed', failure: trouble },
      refused: { kind: 'refused', failure: failure('printer.refused') },
    }
    const rest = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    /** Sends a job, scans the label while it is sent, then ends the job with an outcome. Returns the id of the job. */
    const scanDuring = async (one: LabelId, isReprint: boolean, end: PrintOutcome): Promise<string> => {
      store.printJobs.move('job', 'queued', 'failed', details)
      const sent = Promise.withResolvers<PrintOutcome>()
      outcome = sent.promise
      const id = `job ${one}`
      store.printJobs.add(one, hash, { id, printer: 'p', isReprint, reason: null, at: clock.now() })
      queue.start()
      await rest()
      expect(store.printJobs.get(id)).toMatchObject({ state: 'sending' })
      expect(scan(one, 'TB00000001')).toBeNull()
      expect(store.printJobs.get(id)).toMatchObject({ state: 'sending' })
      sent.resolve(end)
      await rest()
      return id
    }

    it.each<[PrintOutcome['kind'], boolean, PrintState]>([
      ['sent', false, 'scan_confirmed'],
      ['sent', true, 'scan_confirmed'],
      ['spooled', false, 'scan_confirmed'],
      ['confirmed', false, 'scan_confirmed'],
      ['confirmed', true, 'scan_confirmed'],
      ['partial', false, 'scan_confirmed'],
      // the scanned paper may be an earlier print of the label
      ['partial', true, 'unknown'],
      ['unconfirmed', false, 'scan_confirmed'],
      ['unconfirmed', true, 'unknown'],
      ['refused', false, 'refused'],
      ['refused', true, 'refused'],
    ])(
      'counts as scanned unless the outcome of the job contradicts it (outcome %s, reprint %s: %s)',
      async (kind, isReprint, state) => {
        const one = described('server-1', 'TB00000001')
        const id = await scanDuring(one, isReprint, outcomes[kind])
        expect(store.printJobs.get(id)).toMatchObject({ state })
      },
    )

    it('does not count as scanned if the printer printed only a part of its pages', async () => {
      pageCount = 2
      const one = described('server-1', 'TB00000001')
      const id = await scanDuring(one, false, outcomes.partial)
      expect(store.printJobs.get(id)).toMatchObject({ state: 'unknown', failure: trouble })
    })

    it('does not count as scanned if the job wrote a file to the label folder', async () => {
      const one = described('server-1', 'TB00000001')
      const id = await scanDuring(one, false, { kind: 'confirmed', evidence: '/f', file: '/f' })
      expect(store.printJobs.get(id)).toMatchObject({ state: 'confirmed', file: '/f' })
    })

    it('counts as scanned after a crash, except a reprint, whose outcome is then unknown', async () => {
      const one = described('server-1', 'TB00000001')
      const two = described('server-2', 'TB00000002')
      print(one, 'sending')
      print(two, 'sending', 'sent')
      store.printJobs.add(two, hash, { id: 'again', printer: 'p', isReprint: true, reason: 'lost', at: 1 })
      store.printJobs.move('again', 'queued', 'sending', details)
      expect([scan(one, 'TB00000001'), scan(two, 'TB00000002')]).toEqual([null, null])
      store.close()
      store = await bench.open()
      store.printJobs.recover(clock.now())
      expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state: 'scan_confirmed', failure: null })
      expect(store.printJobs.get('again')).toMatchObject({ state: 'unknown' })
    })

    it('does not count as scanned after a crash in the next attempt if the printer had refused the first attempt', async () => {
      const one = described('server-1', 'TB00000001')
      const id = await scanDuring(one, false, outcomes.refused)
      store.printJobs.move(id, 'refused', 'queued', details)
      store.printJobs.move(id, 'queued', 'sending', details)
      store.printJobs.recover(clock.now())
      expect(store.printJobs.get(id)).toMatchObject({ state: 'unknown' })
    })

    it('does not count as scanned if only a reference was scanned that the sender of the parcel can know', () => {
      const said = {
        externalReference: 'WEB-1.R',
        trackingCode: 'TB00000001',
        codes: ['WEB-1.R', 'TB00000001'],
      }
      const about = describedLabel('server-1', { ...said, requested: true })
      const one = store.labels.adopt(labelIdOf('server-1'), about, clock.now(), clock.now()).id
      print(one, 'sending')
      scan(one, 'WEB-1.R')
      store.printJobs.recover(clock.now())
      expect(store.printJobs.get(`job ${one}`)).toMatchObject({ state: 'unknown' })
    })

    it('is not reported as swapped with an earlier label that was not scanned', () => {
      const one = described('server-1', 'TB00000001')
      const other = described('server-2', 'TB00000002')
      print(one, 'sending', 'sent')
      print(other, 'sending')
      expect(scan(other, 'TB00000002')).toBeNull()
    })
  })

  it('a label is reported as possibly swapped if it was not scanned and, within ten minutes after its print, a label is scanned that this desk did not print', () => {
    const one = described('server-1', 'TB00000001')
    const other = described('server-2', 'TB00000002')
    print(one, 'sending', 'sent')
    expect(scan(other, 'TB00000002')).toMatchObject({ labelId: one })
    clock.advance(11 * 60_000)
    expect(scan(other, 'TB00000002')).toBeNull()
  })
})
