import { describe, expect, it } from 'vitest'
import type { CommandType, Preparation, ReadBack } from '#desk/outbox/command-type.ts'
import { standardPace } from '#desk/outbox/command-waits.ts'
import { Outbox } from '#desk/outbox/outbox.ts'
import type { CommandRow, OutboxStore, StoredQuestion } from '#desk/ports/commands.ts'
import { createLine } from '#desk/service/line.ts'
import type { Session } from '#desk/service/session.ts'
import { type ErrorCode, failure, type Failure } from '#shared/errors/catalogue.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { commandIdOf } from '#support/ids.ts'
import { untried } from '#support/plain-command.ts'
import { never, strictStore } from '#support/strict-store.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const secondMs = 1_000

/**
 * Creates an outbox with one queued command. `preparedAt`: the result of its check at this time in milliseconds.
 * `methods`: replace methods of its store.
 */
function createBench(
  values: Partial<CommandRow>,
  preparedAt: (ticks: number) => Preparation,
  methods: Partial<OutboxStore> = {},
) {
  const clock = fakeClock()
  const faults: unknown[] = []
  const noted: Failure[] = []
  const asked: { question: StoredQuestion; why: Failure | null; at: number }[] = []
  let checks = 0
  const begun = clock.ticks()
  let row: CommandRow = {
    ...untried,
    id: commandIdOf('c'),
    subject: { kind: 'modification', id: 'm' },
    aggregate: 'm',
    type: 'modification.create',
    createdAt: clock.now(),
    madeBy: 'sam',
    ...values,
  }
  const store = strictStore({
    get: () => row,
    due: () => (row.state === 'queued' && !row.needsOperator ? [row] : []),
    unknown: () => [],
    noteFailure: (_, why) => void noted.push(why),
    ask(_, question, why) {
      asked.push({ question, why, at: clock.ticks() - begun })
      row = { ...row, needsOperator: true }
      return true
    },
    doubt() {
      row = { ...row, state: 'unknown' }
      return true
    },
    ...methods,
  })
  const type: CommandType = {
    role: 'MODIFICATIONS_CREATE',
    isRepeatable: false,
    prepare() {
      checks++
      return Promise.resolve(preparedAt(clock.ticks() - begun))
    },
    build: never,
    readBack: (): Promise<ReadBack> => never(),
  }
  const session = {
    isSignedIn: true,
    state: () => ({ username: 'sam', roles: [] }),
    access: () => Promise.resolve({ ok: true, token: 'token' }),
  }
  const outbox = new Outbox({
    store,
    types: new Map([['modification.create', type]]),
    session: session as unknown as Session,
    clock,
    line: createLine(clock, () => undefined),
    quietMs: secondMs,
    pace: standardPace,
    moved: () => undefined,
    arrived: () => undefined,
    noticed: never,
    onFault: (error) => void faults.push(error),
  })
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      for (let turns = 0; turns < 6; turns++) await turn()
      clock.advance(500)
    }
    for (let turns = 0; turns < 6; turns++) await turn()
  }
  outbox.start()
  return { outbox, pass, noted, asked, faults, checks: () => checks }
}

const notNow = (code: ErrorCode): Preparation => ({
  kind: 'not_now',
  failure: failure(code, { status: 404 }),
})

describe('an outbox whose check of a write is refused or unreadable', () => {
  it.each(['api.rejected', 'api.malformed_answer'] as const)(
    'says that the write waits, and asks the operator once the checks have failed for ten minutes (%s)',
    async (code) => {
      const { outbox, pass, noted, asked, faults, checks } = createBench({ madeBy: 'kim' }, () =>
        notNow(code),
      )
      await pass(standardPace.failedChecksMs - 10 * secondMs)
      expect(asked).toEqual([])
      expect(noted.length).toBeGreaterThan(4)
      const why = failure('api.not_checked', { cause: code, status: 404 })
      for (const one of noted) expect(one).toEqual(why)
      await pass(2 * standardPace.waitedMs)
      expect(asked).toMatchObject([{ question: { kind: 'changed' }, why }])
      const before = checks()
      await pass(600 * secondMs)
      expect(checks()).toBe(before)
      expect(faults).toEqual([])
      await outbox.close()
    },
  )

  it('asks about the outcome if an earlier attempt may have arrived', async () => {
    const tried = { attempts: 1, firstSentAt: 1, endedAt: 1 }
    const { outbox, pass, asked, faults } = createBench(tried, () => notNow('api.rejected'))
    await pass(720 * secondMs)
    expect(asked).toMatchObject([{ question: { kind: 'outcome', records: [] }, why: null }])
    expect(faults).toEqual([])
    await outbox.close()
  })

  it('does not ask after fewer than four refused checks, one after the other, also if the write has waited', async () => {
    const codes: readonly ErrorCode[] = ['api.rejected', 'api.rejected', 'api.rejected', 'api.unavailable']
    let nth = 0
    const { outbox, pass, asked } = createBench({ madeBy: 'kim' }, () =>
      notNow(codes[nth++ % codes.length] ?? 'api.unavailable'),
    )
    await pass(600 * secondMs)
    expect(nth).toBeGreaterThan(8)
    expect(asked).toEqual([])
    await outbox.close()
  })

  it('does not ask while the service is only out of order, however long this lasts', async () => {
    const { outbox, pass, noted, asked } = createBench({}, () => notNow('api.unavailable'))
    await pass(600 * secondMs)
    expect(asked).toEqual([])
    expect(new Set(noted.map(({ code }) => code))).toEqual(new Set(['api.unavailable']))
    await outbox.close()
  })
})

describe('an outbox with a write of unknown outcome that this program cannot read', () => {
  const damaged = (): never => {
    throw new Error('the column `baseline` is damaged')
  }

  it.each([
    ['its row is damaged', { get: damaged }],
    ['its command type is unknown', {}],
  ])('lets other work run between the looks, which become rare: %s', async (_, methods) => {
    const values = { state: 'unknown', type: 'other', attempts: 1, firstSentAt: 1, endedAt: 1 } as const
    const waiting = { ...values, id: commandIdOf('c'), subject: { kind: 'modification', id: 'm' } } as const
    const bench = createBench(values, never, {
      ...methods,
      // looks without a pause would never let this test end
      unknown: () => (bench.faults.length < 100 ? [waiting] : []),
    })
    await bench.pass(600 * secondMs)
    expect(bench.faults.length).toBeGreaterThan(4)
    expect(bench.faults.length).toBeLessThan(40)
    await bench.outbox.close()
  })
})
