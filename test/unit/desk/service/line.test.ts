import { describe, expect, it } from 'vitest'
import { createLine, type Line } from '#desk/service/line.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fakeClock } from '#support/desk-fakes.ts'

const answer: ApiOutcome<null> = { kind: 'answer', status: 200, value: null, serverDate: null }
const refusal: ApiOutcome<null> = {
  kind: 'refused',
  status: 401,
  failure: failure('session.expired'),
  serverDate: null,
}
const unreachable: ApiOutcome<null> = { kind: 'not_sent', failure: failure('network.offline') }
const portal: ApiOutcome<null> = {
  kind: 'ambiguous',
  status: 200,
  failure: failure('network.not_the_service', { host: 'x' }),
}
const unreadable: ApiOutcome<null> = {
  kind: 'ambiguous',
  status: 200,
  failure: failure('api.malformed_answer'),
}
const broken: ApiOutcome<null> = {
  kind: 'ambiguous',
  status: 502,
  failure: failure('api.unavailable', { status: 502 }),
}

function begin() {
  const clock = fakeClock()
  const heard: string[] = []
  const line = createLine(clock, () => heard.push('changed'))
  line.onLost(() => heard.push('lost'))
  line.onBack((wasLost) => heard.push(wasLost ? 'back' : 'there'))
  line.onDoubt(() => heard.push('doubt'))
  return { clock, heard, line }
}

