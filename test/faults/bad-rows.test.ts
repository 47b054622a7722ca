import { expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { badRowsSuite } from './bad-rows.ts'

it(
  'in the suite `bad-rows`, no malformed response stops the reads of a desk, and unreadable rows are skipped',
  { timeout: 3_600_000 },
  async () => {
    const { passed, figures } = await badRowsSuite({ count: count(500, 10_000), seed })
    expect(figures).toMatchObject({
      threw: 0,
      torn: 0,
      missing: 0,
      unreadableKept: 0,
      notQuarantined: 0,
      stillQuarantined: 0,
      lost: 0,
    })
    expect(passed).toBe(true)
  },
)
