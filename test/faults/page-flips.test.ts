import { expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { pageFlips } from './page-flips.ts'

it(
  'in the suite `page-flips`, a desk loses no acknowledged data if a database file is damaged, truncated, replaced or missing',
  { timeout: 3_600_000 },
  async () => {
    const { passed, figures } = await pageFlips({ count: count(12, 200), seed })
    expect(figures['findings']).toBeUndefined()
    expect(figures).toMatchObject({ lost: 0, crashes: 0, unseen: 0, deskTouched: 0 })
    expect(passed).toBe(true)
  },
)
