import { describe, expect, it } from 'vitest'
import type { Answer, CommandType, ReadBack } from '#desk/outbox/command-type.ts'
import { standardPace } from '#desk/outbox/command-waits.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { CommandRow, StoredQuestion } from '#desk/ports/commands.ts'
import { createLine } from '#desk/service/line.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { commandIdOf } from '#support/ids.ts'
import { createLoneOutbox } from '#support/lone-outbox.ts'
import { untried } from '#support/plain-command.ts'
import { strictStore } from '#support/strict-store.ts'

const secondMs = 1_000
const greeting: ApiOutcome<null> = { kind: 'answer', status: 200, value: null, serverDate: null }
const done: ApiOutcome<Answer> = {
  ...{ kind: 'answer', status: 201, serverDate: null },
  value: { serverId: null, facts: {} } as unknown as Answer,
}
const refusedByFirewall: ApiOutcome<never> = {
  kind: 'not_sent',
  failure: failure('network.not_the_service', { host: 'h' }),
}
const pageWithSuccess: ApiOutcome<never> = { ...refusedByFirewall, kind: 'ambiguous', status: 200 }

/**
 * Creates an outbox whose writes with the given names wait. `answerTo`: the outcome of a call for this write. While the
 * connection is lost or in doubt, another call tries it after a second, with the outcome `greet`.
 */
function createBench(names: readonly string[], answerTo: (name: string) => ApiOutcome<Answer>) {
  const clock = fakeClock()
  const begunTicks = clock.ticks()
  const calls: { name: string; at: number }[] = []
  const asked: { question: StoredQuestion; why: Failure | null; at: number }[] = []
  const greet = { outcome: greeting }
  const rows = names.map((name): CommandRow => ({
    ...untried,
    id: commandIdOf(name),
    subject: { kind: 'modification', id: name },
    aggregate: name,
    type: 'modification.create',
    createdAt: clock.now(),
    madeBy: 'sam',
  }))
  const change = (id: string, values: Partial<CommandRow>): boolean => {
    const at = rows.findIndex((row) => row.id === id)
    const row = rows[at]
    if (row) rows[at] = { ...row, ...values }
    return row !== undefined
  }
  const store = strictStore({
    get: (id) => rows.find((row) => row.id === id) ?? null,
    due: () => rows.filter(({ state, needsOperator }) => state === 'queued' && !needsOperator),
    unknown: () => rows.filter(({ state }) => state === 'unknown'),
    begin: (id) => change(id, { state: 'sending' }),
    requeue: (id, _at, why) => change(id, { state: 'queued', failure: why }),
    markUnknown: (id, at, why) => change(id, { state: 'unknown', endedAt: at, failure: why }),
    complete: (id) => change(id, { state: 'done' }),
    noteFailure: () => undefined,
    ask(id, question, why) {
      asked.push({ question, why, at: clock.ticks() - begunTicks })
      return change(id, { needsOperator: true })
    },
  })
  const type: CommandType = {
    role: 'MODIFICATIONS_CREATE',
    isRepeatable: false,
    prepare: () => Promise.resolve({ kind: 'go', baseline: null, serviceTime: null }),
    build:
      ({ subject }) =>
      () => {
        calls.push({ name: subject.id, at: clock.ticks() - begunTicks })
        return Promise.resolve(answerTo(subject.id))
      },
    readBack: (): Promise<ReadBack> => Promise.resolve({ kind: 'absent' }),
  }
  const line = createLine(clock, () => undefined)
  let losses = 0
  const greetLater = (): void =>
    void clock.after(secondMs, () => {
      line.observe(greet.outcome)
      if (line.isInDoubt()) greetLater()
    })
  line.onLost(() => {
    losses++
    greetLater()
  })
  line.onDoubt(greetLater)
  line.observe(greeting)
  const { outbox, faults, pass } = createLoneOutbox({ store, type, clock, line, quietMs: 60 * secondMs })
  /** The operator decides to try the write again. */
  const retry = (name: string): void => {
    change(commandIdOf(name), { needsOperator: false })
    outbox.hurry(commandIdOf(name))
  }
  outbox.start()
  return { outbox, line, calls, asked, faults, greet, rows, pass, retry, losses: () => losses }
}

