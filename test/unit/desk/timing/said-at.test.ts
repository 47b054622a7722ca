import { expect, it } from 'vitest'
import { saidAt } from '#desk/timing/said-at.ts'

it('believes the date of an answer up to a day ahead of this PC', () => {
  const clock = { now: () => 1_000 }
  const dayMs = 24 * 3600_000
  expect(saidAt({ serverDate: null }, clock)).toBe(1_000)
  expect(saidAt({ serverDate: 500 }, clock)).toBe(500)
  expect(saidAt({ serverDate: dayMs }, clock)).toBe(dayMs)
  expect(saidAt({ serverDate: Date.parse('2099-01-01T00:00:00Z') }, clock)).toBe(1_000 + dayMs)
})
