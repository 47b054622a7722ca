import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PrinterCondition, PrinterPort, PrintOutcome } from '#desk/ports/printers.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { PrintLine } from '#desk/paper/print-line.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import { fakeClock, printersOf } from '#support/desk-fakes.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

const hash = 'hash'
const ready: PrinterCondition = { state: 'ready', failure: null }
const warned: PrinterCondition = {
  state: 'ready',
  failure: failure('printer.prints_again', { printer: 'p' }),
}
const perhapsRefused: PrintOutcome = {
  kind: 'refused',
  failure: failure('printer.refused'),
  isOfDocument: 'perhaps',
}
const refusing = (cause: string): PrinterCondition => ({
  state: 'refused',
  failure: failure('printer.refused', { printer: 'p', cause }),
})

let bench: StoreBench
let store: StorePort
let clock: ReturnType<typeof fakeClock>
let line: PrintLine
/** The current status of the printer. */
let condition: PrinterCondition
let outcomes: PrintOutcome[]
/** The jobs whose documents the printer always refuses, with a status that may also be about the printer. */
let perhapsBad: readonly string[]
let printer: PrinterPort
/**
 * The drawings in their order, each as the job and its rotation. `sent`: for each attempt, the number of the drawing
 * that was sent.
 */
let drawn: string[]
let sent: number[]
/** The job of each attempt. */
let sentJobs: string[]
let checked: string[]
/** The failures of the next drawings. */
let undrawn: Failure[]
let faults: unknown[]
/** An action of the operator that happens while a job is drawn. */
let meanwhile: () => void
/** The status of the printer at each report of a change. */
let told: PrinterCondition[]

const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
const print = async (id: string): Promise<void> => {
  const job = { id, printer: 'p', isReprint: false, reason: null, at: clock.now() }
  store.printJobs.add(makeLabel(store).id, hash, job)
  line.retryNow()
  await rest()
}

function printerAnew(): PrinterPort {
  return {
    name: 'p',
    title: 'P',
    folder: null,
    status: () => Promise.resolve(condition),
    prepare({ jobId, placement }) {
      const number = drawn.push(`${jobId} ${String(placement?.turn ?? 'auto')}`)
      meanwhile()
      meanwhile = () => undefined
      const failing = undrawn.shift()
      if (failing) return Promise.resolve({ ok: false, error: failing })
      const send = (): Promise<PrintOutcome> => {
        sent.push(number)
        sentJobs.push(jobId)
        if (perhapsBad.includes(jobId)) return Promise.resolve(perhapsRefused)
        return Promise.resolve(outcomes.shift() ?? { kind: 'sent' })
      }
      return Promise.resolve(ok({ dpi: 203, pages: [], send }))
    },
    lookFor: () => Promise.resolve(new Map()),
  }
}

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  clock = fakeClock()
  condition = ready
  outcomes = []
  told = []
  drawn = []
  sent = []
  sentJobs = []
  perhapsBad = []
  checked = []
  undrawn = []
  faults = []
  meanwhile = () => undefined
  printer = printerAnew()
  line = new PrintLine('p', {
    printers: printersOf(() => [printer]),
    clock,
    jobs: store.printJobs,
    labels: store.labels,
    vault: { put: () => Promise.resolve(hash), read: () => Promise.resolve(new Uint8Array(1)) },
    check: ({ id }) => {
      checked.push(id)
      return null
    },
    moved: () => undefined,
    printerChanged: () => void told.push(line.condition),
    orphaned: () => undefined,
    documentLost: () => undefined,
    onFault: (error) => faults.push(error),
  })
})
afterEach(async () => {
  expect(faults).toEqual([])
  await line.close()
  await bench.dispose()
})

