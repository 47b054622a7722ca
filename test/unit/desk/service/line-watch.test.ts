import { describe, expect, it } from 'vitest'
import { createLine, LineWatch } from '#desk/service/line.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { Session } from '#desk/service/session.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { benchScope, memorySecrets } from '#support/desk-bench.ts'
import { fakeClock, memorySessionStore, unusedApi } from '#support/desk-fakes.ts'

const unreachable: ApiOutcome<null> = { kind: 'not_sent', failure: failure('network.offline') }
const refusal: ApiOutcome<null> = {
  kind: 'refused',
  status: 401,
  failure: failure('session.expired'),
  serverDate: null,
}
const answer: ApiOutcome<null> = { kind: 'answer', status: 200, value: null, serverDate: null }

const tokens = { token: 'access', iat: 0, exp: 3600, refresh_token: 'refresh' }

async function begin(isSignedIn = false) {
  const clock = fakeClock()
  const tries: { at: number; access: string | null }[] = []
  let answers: ApiOutcome<unknown> = unreachable
  const line = createLine(clock, () => undefined)
  const api = {
    ...unusedApi,
    login: () => Promise.resolve({ kind: 'answer' as const, status: 200, value: tokens, serverDate: null }),
    listCustomers: () =>
      Promise.resolve({ kind: 'answer' as const, status: 200, value: [], serverDate: null }),
    greet(access: string | null) {
      tries.push({ at: clock.ticks(), access })
      return Promise.resolve(answers)
    },
  }
  const onFault = (error: unknown): void => {
    throw error
  }
  const session = new Session({
    api,
    secrets: memorySecrets(),
    store: memorySessionStore(),
    clock,
    line,
    scope: benchScope,
    changed: () => undefined,
    onFault,
  })
  if (isSignedIn) await session.login({ username: 'sam', password: 'right' })
  const watch = new LineWatch({ line, session, api, clock, everyMs: 10_000, onFault })
  const pass = async (ms: number): Promise<void> => {
    for (let step = 0; step < ms; step += 100) {
      clock.advance(100)
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    }
  }
  return { clock, line, session, watch, tries, pass, answer: (next: ApiOutcome<unknown>) => (answers = next) }
}

describe('LineWatch', () => {
  it('makes calls from the start, even if no operator is signed in, until the service responds', async () => {
    const { watch, tries, pass, line, answer } = await begin()
    watch.kick()
    await pass(900)
    expect(tries).toEqual([])
    await pass(20_000)
    expect(line.isOffline()).toBe(true)
    expect(tries.length).toBeGreaterThan(3)
    answer(refusal)
    await pass(13_000)
    expect(line.view().state).toBe('online')
    const soFar = tries.length
    await pass(120_000)
    expect(tries).toHaveLength(soFar)
  })

  it('retries at intervals that grow to at most 12.2 seconds, even if the clock of the PC is changed', async () => {
    const { line, tries, pass, clock } = await begin()
    line.observe(unreachable)
    for (let minute = 0; minute < 10; minute++) {
      clock.setWall(clock.now() + (minute % 2 === 0 ? -1 : 1) * 24 * 3600_000)
      await pass(60_000)
    }
    const gaps = tries.slice(1).map(({ at }, index) => at - (tries[index]?.at ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(12_200)
    expect(gaps.filter((gap) => gap < 10_000).length).toBeLessThanOrEqual(4)
    expect(tries.length).toBeGreaterThan(45)
  })

  it('sends the access token with its call when the operator is signed in', async () => {
    const { line, tries, pass, answer: say } = await begin(true)
    say(answer)
    line.observe(unreachable)
    await pass(2_000)
    expect(tries.map(({ access }) => access)).toEqual(['access'])
    expect(line.isOffline()).toBe(false)
  })

  it('makes a call soon when the connection is in doubt, and at once when the network is reported to be back', async () => {
    const { line, watch, tries, pass, answer: say } = await begin()
    line.observe(answer)
    say(answer)
    line.observe({ kind: 'ambiguous', status: 502, failure: failure('api.unavailable') })
    await pass(1_500)
    expect(tries).toHaveLength(1)
    expect(line.isInDoubt()).toBe(false)
    say(unreachable)
    line.observe(unreachable)
    await pass(60_000)
    say(refusal)
    watch.retryNow()
    await pass(100)
    expect(line.isOffline()).toBe(false)
  })

  it('reports the connection as good while every page of a long list times out, because its own calls succeed', async () => {
    const { clock, line, session, tries, pass, answer: say } = await begin(true)
    let losses = 0
    line.onLost(() => losses++)
    say(answer)
    for (let page = 1; page <= 20; page++) {
      await session.pageWithAccess(() => {
        clock.advance(20_000)
        return Promise.resolve({ kind: 'ambiguous', status: null, failure: failure('network.timeout') })
      })
      await pass(2_000)
      expect([tries.length, line.isInDoubt()]).toEqual([page, false])
    }
    expect(losses).toBe(0)
  })
})