describe('the connection to the service', () => {
  it('reports its loss once and its return once, and takes only a readable response as its return', () => {
    const { line, heard } = begin()
    for (const outcome of [unreadable, unreachable, unreachable, unreadable]) line.observe(outcome)
    expect(line.isOffline()).toBe(true)
    expect(heard).toEqual(['changed', 'lost'])
    for (const outcome of [unreadable, answer, answer]) line.observe(outcome)
    expect(line.isOffline()).toBe(false)
    expect(heard).toEqual(['changed', 'lost', 'changed', 'back'])
  })

  it('is online after a refusal by the service', () => {
    const { line, heard } = begin()
    line.observe(refusal)
    expect(line.view()).toMatchObject({ state: 'online', failure: null })
    expect(heard).toEqual(['changed', 'there'])
  })

  it('still has, after a restart of the desk, the time at which it was lost before the restart', () => {
    const clock = fakeClock()
    let kept: number | null = null
    const outage = { read: () => kept, write: (since: number | null) => void (kept = since) }
    const start = (): Line => createLine(clock, () => undefined, outage)
    const lostAt = new Date(clock.now()).toISOString()
    start().observe(unreachable)
    clock.advance(60_000)
    const again = start()
    again.observe(unreachable)
    expect(again.view()).toMatchObject({ state: 'offline', since: lostAt })
    again.observe(answer)
    expect(kept).toBeNull()
    clock.advance(60_000)
    const later = start()
    later.observe(unreachable)
    expect(later.view().since).toBe(new Date(clock.now()).toISOString())
  })

  it('reports the failure of the last call, and the time at which the connection was lost', () => {
    const { line, heard, clock } = begin()
    const lostAt = clock.now()
    line.observe(unreachable)
    clock.advance(60_000)
    line.observe(portal)
    line.observe(portal)
    expect(line.view()).toEqual({
      state: 'offline',
      since: new Date(lostAt).toISOString(),
      failure: { code: 'network.not_the_service', params: { host: 'x' } },
    })
    expect(heard).toEqual(['changed', 'lost', 'changed'])
    line.observe(answer)
    expect(line.view().failure).toBeNull()
  })

  it('is lost when the service returns only server errors for five seconds', () => {
    const { line, heard, clock } = begin()
    line.observe(answer)
    for (let call = 0; call < 10; call++) line.observe(broken)
    expect(line.isOffline()).toBe(false)
    expect(line.isInDoubt()).toBe(true)
    clock.advance(5_000)
    line.observe(broken)
    expect(line.view()).toMatchObject({ state: 'offline', failure: { code: 'api.unavailable' } })
    expect(heard).toEqual(['changed', 'there', 'doubt', 'changed', 'lost'])
  })

  it('remains online when some calls fail and others succeed', () => {
    const { line, clock } = begin()
    line.observe(answer)
    for (let call = 0; call < 30; call++) {
      line.observe(broken)
      line.observe(broken)
      clock.advance(3_000)
      line.observe(answer)
    }
    expect(line.isOffline()).toBe(false)
    expect(line.isInDoubt()).toBe(false)
  })

  it('becomes doubtful but is not lost when a page of a list times out, unless a response arrived since its request', () => {
    const { line, clock, heard } = begin()
    const timeout: ApiOutcome<null> = {
      kind: 'ambiguous',
      status: null,
      failure: failure('network.timeout'),
    }
    const begun = clock.ticks()
    clock.advance(20_000)
    line.observe(answer)
    line.observePage(timeout, begun)
    expect(line.isInDoubt()).toBe(false)
    line.observePage(timeout, clock.ticks())
    expect([line.isOffline(), line.isInDoubt()]).toEqual([false, true])
    line.observePage(answer, clock.ticks())
    expect([line.isOffline(), line.isInDoubt()]).toEqual([false, false])
    line.observePage(unreachable, clock.ticks())
    expect(line.isOffline()).toBe(true)
    expect(heard).toEqual(['changed', 'there', 'doubt', 'changed', 'lost'])
  })

  it('becomes doubtful but is not lost when a firewall responds to for a page of a list', () => {
    const { line, clock, heard } = begin()
    const blocked: ApiOutcome<null> = { kind: 'not_sent', failure: failure('network.not_the_service') }
    line.observe(answer)
    line.observePage(blocked, clock.ticks())
    expect([line.isOffline(), line.isInDoubt()]).toEqual([false, true])
    expect(heard).toEqual(['changed', 'there', 'doubt'])
    line.observe(blocked)
    expect(line.isOffline()).toBe(true)
  })

  it('becomes doubtful but is not lost when a firewall responds to a write or a read of one record; a timeout of it is a loss', () => {
    const { line, clock, heard } = begin()
    const blocked: ApiOutcome<null> = { kind: 'not_sent', failure: failure('network.not_the_service') }
    line.observe(answer)
    for (const outcome of [blocked, portal]) line.observeOne(outcome, clock.ticks())
    expect([line.isOffline(), line.isInDoubt()]).toEqual([false, true])
    line.observeOne(answer, clock.ticks())
    expect([line.isOffline(), line.isInDoubt()]).toEqual([false, false])
    expect(heard).toEqual(['changed', 'there', 'doubt'])
    line.observeOne({ kind: 'ambiguous', status: null, failure: failure('network.timeout') }, clock.ticks())
    expect(line.isOffline()).toBe(true)
  })

  it('knows when a call with a token last succeeded', () => {
    const { line, clock } = begin()
    expect(line.succeededTicks()).toBe(-Infinity)
    line.observe(answer)
    const succeeded = clock.ticks()
    clock.advance(1_000)
    for (const outcome of [refusal, broken, unreadable]) line.observe(outcome)
    line.observe(answer, undefined, false)
    expect(line.succeededTicks()).toBe(succeeded)
    line.observePage(answer, clock.ticks())
    expect(line.succeededTicks()).toBe(clock.ticks())
  })

  it('does not count as lost when a call that began before the last response times out', () => {
    const { line, clock } = begin()
    const begun = clock.ticks()
    clock.advance(1_000)
    line.observe(answer)
    line.observe({ kind: 'ambiguous', status: null, failure: failure('network.timeout') }, begun)
    expect(line.isOffline()).toBe(false)
    clock.advance(1)
    line.observe({ kind: 'ambiguous', status: null, failure: failure('network.timeout') })
    expect(line.isOffline()).toBe(true)
  })
})

describe('the time of the service that a connection reports', () => {
  it('follows the Date headers of the responses, and advances between responses', () => {
    const { clock, line } = begin()
    expect(line.serviceTime()).toBeNull()
    line.observe(answer)
    expect(line.serviceTime()).toBeNull()
    line.observe({ ...answer, serverDate: 5_000 })
    expect(line.serviceTime()).toBe(5_000)
    clock.advance(700.75)
    expect(line.serviceTime()).toBe(5_700)
    line.observe({ ...refusal, serverDate: 9_000 })
    expect(line.serviceTime()).toBe(9_000)
    line.observe(unreachable)
    expect(line.serviceTime()).toBe(9_000)
  })
})