describe('PrintLine.condition', () => {
  it('is the warning that the printer reports after a successful print, even if the printer first refused this print', async () => {
    condition = warned
    await line.look()
    await print('one')
    expect(store.printJobs.get('one')?.state).toBe('sent')
    expect(line.condition).toEqual(warned)
    outcomes = [{ kind: 'refused', failure: failure('printer.refused') }, { kind: 'sent' }]
    await print('two')
    expect(line.condition.state).toBe('refused')
    line.retryNow()
    await rest()
    expect(store.printJobs.get('two')?.state).toBe('sent')
    expect(line.condition).toEqual(warned)
  })

  it('is reported only when it changes, for example to another reason of refusal', async () => {
    condition = refusing('paper_out')
    await line.look()
    await line.look()
    condition = refusing('cover_open')
    await line.look()
    condition = warned
    await line.look()
    condition = ready
    await line.look()
    expect(told).toEqual([refusing('paper_out'), refusing('cover_open'), warned, ready])
  })

  it('is queried after a print of unknown outcome', async () => {
    condition = refusing('paper_out')
    outcomes = [{ kind: 'partial', failure: failure('printer.outcome_unknown', { cause: 'ECONNRESET' }) }]
    await print('one')
    expect(store.printJobs.get('one')?.state).toBe('unknown')
    expect(line.condition).toEqual(condition)
  })

  it('becomes ready after a successful print, also when the printer reports no status', async () => {
    condition = { state: 'unknown', failure: null }
    outcomes = [{ kind: 'refused', failure: failure('printer.refused') }, { kind: 'sent' }]
    await print('one')
    line.retryNow()
    await rest()
    expect(line.condition).toEqual(ready)
  })

  it('is queried again while the printer refuses jobs, even if no job waits', async () => {
    condition = refusing('paper_out')
    await line.look()
    line.kick()
    await rest()
    condition = ready
    clock.advance(60_000)
    await rest()
    expect(line.condition).toEqual(ready)
  })
})

describe('a job that its printer refuses', () => {
  const refused: PrintOutcome = { kind: 'refused', failure: failure('printer.refused') }
  /** Advances the clock by more than the longest pause, so that one more attempt follows. */
  const again = async (): Promise<void> => {
    clock.advance(40_000)
    await rest()
  }
  const refusals = (): number => sent.length

  it('is sent at once at the first request of the operator, and once more for all requests in the next two seconds together', async () => {
    outcomes = Array.from({ length: 50 }, () => refused)
    await print('one')
    for (let n = 0; n < 6; n++) await again()
    const before = refusals()
    line.retryNow()
    await rest()
    expect(refusals()).toBe(before + 1)
    for (let n = 0; n < 1_000; n++) {
      line.retryNow()
      clock.advance(1)
      if (n % 100 === 0) await rest()
    }
    expect(refusals()).toBeLessThanOrEqual(before + 2)
    clock.advance(1_000)
    await rest()
    expect(refusals()).toBeGreaterThan(before + 1)
    expect(refusals()).toBeLessThanOrEqual(before + 3)
  })

  it('is drawn once for all attempts to send it, and is checked before each attempt', async () => {
    outcomes = [refused, refused, refused]
    await print('one')
    await again()
    await again()
    await again()
    expect(store.printJobs.get('one')?.state).toBe('sent')
    expect(drawn).toEqual(['one auto'])
    expect(sent).toEqual([1, 1, 1, 1])
    expect(checked).toEqual(['one', 'one', 'one', 'one'])
  })

  it('is drawn again after its placement or its printer has changed', async () => {
    outcomes = [refused, refused, refused]
    await print('one')
    const note = { at: 2, by: 'eva', decision: 'place', details: null }
    store.printJobs.change('one', note, { do: 'place', placement: { turn: 90, crop: 'page' } })
    await again()
    expect(drawn).toEqual(['one auto', 'one 90'])
    printer = printerAnew()
    await again()
    expect(drawn).toEqual(['one auto', 'one 90', 'one 90'])
    await print('two')
    expect(drawn).toEqual(['one auto', 'one 90', 'one 90', 'two auto'])
    expect(sent).toEqual([1, 2, 3, 3, 4])
  })

  it('is drawn again if its printer was replaced while the job was drawn', async () => {
    outcomes = [refused]
    await print('one')
    printer = printerAnew()
    meanwhile = () => void (printer = printerAnew())
    await again()
    // the printer was replaced again during the second drawing, so the job is drawn a third time
    expect(drawn).toHaveLength(3)
    expect(sent).toEqual([1, 3])
  })

  it('is held after three refusals of its document until the operator releases it; meanwhile the next job is printed', async () => {
    outcomes = [1, 2, 3].map(() => ({ ...refused, isOfDocument: true }))
    await print('one')
    await print('two')
    for (let n = 0; n < 3; n++) await again()
    expect(store.printJobs.get('one')).toMatchObject({ state: 'refused', hold: { kind: 'refused' } })
    expect(store.printJobs.openCounts()).toEqual({ asking: 1, waiting: 0 })
    expect([store.printJobs.get('two')?.state, sent]).toEqual(['sent', [1, 1, 1, 2]])
    const note = { at: 2, by: 'eva', decision: 'print_anyway', details: null }
    store.printJobs.change('one', note, { do: 'release' })
    // a release after refusals only asks for another try, so the pages of the job are still checked before the next
    // attempt, on this printer or another one
    expect(store.printJobs.get('one')).toMatchObject({ hold: null, isReleased: false })
    await print('three')
    expect(['one', 'three'].map((id) => store.printJobs.get(id)?.state)).toEqual(['sent', 'sent'])
    expect(sent).toHaveLength(6)
  })

  it('is never held if the printer, and not the document, is the reason', async () => {
    outcomes = Array.from({ length: 8 }, () => refused)
    await print('one')
    for (let n = 0; n < 8; n++) await again()
    expect(store.printJobs.get('one')).toMatchObject({ state: 'sent', hold: null })
    expect(sent).toHaveLength(9)
  })

  it('is held if its document may be the reason of the refusals, and the printer prints another job between two of the refusals', async () => {
    perhapsBad = ['one']
    for (const id of ['one', 'two', 'three']) await print(id)
    for (let n = 0; n < 4; n++) await again()
    expect(sentJobs).toEqual(['one', 'one', 'one', 'two', 'one', 'three'])
    expect(store.printJobs.get('one')).toMatchObject({ state: 'refused', hold: { kind: 'refused' } })
    expect(store.printJobs.openCounts()).toEqual({ asking: 1, waiting: 0 })
  })

  it('is held also if the printer refuses the next job in the same way and prints a later one', async () => {
    perhapsBad = ['one', 'two']
    for (const id of ['one', 'two', 'three', 'four']) await print(id)
    for (let n = 0; n < 12; n++) await again()
    expect(sentJobs.slice(0, 8)).toEqual(['one', 'one', 'one', 'two', 'one', 'three', 'one', 'two'])
    expect(['one', 'two'].map((id) => store.printJobs.get(id)?.hold)).toEqual([
      { kind: 'refused' },
      { kind: 'refused' },
    ])
    expect(['three', 'four'].map((id) => store.printJobs.get(id)?.state)).toEqual(['sent', 'sent'])
  })

  it('is not held if the printer refuses all documents in the same way for some time, and no job is printed twice', async () => {
    perhapsBad = ['one', 'two', 'three']
    for (const id of perhapsBad) await print(id)
    for (let n = 0; n < 9; n++) await again()
    expect(sentJobs.slice(0, 7)).toEqual(['one', 'one', 'one', 'two', 'one', 'three', 'one'])
    expect(store.printJobs.openCounts()).toEqual({ asking: 0, waiting: 3 })
    perhapsBad = []
    const before = sentJobs.length
    for (let n = 0; n < 3; n++) await again()
    expect(sentJobs.slice(before).toSorted()).toEqual(['one', 'three', 'two'])
    expect(store.printJobs.openCounts()).toEqual({ asking: 0, waiting: 0 })
  })

  it('waits, if its document may be the reason of the refusals and no other job waits, until the printer has printed another job', async () => {
    perhapsBad = ['one']
    await print('one')
    for (let n = 0; n < 6; n++) await again()
    expect(store.printJobs.get('one')).toMatchObject({ state: 'refused', hold: null })
    await print('two')
    expect(sentJobs.slice(-2)).toEqual(['two', 'one'])
    expect(store.printJobs.get('one')?.hold).toEqual({ kind: 'refused' })
  })

  it('is not sent after the operator has discarded it', async () => {
    outcomes = [refused]
    await print('one')
    store.printJobs.move('one', 'refused', 'failed', { at: 2, failure: null, evidence: null, file: null })
    await again()
    expect(sent).toEqual([1])
  })
})