describe('an outbox with a write that a firewall responds to with its page while other calls succeed', () => {
  it('repeats the write at intervals that grow to a minute, and does not lose the connection', async () => {
    const { outbox, pass, calls, losses, faults } = createBench(['blocked'], () => refusedByFirewall)
    await pass(500 * secondMs)
    const gaps = calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0))
    expect(calls.length).toBeLessThanOrEqual(15)
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(60 * secondMs)
    expect(losses()).toBe(0)
    expect(faults).toEqual([])
    await outbox.close()
  })

  it('sends each other write within two seconds, although forty writes are blocked', async () => {
    const blocked = Array.from({ length: 40 }, (_, number) => `blocked ${number}`)
    const bench = createBench(blocked, (name) => (name.startsWith('blocked') ? refusedByFirewall : done))
    const { outbox, pass, calls, rows, losses } = bench
    await pass(60 * secondMs)
    for (let turns = 0; turns < 10; turns++) {
      const [first] = rows
      const name = `other ${turns}`
      if (first) rows.push({ ...first, id: commandIdOf(name), subject: { kind: 'modification', id: name } })
      outbox.kick()
      await pass(2 * secondMs)
      expect(calls.map((call) => call.name)).toContain(name)
    }
    expect(losses()).toBe(0)
    await outbox.close()
  })

  it.each([
    ['refused', refusedByFirewall],
    ['unknown, if the page has the status 200', pageWithSuccess],
  ])(
    'asks the operator after ten minutes, and once more after a retry that is blocked too (%s)',
    async (...args) => {
      const [, outcome] = args
      const { outbox, pass, calls, asked, retry, losses, faults } = createBench(['blocked'], () => outcome)
      await pass(standardPace.failedChecksMs - secondMs)
      expect(asked).toEqual([])
      await pass(5 * 60 * secondMs)
      const question = { question: { kind: 'changed' }, why: { code: 'api.blocked' } }
      expect(asked).toMatchObject([question])
      const before = calls.length
      retry('blocked')
      await pass(150 * secondMs)
      expect(calls).toHaveLength(before + 1)
      expect(asked).toMatchObject([question, question])
      expect([losses(), faults]).toEqual([0, []])
      await outbox.close()
    },
  )

  it('keeps the pause of the write when the connection or the login is back or the operator makes another write, and ends it when the operator presses “Try now”', async () => {
    const { outbox, pass, calls } = createBench(['blocked'], () => refusedByFirewall)
    await pass(120 * secondMs)
    const before = calls.length
    for (let turns = 0; turns < 5; turns++) {
      outbox.resume()
      outbox.retryNow()
      await pass(secondMs)
    }
    expect(calls.length - before).toBeLessThanOrEqual(1)
    outbox.hurry(commandIdOf('blocked'))
    await pass(3 * secondMs)
    expect(calls.length - before).toBeGreaterThanOrEqual(1)
    await outbox.close()
  })
})

describe('an outbox behind a program that responds to all calls with its page', () => {
  it('loses the connection within two seconds, pauses all writes, never asks, and sends all when the connection is back', async () => {
    const names = Array.from({ length: 20 }, (_, number) => `write ${number}`)
    let isOut = true
    const bench = createBench(names, () => (isOut ? refusedByFirewall : done))
    const { outbox, line, pass, calls, asked, greet, rows } = bench
    greet.outcome = { kind: 'not_sent', failure: failure('network.not_the_service', { host: 'h' }) }
    await pass(2 * secondMs)
    expect(line.isOffline()).toBe(true)
    await pass(3_600 * secondMs)
    expect(calls.length).toBeLessThan(400)
    expect(asked).toEqual([])
    isOut = false
    greet.outcome = greeting
    await pass(3 * secondMs)
    expect(rows.every(({ state }) => state === 'done')).toBe(true)
    await outbox.close()
  })
})
