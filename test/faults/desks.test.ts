import { describe, expect, it } from 'vitest'
import { count, faultsOfControl, seed } from '#support/counts.ts'
import { type DesksControl, desksSuite } from './desks.ts'

async function run(
  kills: number,
  control: DesksControl | null,
  ownSeed = seed,
): Promise<Record<string, unknown>> {
  const { figures } = await desksSuite({ count: kills, seed: ownSeed, control, desks: [3, count(3, 5)] })
  return figures
}

describe('several desks with simultaneous operators', { timeout: 3_600_000 }, () => {
  it('lose no request of an operator, and make no second label without a question or a notice', async () => {
    const kills = count(6, 400)
    const figures = await run(kills, null)
    expect(figures, JSON.stringify(figures)).toMatchObject({
      kills,
      unasked: 0,
      untold: 0,
      doubled: 0,
      lost: 0,
      problems: [],
    })
    expect(figures['operations']).toBeGreaterThanOrEqual(kills)
    expect(figures['unresolved']).toBeLessThanOrEqual(Math.max(1, Number(figures['operations']) / 100))
  })

  it('make second labels without a question, which the suite reports, if a deliberate fault hides the labels of other desks (control)', async () => {
    const found = faultsOfControl(count(4, 40), async (kills, seed) =>
      Number((await run(kills, 'blind', seed))['unaskedLabels']),
    )
    expect(await found).toBeGreaterThan(0)
  })
})
