import { expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { canRecord, powerLoss } from './power-loss.ts'

it.skipIf(!canRecord())(
  'in the suite power-loss no acknowledged data is lost, and the suite detects the loss of a control with synchronous=NORMAL and without the journal',
  { timeout: 3_600_000 },
  async () => {
    const { passed, figures } = await powerLoss({ count: count(16, 2_000), seed })
    expect(figures).toMatchObject({ productLost: 0, databaseAloneLost: 0, journalAloneLost: 0 })
    expect(figures['controlLost']).toBeGreaterThan(0)
    expect(passed).toBe(true)
  },
)
