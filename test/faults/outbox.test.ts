import { describe, expect, it } from 'vitest'
import { count, faultsOfControl, seed } from '#support/counts.ts'
import { outboxSuite } from './outbox.ts'
import type { Control } from './outbox/controls.ts'
import type { Way } from './outbox/site.ts'

// The quiet time is long, because other tests run at the same time, and their load must not delay a write beyond the
// quiet time.
const quietMs = 1_200

async function run(
  options: Readonly<{ way: Way; control: Control | null; kills: number; seed: number }>,
): Promise<Record<string, unknown>> {
  const { figures } = await outboxSuite({ ...options, quietMs })
  return figures
}

describe('the outbox with faults and kills', { timeout: 3_600_000 }, () => {
  it.each(['direct', 'proxy'] as const)(
    'loses no write and sends no write twice (connection: %s)',
    async (way) => {
      const kills = count(way === 'direct' ? 8 : 6, 400)
      const figures = await run({ way, control: null, kills, seed })
      expect(figures, JSON.stringify(figures)).toMatchObject({
        kills,
        lost: 0,
        duplicated: 0,
        wrong: 0,
        paper: 0,
        problems: [],
      })
      expect(figures['operations']).toBeGreaterThanOrEqual(kills * 2)
      // Writes that wait for a decision are rare, but even a run with few kills may have one such write.
      expect(figures['unresolved']).toBeLessThanOrEqual(Math.max(1, Number(figures['operations']) / 100))
    },
  )

  it('sends writes twice, which the suite reports, if it repeats writes without a check (a deliberate fault)', async () => {
    const found = faultsOfControl(count(4, 40), async (kills, seed) =>
      Number((await run({ way: 'direct', control: 'naive', kills, seed }))['duplicated']),
    )
    expect(await found).toBeGreaterThan(0)
  })

  it('loses writes, which the suite reports, if it never sends a write again (a deliberate fault)', async () => {
    const found = faultsOfControl(count(5, 40), async (kills, seed) => {
      const { lost, wrong } = await run({ way: 'direct', control: 'at-most-once', kills, seed })
      // A lost change makes the label at the service differ from the acknowledged label.
      return Number(lost) + Number(wrong)
    })
    expect(await found).toBeGreaterThan(0)
  })
})
