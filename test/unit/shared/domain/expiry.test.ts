import { describe, expect, it } from 'vitest'
import { daysUntil, expiringSoonDays, expiryOf } from '#shared/domain/expiry.ts'

/** Returns noon of a local day, in milliseconds since 1970. */
function noon(year: number, month: number, day: number): number {
  return new Date(year, month - 1, day, 12).getTime()
}

describe('daysUntil()', () => {
  it.each([
    ['2026-11-21', 0],
    ['2026-11-22', 1],
    ['2026-11-20', -1],
    ['2027-01-01', 41],
  ])('returns $1 for the day $0, counted from 21 November 2026', (day, days) => {
    expect(daysUntil(day, noon(2026, 11, 21))).toBe(days)
  })

  it('counts whole days across the changes to and from summer time', () => {
    expect(daysUntil('2026-03-30', noon(2026, 3, 28))).toBe(2)
    expect(daysUntil('2026-10-26', noon(2026, 10, 24))).toBe(2)
  })

  it('counts from the local day, at any time of the day', () => {
    const early = new Date(2026, 10, 21, 0, 1).getTime()
    const late = new Date(2026, 10, 21, 23, 59).getTime()
    expect([daysUntil('2026-11-22', early), daysUntil('2026-11-22', late)]).toEqual([1, 1])
  })
})

describe('expiryOf()', () => {
  const now = noon(2026, 11, 21)
  it.each([
    ['2026-11-20', 'expired'],
    ['2026-11-21', 'soon'],
    ['2026-12-21', 'soon'],
    ['2026-12-22', 'later'],
    [null, 'none'],
  ] as const)('on 21 November 2026 marks a lot with the expiry date $0 as $1', (day, expiry) => {
    expect(expiryOf(day, now)).toBe(expiry)
  })

  it('marks a lot as "soon" from expiringSoonDays days before its expiry', () => {
    expect(daysUntil('2026-12-21', now)).toBe(expiringSoonDays)
  })
})
