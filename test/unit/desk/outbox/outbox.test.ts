import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Answer } from '#desk/outbox/command-type.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { count, seed } from '#support/counts.ts'
import type { CommandType, ReadBack } from '#desk/outbox/command-type.ts'
import { createLine } from '#desk/service/line.ts'
import { standardPace } from '#desk/outbox/command-waits.ts'
import type { CommandRow, SeenRecord, StoredQuestion } from '#desk/ports/commands.ts'
import { type ErrorCode, failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { commandIdOf, serverIdOf } from '#support/ids.ts'
import { createLoneOutbox } from '#support/lone-outbox.ts'
import { untried } from '#support/plain-command.ts'
import { never, strictStore } from '#support/strict-store.ts'

const quietMs = 1_000
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function unknownCommand(number: number): CommandRow {
  return {
    ...untried,
    id: commandIdOf(`c${number}`),
    subject: { kind: 'modification', id: `m${number}` },
    aggregate: `modification m${number}`,
    type: 'modification.create',
    state: 'unknown',
    attempts: 1,
    firstSentAt: 1,
    endedAt: 1,
    failure: failure('modification.outcome_unknown'),
  }
}

/** Creates an outbox with commands of unknown outcome, on a store that counts the requests for the lease. */
function createBench(count: number, recover: () => number = () => 0) {
  const clock = fakeClock()
  const unknown = Array.from({ length: count }, (_, number) => unknownCommand(number))
  const looks: ((seen: ReadBack) => void)[] = []
  const lease = { asked: 0, released: 0 }
  const asked: StoredQuestion[] = []
  const store = strictStore({
    get: (id) => unknown.find((one) => one.id === id) ?? null,
    due: () => [],
    unknown: () => unknown,
    holdLease() {
      // if the outbox ran without a pause, this test would never end
      if (++lease.asked > 500) throw new Error('runs without a pause')
      return true
    },
    releaseLease: () => void lease.released++,
    recover,
    complete: (id) =>
      unknown.splice(
        unknown.findIndex((one) => one.id === id),
        1,
      ).length === 1,
    ask: (_id, question) => asked.push(question) > 0,
  })
  const type: CommandType = {
    role: 'MODIFICATIONS_CREATE',
    isRepeatable: false,
    prepare: never,
    build: never,
    readBack: () => new Promise((resolve) => looks.push(resolve)),
  }
  const line = createLine(clock, () => undefined)
  const { outbox, faults } = createLoneOutbox({ store, type, clock, line, quietMs })
  return { outbox, clock, faults, unknown, looks, lease, asked }
}

/** Creates an outbox with queued commands, on a store whose `begin` returns the given result. */
function createQueueBench(
  count: number,
  parts: {
    begin: () => boolean
    prepare: CommandType['prepare']
    build?: CommandType['build']
    username?: () => string
  },
) {
  const clock = fakeClock()
  const noted: string[] = []
  const begun: string[] = []
  const rejected: unknown[] = []
  const queued = Array.from({ length: count }, (_, number): CommandRow => {
    const notSent = { state: 'queued', attempts: 0, firstSentAt: null, endedAt: null, failure: null } as const
    return { ...unknownCommand(number), ...notSent, createdAt: clock.now(), madeBy: 'sam' }
  })
  const done = (id: string): boolean =>
    queued.splice(
      queued.findIndex((one) => one.id === id),
      1,
    ).length === 1
  const store = strictStore({
    get: (id) => queued.find((one) => one.id === id) ?? null,
    due: (limit) => queued.slice(0, limit),
    unknown: () => [],
    begin(id) {
      begun.push(id)
      // if a step returned no pause, this test would never end
      if (begun.length > 500) throw new Error('runs without a pause')
      return parts.begin()
    },
    complete: done,
    requeue: () => true,
    reject(id, _at, why) {
      rejected.push([id, why])
      return done(id)
    },
    noteFailure: (id) => void noted.push(id),
  })
  const type: CommandType = {
    role: 'MODIFICATIONS_CREATE',
    isRepeatable: false,
    prepare: parts.prepare,
    build:
      parts.build ??
      (() => () => Promise.resolve({ kind: 'answer', status: 201, value: found.answer, serverDate: null })),
    readBack: never,
  }
  const session = {
    isSignedIn: true,
    state: () => ({ username: parts.username?.() ?? 'sam', roles: [] }),
    access: () => Promise.resolve({ ok: true, token: 'token' }),
    accessRefused: () => undefined,
  }
  const line = createLine(clock, () => undefined)
  const { outbox, faults } = createLoneOutbox({ store, type, clock, line, quietMs, session })
  return { outbox, clock, faults, queued, begun, noted, rejected }
}

const found: ReadBack & { kind: 'found' } = {
  kind: 'found',
  answer: {
    facts: {
      kind: 'modification',
      serverId: serverIdOf('s'),
      reference: 'MOD00000000001',
      status: 'created',
    },
    documentAddress: null,
  },
  others: [],
  records: [],
  isSurelyOurs: true,
}

const seenRecord = (number: number): SeenRecord => ({
  facts: {
    kind: 'modification',
    serverId: serverIdOf(`s${number}`),
    reference: 'MOD00000000001',
    status: 'created',
  },
  record: {
    serverId: serverIdOf(`s${number}`),
    reference: 'MOD00000000001',
    createdAt: '2026-01-01T00:00:00Z',
    brief: { kind: 'modification', reason: 'LOST', locationCode: null, lines: [] },
    note: null,
    requested: false,
  },
})

describe('an outbox that cannot decide whether a write has arrived', () => {
  it('asks the operator about the first twenty of thirty similar records', async () => {
    const { outbox, clock, faults, looks, asked } = createBench(1)
    outbox.start()
    await turn()
    clock.advance(quietMs)
    for (let turns = 0; turns < 5; turns++) await turn()
    const alike = Array.from({ length: 30 }, (_, number) => seenRecord(number))
    const why = failure('modification.outcome_unknown', { cause: 'no_marker' })
    for (const answer of looks.splice(0)) answer({ kind: 'unreadable', failure: why, isRefused: true, alike })
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(asked).toEqual([{ kind: 'outcome', records: alike.slice(0, 20) }])
    expect(faults).toEqual([])
  })
})

describe('an outbox with more writes of unknown outcome than parallel looks', () => {
  it('looks for three writes at a time, and looks for the others when these looks have ended', async () => {
    const { outbox, clock, faults, unknown, looks, lease } = createBench(6)
    outbox.start()
    await turn()
    clock.advance(quietMs)
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(faults).toEqual([])
    expect(looks).toHaveLength(3)
    const before = lease.asked
    await turn()
    expect(lease.asked).toBe(before)

    for (let turns = 0; turns < 10; turns++) {
      for (const answer of looks.splice(0)) answer(found)
      await turn()
    }
    expect(unknown).toEqual([])
    await outbox.close()
    expect(faults).toEqual([])
  })
})

describe('Outbox.release()', () => {
  it('has nothing to release if the commands of an earlier run could not be recovered', () => {
    const { outbox, lease } = createBench(0, () => {
      throw new Error('the disk is full')
    })
    expect(() => outbox.start()).toThrow('the disk is full')
    expect(lease.released).toBe(1)
    outbox.release()
    expect(lease.released).toBe(1)
  })

  it('releases the lease once, although a look has not ended when the desk closes', async () => {
    const { outbox, clock, faults, looks, lease } = createBench(1)
    outbox.start()
    await turn()
    clock.advance(quietMs)
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(looks).toHaveLength(1)
    const closed = outbox.close()
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(lease.released).toBe(0)
    outbox.release()
    expect(lease.released).toBe(1)
    for (const answer of looks) answer({ kind: 'absent' })
    await closed
    expect(lease.released).toBe(1)
    expect(faults).toEqual([])
  })
})

describe('an outbox with commands that cannot be sent', () => {
  const go = { kind: 'go', baseline: null, serviceTime: null } as const

  it('pauses before the next attempt if its store fails', async () => {
    const begin = (): boolean => {
      throw new Error('the disk is full')
    }
    const { outbox, clock, faults, begun } = createQueueBench(2, {
      begin,
      prepare: () => Promise.resolve(go),
    })
    outbox.start()
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(begun).toEqual(['c0', 'c1'])
    expect(faults).toHaveLength(2)
    clock.advance(standardPace.firstRetryMs * 2)
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(begun).toEqual(['c0', 'c1', 'c0', 'c1'])
    await outbox.close()
  })

  it('prepares a command a second time, for the new user, if another user logs in during its preparation', async () => {
    let username = 'sam'
    const preparations: boolean[] = []
    const { outbox, queued, begun } = createQueueBench(1, {
      begin: () => true,
      prepare(_command, hasWaited) {
        preparations.push(hasWaited)
        expect(begun).toEqual([])
        username = 'kim'
        return Promise.resolve(go)
      },
      username: () => username,
    })
    outbox.start()
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(preparations).toEqual([false, true])
    expect(queued).toEqual([])
    await outbox.close()
  })

  it('rejects a command whose call can never be built, without setting its state to sending', async () => {
    const { outbox, clock, faults, queued, begun, rejected } = createQueueBench(3, {
      begin: () => true,
      prepare: () => Promise.resolve(go),
      build({ id }) {
        if (id === commandIdOf('c1')) throw new TypeError('the body does not fit')
        return () => Promise.resolve({ kind: 'answer', status: 201, value: found.answer, serverDate: null })
      },
    })
    outbox.start()
    for (let turns = 0; turns < 20; turns++) await turn()
    clock.advance(10 * quietMs)
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(rejected).toEqual([['c1', failure('internal.unexpected')]])
    expect(begun).toEqual(['c0', 'c2'])
    expect(queued).toEqual([])
    expect(faults).toHaveLength(1)
    await outbox.close()
  })

  it('keeps a command whose subject cannot be read at present, and sends it once the subject can be read', async () => {
    let isUnreadable = true
    const { outbox, clock, queued, begun, rejected } = createQueueBench(1, {
      begin: () => true,
      prepare: () => Promise.resolve(go),
      build() {
        if (isUnreadable) throw new CataloguedError('store.unavailable')
        return () => Promise.resolve({ kind: 'answer', status: 201, value: found.answer, serverDate: null })
      },
    })
    outbox.start()
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(queued).toHaveLength(1)
    isUnreadable = false
    clock.advance(standardPace.firstRetryMs * 2)
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(begun).toEqual(['c0'])
    expect(rejected).toEqual([])
    await outbox.close()
  })

  it('tries again at once when an operator first requests it, and only one more time for a thousand further requests within two seconds', async () => {
    const offline = failure('network.offline')
    const { outbox, clock, begun } = createQueueBench(8, {
      begin: () => true,
      prepare: () => Promise.resolve(go),
      build: () => () => Promise.resolve({ kind: 'not_sent', failure: offline }),
    })
    const rest = async (): Promise<void> => {
      for (let turns = 0; turns < 40; turns++) await turn()
    }
    outbox.start()
    await rest()
    // these failed tries make the pauses longer than the rest of this test
    for (let tries = 0; tries < 8; tries++) {
      clock.advance(100_000)
      await rest()
    }
    const before = begun.length
    outbox.retryNow()
    await rest()
    const first = begun.length - before
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThanOrEqual(4)
    for (let request = 0; request < 1_000; request++) {
      outbox.retryNow()
      clock.advance(1)
      if (request % 50 === 0) await rest()
    }
    await rest()
    expect(begun.length - before).toBe(first)
    clock.advance(1_000)
    await rest()
    expect(begun.length - before).toBeGreaterThan(first)
    expect(begun.length - before).toBeLessThanOrEqual(8)
    await outbox.close()
  })

  it('sends ten commands that can be sent although forty others cannot', async () => {
    const why = failure('api.unavailable', { status: 500 })
    const isStuck = ({ id }: CommandRow): boolean => Number(id.slice(1)) < 40
    const { outbox, queued, begun, noted } = createQueueBench(50, {
      begin: () => true,
      prepare: (command) => Promise.resolve(isStuck(command) ? { kind: 'not_now', failure: why } : go),
    })
    outbox.start()
    for (let turns = 0; turns < 200; turns++) await turn()
    expect(begun).toHaveLength(10)
    expect(queued).toHaveLength(40)
    expect(queued.every(isStuck)).toBe(true)
    // each of the forty commands that cannot be sent was tried once, and at most once more after the first response to
    // one of the other ten had shown that the connection is online
    expect(new Set(noted).size).toBe(40)
    expect(noted.length).toBeLessThanOrEqual(80)
    await outbox.close()
  })
})

describe('an outbox with commands whose calls fail each time', () => {
  const refusal = (status: number, code: ErrorCode): ApiOutcome<Answer> => ({
    ...{ kind: 'refused', status, failure: failure(code), serverDate: null },
  })
  const outcomes = {
    redirect: { kind: 'not_sent', failure: failure('network.not_the_service', { host: 'h' }) },
    too_many: refusal(429, 'api.too_many_requests'),
    unauthorised: refusal(401, 'session.expired'),
  } as const satisfies Record<string, ApiOutcome<Answer>>
  type Fault = keyof typeof outcomes
  const faults = Object.keys(outcomes) as Fault[]
  /**
   * The expected maximum number of calls between two pauses of the outbox. A 401 doubles it: the desk then gets a new
   * token and repeats the call once for each command.
   */
  const mostCalls = (fault: Fault): number => (fault === 'unauthorised' ? 8 : 4)

  /** Creates an outbox whose calls end with `fault` for each command whose number is in `stuck`. */
  const createStuckBench = (total: number, stuck: ReadonlySet<number>, fault: Fault) => {
    const bench = createQueueBench(total, {
      begin: () => true,
      prepare: () => Promise.resolve({ kind: 'go', baseline: null, serviceTime: null }),
      build:
        ({ id }) =>
        () =>
          Promise.resolve(
            stuck.has(Number(id.slice(1)))
              ? outcomes[fault]
              : { kind: 'answer', status: 201, value: found.answer, serverDate: null },
          ),
    })
    const rest = async (): Promise<void> => {
      for (let before = -1; before !== bench.begun.length;) {
        before = bench.begun.length
        for (let turns = 0; turns < 12; turns++) await turn()
      }
    }
    /** Waits until the pause is over and the calls after it have ended. Returns the commands of these calls. */
    const nextCalls = async (): Promise<string[]> => {
      const before = bench.begun.length
      bench.clock.advance(100_000)
      await rest()
      return bench.begun.slice(before)
    }
    return { ...bench, rest, nextCalls }
  }

  it.each(faults)(
    'sends the fifth command after the pause, even if the first four commands always end with %s',
    async (fault) => {
      const { outbox, queued, begun, rest, nextCalls } = createStuckBench(5, new Set([0, 1, 2, 3]), fault)
      outbox.start()
      await rest()
      expect(begun).not.toContain('c4')
      await nextCalls()
      expect(begun).toContain('c4')
      expect(queued.map(({ id }) => id)).toEqual(['c0', 'c1', 'c2', 'c3'])
      await outbox.close()
    },
  )

  it('sends a new command at once when the operator requests a retry during the pause of forty failing commands', async () => {
    const stuck = new Set(Array.from({ length: 40 }, (_, number) => number))
    const { outbox, queued, begun, rest, nextCalls } = createStuckBench(41, stuck, 'redirect')
    const [newest] = queued.splice(40)
    outbox.start()
    for (let pauses = 0; pauses < 13; pauses++) await nextCalls()
    expect(new Set(begun).size).toBe(40)
    if (newest) queued.push(newest)
    outbox.retryNow()
    await rest()
    expect(queued).toHaveLength(40)
    expect(queued).not.toContain(newest)
    await outbox.close()
  })

  it('tries all commands in turn, four after each pause, or three once all were tried; the command that the operator chose comes first', async () => {
    const { outbox, begun, rest, nextCalls } = createStuckBench(10, new Set(Array(10).keys()), 'redirect')
    outbox.start()
    await rest()
    expect(begun).toEqual(['c0', 'c1', 'c2', 'c3'])
    // one of these four commands was tried before, because otherwise many new commands would delay the retries
    expect(await nextCalls()).toEqual(['c4', 'c5', 'c6', 'c0'])
    expect(await nextCalls()).toEqual(['c7', 'c8', 'c9', 'c1'])
    expect(await nextCalls()).toEqual(['c2', 'c3', 'c4'])
    const before = begun.length
    outbox.hurry(commandIdOf('c1'))
    await rest()
    expect(begun.slice(before)).toEqual(['c1', 'c5', 'c6', 'c0'])
    await outbox.close()
  })

  it('sends all other commands, and then makes at most four calls between two pauses, or eight if the calls fail with 401', async () => {
    const cases = fc.record({
      total: fc.integer({ min: 1, max: 60 }),
      stuck: fc.uniqueArray(fc.nat(59)),
      fault: fc.constantFrom(...faults),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ total, stuck, fault }) => {
        const { outbox, queued, rest, nextCalls } = createStuckBench(total, new Set(stuck), fault)
        const isStuck = (id: string): boolean => stuck.includes(Number(id.slice(1)))
        outbox.start()
        await rest()
        // one slot is kept for a repeated command, whose failure begins the next pause; so only three other commands
        // are sent before this pause
        for (let pauses = 0; pauses < Math.ceil(total / 3); pauses++) {
          const others = queued.filter(({ id }) => !isStuck(id)).length
          const calls = (await nextCalls()).filter(isStuck)
          // after a pause, at most `mostCalls` calls follow if all of them fail. A successful command lets the outbox
          // make more calls without another pause, so the number is checked only if no queued command can succeed
          if (others === 0) expect(calls.length).toBeLessThanOrEqual(mostCalls(fault))
        }
        expect(queued.every(({ id }) => isStuck(id))).toBe(true)
        await outbox.close()
      }),
      { seed, numRuns: count(20, 500) },
    )
  })
})
