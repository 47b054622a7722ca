import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { sessionSuite } from './session.ts'

describe('a desk in the suite `session`', () => {
  it('sends each write once after an outage, in each of four cases: its login is refreshed, the refresh is refused, no login was stored at a restart, or the desk was killed before it stored a new login', async () => {
    const { passed, figures } = await sessionSuite({ count: count(4, 100), seed })
    expect(figures).toMatchObject({
      wrongState: 0,
      wrongRefreshes: 0,
      sentWithoutLogin: 0,
      unsettled: 0,
      lost: 0,
      duplicated: 0,
    })
    expect(passed).toBe(true)
  }, 3_600_000)
})
