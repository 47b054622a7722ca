import { describe, expect, it } from 'vitest'
import { dateTime, isPlausibleMoment, nearestMoment } from '#shared/wire/primitives.ts'

describe('a time in a record of the service', () => {
  it.each(['1970-01-01T00:00:00Z', '2026-06-20T10:00:00+02:00', '2099-12-31T23:59:59Z'])(
    'is accepted if it is between 1970 and 2100: %s',
    (text) => {
      expect(dateTime.parse(text)).toBe(text)
    },
  )

  it.each([
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59-23:59',
    '2101-01-01T00:00:00Z',
  ])('is refused if it is not between 1970 and 2100, because views cannot show it: %s', (text) => {
    expect(dateTime.safeParse(text).success).toBe(false)
  })

  it('is replaced by the nearest time between 1970 and 2100 if it was stored before and is outside this range', () => {
    expect(new Date(nearestMoment(Date.parse('9999-12-31T23:59:59-23:59'))).toISOString()).toHaveLength(24)
    expect(isPlausibleMoment(Number.NaN)).toBe(false)
  })
})
