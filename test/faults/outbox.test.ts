import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { outboxSuite } from './outbox.ts'
import type { Control } from './outbox/controls.ts'
import type { Way } from './outbox/site.ts'

// A long quiet time, because other tests run at the same time, and their load must not delay a write beyond the quiet
// time.
const quietMs = 1_200

async function run(way: Way, control: Control | null, kills: number): Promise<Record<string, unknown>> {
  const { figures } = await outboxSuite({ kills, seed, way, control, quietMs })
  return figures
}

describe('the outbox with faults and kills', { timeout: 3_600_000 }, () => {
  it.each(['direct', 'proxy'] as const)(
    'loses no write and sends no write twice (connection: %s)',
    async (way) => {
      const kills = count(way === 'direct' ? 8 : 6, 400)
      const figures = await run(way, null, kills)
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

  it('sends writes twice, which the suite reports, if it repeats writes without a check (control)', async () => {
    expect((await run('direct', 'naive', count(4, 40)))['duplicated']).toBeGreaterThan(0)
  })

  it('loses writes, which the suite reports, if it never sends a write again (control)', async () => {
    const { lost, wrong } = await run('direct', 'at-most-once', count(5, 40))
    // A lost change makes the label at the service differ from the acknowledged label.
    expect(Number(lost) + Number(wrong)).toBeGreaterThan(0)
  })
})
