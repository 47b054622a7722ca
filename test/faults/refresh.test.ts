import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { refreshSuite } from './refresh.ts'

describe('a desk in the suite `refresh`', () => {
  it('refreshes a refused token once, however many calls were refused with it, and loses no write', async () => {
    const rounds = count(3, 200)
    const { passed, figures } = await refreshSuite({ count: rounds, seed })
    expect(figures).toMatchObject({
      refreshesOfRounds: rounds,
      refreshes: rounds,
      failed: 0,
      unstored: 0,
      unsettled: 0,
      lost: 0,
      duplicated: 0,
    })
    expect(passed).toBe(true)
  }, 3_600_000)
})
