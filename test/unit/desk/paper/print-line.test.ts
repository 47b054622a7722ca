import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PrinterCondition, PrinterPort, PrintOutcome } from '#desk/ports/printers.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { PrintLine } from '#desk/paper/print-line.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok } from '#shared/errors/result.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

const hash = 'hash'
const ready: PrinterCondition = { state: 'ready', failure: null }
const warned: PrinterCondition = {
  state: 'ready',
  failure: failure('printer.prints_again', { printer: 'p' }),
}
const refusing = (cause: string): PrinterCondition => ({
  state: 'refused',
  failure: failure('printer.refused', { printer: 'p', cause }),
})

let bench: StoreBench
let store: StorePort
let clock: ReturnType<typeof fakeClock>
let line: PrintLine
/** What the printer says of itself now. */
let condition: PrinterCondition
let outcomes: PrintOutcome[]
/** What was told of the printer, each time that a change was told. */
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

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  clock = fakeClock()
  condition = ready
  outcomes = []
  told = []
  const printer: PrinterPort = {
    name: 'p',
    folder: null,
    status: () => Promise.resolve(condition),
    prepare: () =>
      Promise.resolve(
        ok({ dpi: 203, pages: [], send: () => Promise.resolve(outcomes.shift() ?? { kind: 'sent' }) }),
      ),
    lookFor: () => Promise.resolve(null),
  }
  line = new PrintLine('p', {
    printers: { all: () => [printer], named: (name) => (name === 'p' ? printer : null) },
    clock,
    jobs: store.printJobs,
    labels: store.labels,
    vault: { put: () => Promise.resolve(hash), read: () => Promise.resolve(new Uint8Array(1)) },
    check: () => null,
    moved: () => undefined,
    printerChanged: () => void told.push(line.condition),
    orphaned: () => undefined,
    documentLost: () => undefined,
    onFault: (error) => {
      throw error
    },
  })
})
afterEach(async () => {
  await line.close()
  await bench.dispose()
})

describe('how a printer is', () => {
  it('goes on warning of one that prints again by itself, whatever it printed', async () => {
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

  it('is told anew when it refuses for another reason, and only then', async () => {
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

  it('is asked after a print that nobody knows about', async () => {
    condition = refusing('paper_out')
    outcomes = [{ kind: 'partial', failure: failure('printer.outcome_unknown', { cause: 'ECONNRESET' }) }]
    await print('one')
    expect(store.printJobs.get('one')?.state).toBe('unknown')
    expect(line.condition).toEqual(condition)
  })

  it('is ready after a good print, also where it never says so', async () => {
    condition = { state: 'unknown', failure: null }
    outcomes = [{ kind: 'refused', failure: failure('printer.refused') }, { kind: 'sent' }]
    await print('one')
    line.retryNow()
    await rest()
    expect(line.condition).toEqual(ready)
  })

  it('is asked again while it refuses and nothing waits for it', async () => {
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
