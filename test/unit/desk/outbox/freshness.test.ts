import { beforeEach, describe, expect, it } from 'vitest'
import { Freshness } from '#desk/outbox/freshness.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'

const minuteMs = 60_000
let clock: FakeClock
let username: string | null
let freshness: Freshness

const made = (by: string | null): CommandRow => ({
  id: 'c',
  subject: { kind: 'modification', id: 'm' },
  aggregate: 'm',
  type: 'modification.create',
  payload: null,
  state: 'queued',
  needsOperator: false,
  attempts: 0,
  createdAt: clock.now(),
  stateAt: clock.now(),
  firstSentAt: null,
  endedAt: null,
  baseline: null,
  failure: null,
  madeBy: by,
  question: null,
  acknowledged: [],
  sendsUnseen: false,
  watchedAt: null,
  lookAroundAt: null,
})

beforeEach(() => {
  clock = fakeClock()
  username = 'sam'
  freshness = new Freshness(clock, minuteMs, () => username)
})

describe('whether a write has waited', () => {
  it('is so a minute after it was made, until it was checked, and a minute after that again', () => {
    const command = made('sam')
    clock.advance(minuteMs)
    expect(freshness.hasWaited(command)).toBe(false)
    clock.advance(1)
    expect(freshness.hasWaited(command)).toBe(true)
    freshness.checked('c')
    expect(freshness.hasWaited(command)).toBe(false)
    clock.advance(minuteMs + 1)
    expect(freshness.hasWaited(command)).toBe(true)
  })

  it('is so at once for somebody else', () => {
    const command = made('sam')
    username = 'kim'
    expect(freshness.hasWaited(command)).toBe(true)
    // rows of an older version say nothing of who made them
    expect(freshness.hasWaited(made(null))).toBe(false)
  })

  it('is so when the clock was set, whichever way', () => {
    const command = made('sam')
    clock.setWall(clock.now() - 24 * 60 * minuteMs)
    expect(freshness.hasWaited(command)).toBe(true)
  })
})
