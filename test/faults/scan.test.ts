import { describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { scanSuite } from './scan.ts'

describe('the suite scan', { timeout: 3_600_000 }, () => {
  it('keeps every confirmed scan once and in order after any kill', async () => {
    const kills = count(12, 500)
    const { passed, figures } = await scanSuite({ count: kills, seed, control: null })
    expect(figures['findings']).toBeUndefined()
    expect(figures).toMatchObject({ kills, lost: 0, twice: 0, disordered: 0, changed: 0 })
    expect(figures['purges']).toBeGreaterThan(0)
    expect(figures['faultedCalls']).toBeGreaterThan(0)
    expect(passed).toBe(true)
  })

  it('detects a sound that is played before the scan is saved', async () => {
    const { figures } = await scanSuite({ count: count(6, 60), seed, control: 'sound-first' })
    expect(figures['lost']).toBeGreaterThan(0)
  })
})
