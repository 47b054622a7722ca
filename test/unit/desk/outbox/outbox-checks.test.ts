import { describe, expect, it } from 'vitest'
import type { CheckedCommand, CommandType, Preparation, ReadBack } from '#desk/outbox/command-type.ts'
import { standardPace } from '#desk/outbox/command-waits.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { CommandRow, OutboxStore, StoredQuestion } from '#desk/ports/commands.ts'
import { createLine } from '#desk/service/line.ts'
import type { Session } from '#desk/service/session.ts'
import { type ErrorCode, failure, type Failure } from '#shared/errors/catalogue.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { commandIdOf } from '#support/ids.ts'
import { createLoneOutbox } from '#support/lone-outbox.ts'
import { untried } from '#support/plain-command.ts'
import { never, strictStore } from '#support/strict-store.ts'

const secondMs = 1_000

/**
 * Creates an outbox with one queued command. `preparedAt`: the result of its check or look at this time in
 * milliseconds. `methods`: replace methods of its store.
 */
function createBench(
  values: Partial<CommandRow>,
  preparedAt: (ticks: number, command: CheckedCommand) => Preparation,
  methods: Partial<OutboxStore> = {},
) {
  const clock = fakeClock()
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
    prepare(command) {
      checks++
      return Promise.resolve(preparedAt(clock.ticks() - begun, command))
    },
    build: never,
    readBack(): Promise<ReadBack> {
      const found = preparedAt(clock.ticks() - begun, row)
      if (found.kind !== 'not_now') return never()
      return Promise.resolve({ kind: 'unreadable', failure: found.failure, isRefused: false, alike: [] })
    },
  }
  const session: Pick<Session, 'isSignedIn' | 'access'> & { state: () => unknown } = {
    isSignedIn: true,
    state: () => ({ username: 'sam', roles: [] }),
    access: () => Promise.resolve({ ok: true, token: 'token' }),
  }
  const line = createLine(clock, () => undefined)
  const { outbox, faults, pass } = createLoneOutbox({ store, type, clock, line, quietMs: secondMs, session })
  /** Like `pass`, but the connection observes a call with this outcome every half minute. */
  const passWith = async (outcome: ApiOutcome<null>, ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 30 * secondMs) {
      line.observe(outcome)
      await pass(30 * secondMs)
    }
  }
  outbox.start()
  /** The operator decides to send the command without its check ("Try again"). */
  const sendUnseen = (): void => {
    row = { ...row, needsOperator: false, sendsUnseen: true }
    outbox.kick()
  }
  return { outbox, pass, passWith, noted, asked, faults, sendUnseen, session, checks: () => checks }
}

const answer: ApiOutcome<null> = { kind: 'answer', status: 200, value: null, serverDate: null }
const offline: ApiOutcome<null> = { kind: 'not_sent', failure: failure('network.offline') }

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

  it('does not ask the operator if a check between the failed checks could read the list, because it resets their count', async () => {
    const codes = ['api.rejected', 'api.unavailable', 'api.rejected', 'modification.comparing'] as const
    let nth = 0
    const { outbox, passWith, asked } = createBench({ madeBy: 'kim' }, () =>
      notNow(codes[nth++ % codes.length] ?? 'api.unavailable'),
    )
    await passWith(answer, 2_400 * secondMs)
    expect(nth).toBeGreaterThan(40)
    expect(asked).toEqual([])
    await outbox.close()
  })

  it('does not ask while the service is only unavailable, however long this lasts', async () => {
    const { outbox, pass, noted, asked } = createBench({}, () => notNow('api.unavailable'))
    await pass(600 * secondMs)
    expect(asked).toEqual([])
    expect(new Set(noted.map(({ code }) => code))).toEqual(new Set(['api.unavailable']))
    await outbox.close()
  })
})

