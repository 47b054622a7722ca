import { expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { pagingSuite } from './paging.ts'

it(
  'the catalogue becomes equal to the data of the service in spite of changes, faults and kills (suite `paging`)',
  { timeout: 3_600_000 },
  async () => {
    const { passed, figures } = await pagingSuite({ count: count(12, 1_000), seed })
    expect(figures).toMatchObject({
      missing: 0,
      outdated: 0,
      left: 0,
      invented: 0,
      unfindable: 0,
      lotsWrong: 0,
      lost: 0,
    })
    expect(passed).toBe(true)
  },
)
