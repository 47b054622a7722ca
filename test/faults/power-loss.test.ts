import { expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { canRecord, powerLoss } from './power-loss.ts'

it.skipIf(!canRecord())(
  'the suite power-loss loses nothing acknowledged, and detects a loss with synchronous=NORMAL without the journal',
  { timeout: 3_600_000 },
  async () => {
    const { passed, figures } = await powerLoss({ count: count(16, 2_000), seed })
    expect(figures).toMatchObject({ productLost: 0, databaseAloneLost: 0, journalAloneLost: 0 })
    expect(figures['controlLost']).toBeGreaterThan(0)
    expect(passed).toBe(true)
  },
)
