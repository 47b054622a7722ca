import { describe, expect, it } from 'vitest'
import type { CommandType, ReadBack } from '#desk/outbox/command-type.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import { createLine } from '#desk/service/line.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { commandIdOf, serverIdOf } from '#support/ids.ts'
import { createLoneOutbox } from '#support/lone-outbox.ts'
import { untried } from '#support/plain-command.ts'
import { strictStore } from '#support/strict-store.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const secondMs = 1_000
const stepMs = 100

interface Durations {
  /** How long the call of a command with `hung` in its id lasts, until it ends without a response. */
  readonly hungMs: number
  readonly lookMs: number
}

/**
 * Creates an outbox on a store in memory. The calls of commands with `hung` in their id end without a response, and a
 * look finds none of them. Any other command is done after 0.3 s.
 */
function createBench({ hungMs, lookMs }: Durations) {
  const clock = fakeClock()
  const rows: CommandRow[] = []
  /** When each command was made, and when its attempts and looks began, in milliseconds of the monotonic clock. */
  const madeAt = new Map<string, number>()
  const tries = new Map<string, number[]>()
  const looks = new Map<string, number[]>()
  const note = (times: Map<string, number[]>, id: string): void =>
    void times.set(id, [...(times.get(id) ?? []), clock.ticks()])
  const change = (id: string, values: Partial<CommandRow>): boolean => {
    const index = rows.findIndex((one) => one.id === id)
    const row = rows[index]
    if (row) rows[index] = { ...row, ...values }
    return row !== undefined
  }
  const inState = (state: CommandRow['state']): CommandRow[] => rows.filter((one) => one.state === state)
  const store = strictStore({
    get: (id) => rows.find((one) => one.id === id) ?? null,
    due(limit, first = [], newest = 0) {
      const queued = inState('queued')
      const wished = queued.filter(({ id }) => first.includes(id))
      const ofTries = (isTried: boolean): CommandRow[] =>
        queued.filter(({ attempts }) => attempts > 0 === isTried)
      const latest = newest > 0 ? ofTries(false).slice(-newest) : []
      return [
        ...new Set([
          ...wished,
          ...ofTries(false).slice(0, limit),
          ...latest,
          ...ofTries(true).slice(0, limit),
        ]),
      ]
    },
    unknown: () => inState('unknown'),
    begin(id, _holder, { at }) {
      note(tries, id)
      const attempts = (store.get(id)?.attempts ?? 0) + 1
      return change(id, { state: 'sending', attempts, firstSentAt: at })
    },
    complete: (id) => change(id, { state: 'done' }),
    requeue: (id) => change(id, { state: 'queued' }),
    markUnknown: (id, at) => change(id, { state: 'unknown', endedAt: at }),
    noteFailure: () => undefined,
  })
  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve))
  const facts = {
    kind: 'modification',
    serverId: serverIdOf('s'),
    reference: 'M',
    status: 'created',
  } as const
  const absent: ReadBack = { kind: 'absent' }
  const type: CommandType = {
    role: 'MODIFICATIONS_CREATE',
    isRepeatable: false,
    prepare: () => Promise.resolve({ kind: 'go', baseline: null, serviceTime: null }),
    build: ({ id }) => {
      return async () => {
        const isHung = id.includes('hung')
        await wait(isHung ? hungMs : 300)
        if (isHung) return { kind: 'ambiguous', status: null, failure: failure('network.timeout') }
        return { kind: 'answer', status: 201, value: { facts, documentAddress: null }, serverDate: null }
      }
    },
    async readBack({ id }) {
      note(looks, id)
      await wait(lookMs)
      return absent
    },
  }
  const line = createLine(clock, () => undefined)
  const { outbox, faults } = createLoneOutbox({ store, type, clock, line, quietMs: 60 * secondMs })
  const make = (name: string, values: Partial<CommandRow> = {}): void => {
    const id = commandIdOf(name)
    const subject = { kind: 'modification', id: name } as const
    const plain = { ...untried, subject, aggregate: name, type: 'modification.create', madeBy: 'sam' }
    rows.push({ ...plain, id, createdAt: clock.now(), ...values })
    madeAt.set(id, clock.ticks())
    outbox.kick()
  }
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      for (let turns = 0; turns < 4; turns++) await turn()
      clock.advance(stepMs)
    }
    for (let turns = 0; turns < 4; turns++) await turn()
  }
  /**
   * Returns for each command with `new` in its id how long it waited for its first attempt; Infinity: it was not sent.
   */
  const newWaits = (): number[] =>
    [...madeAt].filter(([id]) => id.includes('new')).map(([id, at]) => (tries.get(id)?.[0] ?? Infinity) - at)
  return { outbox, make, pass, newWaits, tries, looks, faults }
}

