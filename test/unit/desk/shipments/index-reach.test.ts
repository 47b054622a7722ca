import { describe, expect, it } from 'vitest'
import { IndexReach } from '#desk/shipments/index-reach.ts'
import { memoryValues } from '#support/desk-fakes.ts'

const standard = { days: 171, mostDays: 171 }

describe('IndexReach', () => {
  it('returns the days of the chosen number of months, but at most the days for which records are kept', () => {
    const settings = memoryValues()
    const reach = new IndexReach(settings, standard)
    expect([reach.months(), reach.days(), reach.isCut]).toEqual([6, 171, false])
    reach.keep(1)
    expect([reach.months(), reach.days()]).toEqual([1, 30])
    reach.keep(12)
    expect([reach.days(), reach.isCut]).toEqual([171, true])
    reach.keepAtMost(400)
    expect([reach.days(), reach.isCut]).toEqual([365, false])
    expect(new IndexReach(settings, standard).months()).toBe(12)
  })

  it('returns the default number of days when the stored choice is invalid or no choice is possible', () => {
    for (const kept of ['', '0', '25', '1.5', 'x'])
      expect(new IndexReach(memoryValues(new Map([['shipments.months', kept]])), standard).days()).toBe(171)
    const fixed = new IndexReach(null, standard)
    fixed.keep(1)
    expect(fixed.days()).toBe(171)
    fixed.keepAtMost(20)
    expect(fixed.days()).toBe(20)
  })
})