describe('an outbox whose check of a write always fails', () => {
  it.each([
    ['api.unavailable'],
    ['session.expired'],
    ['api.too_many_requests'],
    ['network.not_the_service'],
    ['network.interrupted'],
    ['network.timeout'],
    ['api.rejected', 'api.unavailable'],
  ] as const)('asks the operator after ten minutes if other calls succeed (%s %s)', async (...codes) => {
    let nth = 0
    const { outbox, passWith, noted, asked, faults } = createBench({ madeBy: 'kim' }, () =>
      notNow(codes[nth++ % codes.length] ?? 'api.rejected'),
    )
    await passWith(answer, standardPace.failedChecksMs - 30 * secondMs)
    expect(asked).toEqual([])
    expect(new Set(noted.slice(-5).map(({ code }) => code))).toEqual(new Set(['api.not_checked']))
    await passWith(answer, 5 * standardPace.waitedMs)
    expect(asked).toMatchObject([{ question: { kind: 'changed' }, why: { code: 'api.not_checked' } }])
    expect(codes).toContain(asked[0]?.why?.params['cause'])
    expect(faults).toEqual([])
    await outbox.close()
  })

  it.each(['api.unavailable', 'network.timeout', 'session.expired'] as const)(
    'asks about the outcome of an earlier attempt if other calls succeed (%s)',
    async (code) => {
      const values = { state: 'unknown', attempts: 1, firstSentAt: 1, endedAt: 1 } as const
      const waiting = {
        id: commandIdOf('c'),
        subject: { kind: 'modification', id: 'm' },
        endedAt: 1,
      } as const
      const { outbox, passWith, asked, faults } = createBench(values, () => notNow(code), {
        unknown: () => [waiting],
      })
      await passWith(answer, 3_600 * secondMs)
      expect(asked[0]).toMatchObject({ question: { kind: 'outcome', records: [] }, why: null })
      expect(asked[0]?.at).toBeGreaterThan(standardPace.failedChecksMs)
      expect(faults).toEqual([])
      await outbox.close()
    },
  )

  it.each(['api.unavailable', 'network.timeout', 'session.expired'] as const)(
    'does not ask while no other call succeeds, and does not count the time without a connection (%s)',
    async (code) => {
      const { outbox, passWith, asked } = createBench({ madeBy: 'kim' }, () => notNow(code))
      await passWith(answer, 240 * secondMs)
      await passWith(offline, 3_600 * secondMs)
      await passWith(answer, 240 * secondMs)
      expect(asked).toEqual([])
      await outbox.close()
    },
  )

  it('tells the check that it may be left out if the operator decides at once, but not after an hour', async () => {
    const told: unknown[] = []
    const { outbox, passWith, asked, sendUnseen } = createBench({ madeBy: 'kim' }, (_, command) => {
      if (command.sendsUnseen) told.push(command.failsForLong)
      return notNow('api.unavailable')
    })
    await passWith(answer, 900 * secondMs)
    sendUnseen()
    await passWith(answer, 30 * secondMs)
    expect([told[0], asked]).toMatchObject([true, [{}, {}]])

    await passWith(answer, 3_600 * secondMs)
    told.length = 0
    sendUnseen()
    await passWith(answer, 30 * secondMs)
    // the operator is asked again at once, and the next decision counts
    expect([told[0], asked]).toMatchObject([false, [{}, {}, {}]])
    sendUnseen()
    await passWith(answer, 30 * secondMs)
    expect(told[1]).toBe(true)
    await outbox.close()
  })

  it('keeps the decision to leave the check out after an attempt without a token', async () => {
    const told: unknown[] = []
    const { outbox, passWith, sendUnseen, session } = createBench({ madeBy: 'kim' }, (_, command) => {
      if (!command.sendsUnseen) return notNow('api.unavailable')
      told.push(command.failsForLong)
      return { kind: 'go', baseline: null, serviceTime: null }
    })
    await passWith(answer, 900 * secondMs)
    session.access = () => Promise.resolve({ ok: false, failure: failure('network.timeout') })
    sendUnseen()
    await passWith(answer, 120 * secondMs)
    expect(told.length).toBeGreaterThan(1)
    expect(new Set(told)).toEqual(new Set([true]))
    await outbox.close()
  })

  it('pauses only this write, and not the others, while the connection is good', async () => {
    const { outbox, passWith } = createBench({ madeBy: 'kim' }, () => notNow('network.not_the_service'))
    await passWith(answer, 60 * secondMs)
    const other = { ...untried, id: commandIdOf('o'), subject: { kind: 'modification', id: 'o' } } as const
    const row: CommandRow = {
      ...other,
      aggregate: 'o',
      type: 'modification.create',
      createdAt: 0,
      madeBy: null,
    }
    expect(outbox.outlook(row)).toEqual({ waitsFor: 'turn', nextAt: null })
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
      // the outbox gets no write of unknown outcome after 100 faults; otherwise looks without a pause would never let
      // this test end
      unknown: () => (bench.faults.length < 100 ? [waiting] : []),
    })
    await bench.pass(600 * secondMs)
    expect(bench.faults.length).toBeGreaterThan(4)
    expect(bench.faults.length).toBeLessThan(40)
    await bench.outbox.close()
  })
})