describe('an outbox whose calls for twenty labels never get a response', () => {
  it('sends each new write within the time of one call, and goes on with each of the twenty labels', async () => {
    const bench = createBench({ hungMs: 20 * secondMs, lookMs: 200 })
    bench.outbox.start()
    for (let nth = 0; nth < 20; nth++) {
      bench.make(`hung${nth}`)
      await bench.pass(20 * secondMs)
    }
    for (let nth = 0; nth < 10; nth++) {
      bench.make(`new${nth}`)
      await bench.pass(60 * secondMs)
    }
    expect(Math.max(...bench.newWaits())).toBeLessThanOrEqual(20 * secondMs)
    expect(bench.tries.size).toBe(30)
    const counts = Array.from({ length: 20 }, (_, nth) => bench.tries.get(`hung${nth}`)?.length ?? 0)
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4)
    expect(bench.faults).toEqual([])
  })
})

describe('an outbox with 120 waiting labels whose calls never get a response', () => {
  it('sends a booking within the time of one call after the operator has asked for it', async () => {
    const bench = createBench({ hungMs: 20 * secondMs, lookMs: 200 })
    for (let nth = 0; nth < 120; nth++) bench.make(`hung${nth}`)
    bench.outbox.start()
    await bench.pass(5 * secondMs)
    bench.make('new')
    bench.outbox.hurry(commandIdOf('new'))
    await bench.pass(60 * secondMs)
    expect(Math.max(...bench.newWaits())).toBeLessThanOrEqual(20 * secondMs)
    expect(bench.faults).toEqual([])
  })
})

describe('an outbox with three hundred writes that have waited for an hour', () => {
  const createBenchOfOldWrites = () => {
    const bench = createBench({ hungMs: 20 * secondMs, lookMs: 200 })
    const oldWrites = Array.from({ length: 300 }, (_, nth) => `old${nth}`)
    for (const name of oldWrites) bench.make(name, { createdAt: -3_600 * secondMs })
    bench.outbox.start()
    const sentOld = (): string[] => oldWrites.filter((name) => bench.tries.has(name))
    return { ...bench, oldWrites, sentOld }
  }

  it('sends a new write as soon as one of the calls under way has ended', async () => {
    const bench = createBenchOfOldWrites()
    await bench.pass(3 * secondMs)
    bench.make('new')
    await bench.pass(secondMs)
    expect(Math.max(...bench.newWaits())).toBeLessThanOrEqual(400)
    expect(bench.sentOld().length).toBeLessThan(60)
    expect(bench.faults).toEqual([])
  })

  it('uses all four slots for these writes while there is no new one', async () => {
    const bench = createBenchOfOldWrites()
    await bench.pass(35 * secondMs)
    expect(bench.sentOld()).toHaveLength(300)
  })

  it('sends each of them once, and the oldest first, while new writes follow without a pause', async () => {
    const bench = createBenchOfOldWrites()
    for (let nth = 0; nth < 150; nth++) {
      bench.make(`new${nth}`)
      await bench.pass(400)
    }
    expect(Math.max(...bench.newWaits())).toBeLessThanOrEqual(1_200)
    expect(bench.sentOld()).toEqual(bench.oldWrites)
    expect([...bench.tries.keys()].filter((id) => id.startsWith('old'))).toEqual(bench.oldWrites)
    expect([...bench.tries.values()].every((times) => times.length === 1)).toBe(true)
    expect(bench.faults).toEqual([])
  })
})

describe('an outbox that looks for two hundred writes of unknown outcome', () => {
  const quiet = { attempts: 1, firstSentAt: 1, endedAt: 1 } as const

  it('sends a new write at once, and looks for each of the two hundred writes in turn', async () => {
    const bench = createBench({ hungMs: 20 * secondMs, lookMs: 3 * secondMs })
    for (let nth = 0; nth < 200; nth++) bench.make(`hung${nth}`, { state: 'unknown', ...quiet })
    bench.outbox.start()
    await bench.pass(5 * secondMs)
    bench.make('new')
    await bench.pass(300 * secondMs)
    expect(Math.max(...bench.newWaits())).toBeLessThanOrEqual(stepMs)
    expect(bench.looks.size).toBe(200)
    expect(bench.faults).toEqual([])
  })

  it('sends new writes before older ones that were tried before a restart, but also goes on with the older ones', async () => {
    const bench = createBench({ hungMs: 20 * secondMs, lookMs: 200 })
    for (let nth = 0; nth < 60; nth++) bench.make(`hung${nth}`, { attempts: 1 })
    for (let nth = 0; nth < 30; nth++) bench.make(`new${nth}`)
    bench.outbox.start()
    await bench.pass(20 * secondMs)
    expect(Math.max(...bench.newWaits())).toBeLessThanOrEqual(10 * secondMs)
    expect(bench.tries.size).toBeGreaterThan(30)
    expect(bench.faults).toEqual([])
  })
})
