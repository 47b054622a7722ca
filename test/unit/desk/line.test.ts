import { describe, expect, it } from 'vitest'
import { createLine } from '#desk/line.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fakeClock } from '#support/desk-fakes.ts'

const answer: ApiOutcome<null> = { kind: 'answer', status: 200, value: null, serverDate: null }
const nobody: ApiOutcome<null> = { kind: 'not_sent', failure: failure('network.offline') }
const unreadable: ApiOutcome<null> = {
  kind: 'ambiguous',
  status: 200,
  failure: failure('api.malformed_answer'),
}

describe('the line', () => {
  it('says once that it is lost and once that it is back, by real answers alone', () => {
    const heard: string[] = []
    const line = createLine(fakeClock(), () => heard.push('changed'))
    line.onLost(() => heard.push('lost'))
    line.onBack(() => heard.push('back'))
    for (const outcome of [unreadable, nobody, nobody, unreadable]) line.observe(outcome)
    expect(line.isOffline()).toBe(true)
    expect(heard).toEqual(['changed', 'lost'])
    for (const outcome of [unreadable, answer, answer]) line.observe(outcome)
    expect(line.isOffline()).toBe(false)
    expect(heard).toEqual(['changed', 'lost', 'changed', 'back'])
  })
})
