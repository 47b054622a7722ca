import { describe, expect, it } from 'vitest'
import { count, faultsOfControl, seed } from '#support/counts.ts'
import { webhooksSuite } from './webhooks.ts'

describe('the webhooks of the middleware in the suite `webhooks`', { timeout: 3_600_000 }, () => {
  it('notify the receiver of every committed change, and of no uncommitted change, although the process is killed', async () => {
    const kills = count(8, 200)
    const { passed, figures } = await webhooksSuite({ count: kills, seed, control: null })
    expect(figures).toMatchObject({ kills, lost: 0, invented: 0, disordered: 0, unsigned: 0 })
    expect(figures['owedAtKills']).toBeGreaterThan(0)
    expect(passed).toBe(true)
  })

  it('lose events, which the suite reports, if each event is written only after its change was committed (a deliberate fault)', async () => {
    const found = faultsOfControl(count(5, 40), async (kills, seed) => {
      const { figures } = await webhooksSuite({ count: kills, seed, control: 'after-commit' })
      return Number(figures['lost'])
    })
    expect(await found).toBeGreaterThan(0)
  })
})
