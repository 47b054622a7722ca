import { describe, expect, it } from 'vitest'
import { doubtText } from '#place/doubt-text.ts'

const now = Date.parse('2026-11-22T12:00:00.000Z')
const write = (leftMs: number): { certainAt: string } => ({
  certainAt: new Date(now + leftMs).toISOString(),
})

describe('doubtText() for a write without a response', () => {
  it('counts down the seconds to the moment from which a check is conclusive', () => {
    expect(doubtText(write(42_300), null, now)).toContain('43 sec')
    expect(doubtText(write(1_000), null, now)).toContain('1 sec')
  })

  it('contains no duration if the time from which the check is conclusive is past or unknown', () => {
    for (const one of [write(0), write(-5_000), { certainAt: null }, null])
      expect(doubtText(one, null, now)).not.toMatch(/\d/)
  })

  it('says, while there is no connection, that the check follows as soon as the connection is back', () => {
    expect(doubtText(write(42_000), 'offline', now)).toContain('as soon as the connection is back')
  })

  it('says, while no user is logged in, that the check follows as soon as the user logs in', () => {
    expect(doubtText(write(42_000), 'login', now)).toContain('as soon as you log in')
  })
})
