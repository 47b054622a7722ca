import { expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { canRecord, powerLoss } from './power-loss.ts'

it.skipIf(!canRecord())(
  'in the suite power-loss a desk loses no acknowledged data, and a control with synchronous=NORMAL loses some',
  { timeout: 3_600_000 },
  async () => {
    const { passed, figures } = await powerLoss({ count: count(16, 2_000), seed })
    expect(figures).toMatchObject({ productLost: 0, databaseAloneLost: 0, journalAloneLost: 0 })
    expect(figures['controlLost']).toBeGreaterThan(0)
    expect(passed).toBe(true)
  },
)
