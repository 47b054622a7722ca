import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { leaseSuite } from './lease.ts'

describe('the send lease of a data directory (suite lease)', () => {
  it('lets only one of many desks send at any time, and lets another desk send after the sending desk was killed', async () => {
    const { passed, figures } = await leaseSuite({ count: count(2, 10), seed })
    expect(figures).toMatchObject({ interleaved: 0, overlapping: 0, waitedInVain: 0, lost: 0, duplicated: 0 })
    expect(passed).toBe(true)
  }, 3_600_000)
})
