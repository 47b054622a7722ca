import { describe, expect, it } from 'vitest'
import { QuietTime } from '#desk/outbox/quiet-time.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import { fakeClock } from '#support/desk-fakes.ts'

const quietMs = 60_000

/** A write whose connection broke so long before `now`. */
function broken(now: number, agoMs: number): CommandRow {
  return { id: 'c', endedAt: now - agoMs } as CommandRow
}

describe('the quiet time of a write in doubt', () => {
  it('goes on where it was after a restart, and does not begin anew with the first look', () => {
    const clock = fakeClock()
    const quiet = new QuietTime(clock, quietMs)
    const command = broken(clock.now(), 45_000)
    expect(quiet.leftMs(command)).toBe(15_000)
    quiet.nextLookMs(command)
    expect(quiet.leftMs(command)).toBe(15_000)
    clock.advance(15_000)
    expect(quiet.leftMs(command)).toBe(0)
  })

  it('is waited for in full where the clock was set back over the restart', () => {
    const clock = fakeClock()
    const quiet = new QuietTime(clock, quietMs)
    const command = broken(clock.now(), -3600_000)
    expect(quiet.leftMs(command)).toBe(quietMs)
    quiet.nextLookMs(command)
    clock.advance(quietMs - 1)
    expect(quiet.leftMs(command)).toBe(1)
  })

  it('is over after a restart long afterwards', () => {
    const clock = fakeClock()
    const quiet = new QuietTime(clock, quietMs)
    expect(quiet.leftMs(broken(clock.now(), 24 * 3600_000))).toBe(0)
  })

  it('lets what another desk may have made be looked at once more, a thirtieth of it later', () => {
    const clock = fakeClock()
    const quiet = new QuietTime(clock, quietMs)
    quiet.begin('c')
    expect(quiet.isToBeSeenAgain('c')).toBe(true)
    clock.advance(1_999)
    expect(quiet.isToBeSeenAgain('c')).toBe(true)
    clock.advance(1)
    expect(quiet.isToBeSeenAgain('c')).toBe(false)
  })
})
