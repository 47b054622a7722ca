import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { sessionSuite } from './session.ts'

describe('the suite session', () => {
  it('lets the operator work through outages with every kind of end, and sends each write once', async () => {
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