describe('a job whose drawing fails', () => {
  it.each(['timeout', 'memory', 'crash'])(
    'is drawn up to three times if the reason of the failure may be temporary (%s), is then held, and the next job is printed',
    async (cause) => {
      const fails = failure('document.unreadable', { cause })
      undrawn = [fails, fails]
      await print('one')
      clock.advance(10_000)
      await rest()
      clock.advance(10_000)
      await rest()
      expect([store.printJobs.get('one')?.state, drawn.length]).toEqual(['sent', 3])
      undrawn = [fails, fails, fails]
      await print('two')
      await print('three')
      for (let tries = 0; tries < 3; tries++) {
        clock.advance(10_000)
        await rest()
      }
      expect(store.printJobs.get('two')).toMatchObject({ state: 'queued', hold: { kind: 'not_drawn' } })
      expect([store.printJobs.openCounts(), sentJobs]).toEqual([{ asking: 1, waiting: 0 }, ['one', 'three']])
      // a release after failed drawings only asks for another try, so the pages of the job are still checked
      const note = { at: 2, by: 'eva', decision: 'print_anyway', details: null }
      store.printJobs.change('two', note, { do: 'release' })
      line.retryNow()
      await rest()
      expect([sentJobs, checked]).toEqual([
        ['one', 'three', 'two'],
        ['one', 'three', 'two'],
      ])
      expect(faults.splice(0)).toHaveLength(4)
    },
  )
})
