import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { saidAt } from '#desk/timing/said-at.ts'

describe('saidAt()', () => {
  it('returns the date of a response, limited to one day ahead of the clock of this PC, or the time of this PC if the response has no date', () => {
    const clock = { now: () => 1_000 }
    const dayMs = 24 * 3600_000
    expect(saidAt({ serverDate: null }, clock)).toBe(1_000)
    expect(saidAt({ serverDate: 500 }, clock)).toBe(500)
    expect(saidAt({ serverDate: dayMs }, clock)).toBe(dayMs)
    expect(saidAt({ serverDate: Date.parse('2099-01-01T00:00:00Z') }, clock)).toBe(1_000 + dayMs)
  })

  /**
   * These modules declare or pass on `serverDate`, or compare times of the service with each other. `service/line.ts`
   * also derives the service's present time for AgeClock, which has its own check for implausible times.
   */
  const byTheServicesClock = [
    'catalogue/round-calls.ts',
    'labels/recent-labels.ts',
    'modifications/recent-modifications.ts',
    'ports/api.ts',
    'service/line.ts',
  ]

  it('is the only code in electron/desk that contains serverDate, besides the modules of a fixed list', () => {
    const desk = join(import.meta.dirname, '../../../../electron/desk')
    const reading = globSync('**/*.ts', { cwd: desk })
      .filter((file) => /serverDate(?!: number \| null \})/.test(readFileSync(join(desk, file), 'utf8')))
      .sort()
    expect(reading).toEqual([...byTheServicesClock, 'timing/said-at.ts'].sort())
  })
})
