import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { sessionSuite } from './session.ts'

describe('the suite session', () => {
  it('keeps the operator working through every end of an outage, and sends everything once', async () => {
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
