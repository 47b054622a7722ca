import { beforeEach, describe, expect, it } from 'vitest'
import { CommandWaits, standardPace } from '#desk/outbox/command-waits.ts'
import type { CommandRow } from '#desk/ports/commands.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'
import { commandIdOf } from '#support/ids.ts'
import { untried } from '#support/plain-command.ts'

const quietMs = 60_000
const minuteMs = 60_000
let clock: FakeClock
let username: string | null
let waits: CommandWaits

const made = (by: string | null): CommandRow => ({
  ...untried,
  id: commandIdOf('c'),
  subject: { kind: 'modification', id: 'm' },
  aggregate: 'm',
  type: 'modification.create',
  createdAt: clock.now(),
  stateAt: clock.now(),
  madeBy: by,
})

beforeEach(() => {
  clock = fakeClock()
  username = 'sam'
  waits = new CommandWaits(clock, standardPace, quietMs, () => username)
})

describe('CommandWaits.pauseUnfinished()', () => {
  it('pauses a command for five to six seconds, also after many pauses', () => {
    for (let pause = 0; pause < 20; pause++) {
      waits.pauseUnfinished(commandIdOf('c'))
      expect(waits.pausedMs(commandIdOf('c'))).toBeGreaterThanOrEqual(5_000)
      expect(waits.pausedMs(commandIdOf('c'))).toBeLessThanOrEqual(6_000)
      clock.advance(6_000)
    }
    expect(waits.hasPauses).toBe(false)
  })
})

describe('CommandWaits.compareTurns()', () => {
  it('puts a command for which an operator asks before all others, also one that was tried before', () => {
    const [tried, untriedId, later] = [commandIdOf('tried'), commandIdOf('untried'), commandIdOf('later')]
    waits.pause(tried)
    waits.pause(later)
    waits.putFirst(tried)
    const order = [later, untriedId, tried].toSorted((a, b) => waits.compareTurns(a, b))
    expect(order).toEqual([tried, untriedId, later])
  })
})

describe('CommandWaits.isAwaited()', () => {
  it('is true for a command of the last ten minutes without an attempt, and for one for which an operator asks', () => {
    const command = made('sam')
    clock.advance(10 * minuteMs)
    expect(waits.isAwaited(command)).toBe(true)
    expect(waits.isAwaited({ ...command, attempts: 1 })).toBe(false)
    expect(waits.isAwaited({ ...command, madeBy: 'kim' })).toBe(false)
    clock.advance(1)
    expect(waits.isAwaited(command)).toBe(false)
    waits.putFirst(command.id)
    expect(waits.isAwaited({ ...command, attempts: 1 })).toBe(true)
    waits.pause(command.id)
    expect(waits.isAwaited(command)).toBe(false)
  })
})

describe('CommandWaits.hasWaited()', () => {
  it('is true when more than a minute has passed since the command was created or last checked', () => {
    const command = made('sam')
    clock.advance(minuteMs)
    expect(waits.hasWaited(command)).toBe(false)
    clock.advance(1)
    expect(waits.hasWaited(command)).toBe(true)
    waits.checked(commandIdOf('c'))
    expect(waits.hasWaited(command)).toBe(false)
    clock.advance(minuteMs + 1)
    expect(waits.hasWaited(command)).toBe(true)
  })

  it('is true at once when another operator than the author of the command is signed in', () => {
    const command = made('sam')
    username = 'kim'
    expect(waits.hasWaited(command)).toBe(true)
    // a row that an older version of Scandesk stored does not contain the user who created the command
    expect(waits.hasWaited(made(null))).toBe(false)
  })

  it('is true after another operator has logged in, even if the command was checked recently, because that check was for its author', () => {
    const command = made('sam')
    waits.checked(commandIdOf('c'))
    expect(waits.hasWaited(command)).toBe(false)
    username = 'kim'
    expect(waits.hasWaited(command)).toBe(true)
    waits.checked(commandIdOf('c'))
    expect(waits.hasWaited(command)).toBe(false)
  })

  it('is true when the PC has slept since the last check, although the monotonic clock stops during sleep on Linux', () => {
    const command = made('sam')
    waits.checked(commandIdOf('c'))
    clock.setWall(clock.now() + 8 * 60 * minuteMs)
    expect(waits.hasWaited(command)).toBe(true)
    waits.checked(commandIdOf('c'))
    expect(waits.hasWaited(command)).toBe(false)
    // the wall clock was corrected, so the stored time of the last check does not show how long ago the check was
    clock.setWall(clock.now() - 60 * minuteMs)
    expect(waits.hasWaited(command)).toBe(true)
  })

  it('is true when the clock was set back by a day', () => {
    const command = made('sam')
    clock.setWall(clock.now() - 24 * 60 * minuteMs)
    expect(waits.hasWaited(command)).toBe(true)
  })
})

/** Returns a write whose connection ended without a response this many milliseconds before now. */
function broken(now: number, agoMs: number): CommandRow {
  return { id: 'c', endedAt: now - agoMs } as CommandRow
}

describe('CommandWaits.quietMs()', () => {
  it('returns a full quiet time after a restart, and the first look does not extend this time', () => {
    const command = broken(clock.now(), 45_000)
    expect(waits.quietMs(command)).toBe(quietMs)
    clock.advance(20_000)
    expect(waits.quietMs(command)).toBe(quietMs - 20_000)
    waits.nextLookMs(command)
    expect(waits.quietMs(command)).toBe(quietMs - 20_000)
    clock.advance(quietMs - 20_000)
    expect(waits.quietMs(command)).toBe(0)
  })

  it.each([
    { to: 'set back', agoMs: -3600_000 },
    { to: 'corrected forward', agoMs: 3600_000 },
  ])('returns the full quiet time when the clock was $to during the restart', ({ agoMs }) => {
    const command = broken(clock.now(), agoMs)
    expect(waits.quietMs(command)).toBe(quietMs)
    waits.nextLookMs(command)
    clock.advance(quietMs - 1)
    expect(waits.quietMs(command)).toBe(1)
  })

  it('returns the full quiet time when the clock is corrected forward during an attempt after the restart', () => {
    clock.advance(quietMs)
    const command = broken(clock.now(), 0)
    waits.ambiguous(command.id)
    clock.setWall(clock.now() + 3600_000)
    expect(waits.quietMs(command)).toBe(quietMs)
  })
})

describe('CommandWaits.isToBeSeenAgain()', () => {
  it('is true for a thirtieth of the quiet time after the first look that found a record that may be from another desk', () => {
    waits.ambiguous(commandIdOf('c'))
    expect(waits.isToBeSeenAgain(commandIdOf('c'))).toBe(true)
    clock.advance(1_999)
    expect(waits.isToBeSeenAgain(commandIdOf('c'))).toBe(true)
    clock.advance(1)
    expect(waits.isToBeSeenAgain(commandIdOf('c'))).toBe(false)
  })
})
