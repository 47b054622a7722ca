import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { clockSuite } from './clock.ts'

describe('a desk whose PC clock jumps (suite clock)', () => {
  it('finds every write whose response was lost, and sends no write twice', async () => {
    const { passed, figures } = await clockSuite({ count: count(2, 100), seed })
    expect(figures).toMatchObject({ unsettled: 0, lost: 0, duplicated: 0, logins: 0, wrongAges: 0 })
    expect(passed).toBe(true)
  }, 3_600_000)
})
