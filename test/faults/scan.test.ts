import { describe, expect, it } from 'vitest'
import { count, faultsOfControl, seed } from '#support/counts.ts'
import { scanSuite } from './scan.ts'

describe('the scans of a desk in the suite scan', { timeout: 3_600_000 }, () => {
  it('are kept once and in order after kills if the desk had confirmed them', async () => {
    const kills = count(12, 500)
    const { passed, figures } = await scanSuite({ count: kills, seed, control: null })
    expect(figures['findings']).toBeUndefined()
    expect(figures).toMatchObject({ kills, lost: 0, twice: 0, disordered: 0, changed: 0 })
    expect(figures['purges']).toBeGreaterThan(0)
    expect(figures['faultedCalls']).toBeGreaterThan(0)
    expect(passed).toBe(true)
  })

  it('are reported as lost if a deliberate fault lets the desk play the sound of a scan before it saves the scan (control)', async () => {
    const found = faultsOfControl(count(6, 60), async (kills, seed) => {
      const { figures } = await scanSuite({ count: kills, seed, control: 'sound-first' })
      return Number(figures['lost'])
    })
    expect(await found).toBeGreaterThan(0)
  })
})
