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

  it('is replaced by the nearest time between 1970 and 2100 if it is already stored and is outside this range', () => {
    const nearest = (text: string): string => new Date(nearestMoment(Date.parse(text))).toISOString()
    expect(nearest('9999-12-31T23:59:59-23:59')).toBe('2100-01-01T00:00:00.000Z')
    expect(nearest('1969-12-31T23:59:59Z')).toBe('1970-01-01T00:00:00.000Z')
    expect(nearest('2026-06-01T12:00:00Z')).toBe('2026-06-01T12:00:00.000Z')
  })

  it('is not plausible if it is not a number', () => {
    expect(isPlausibleMoment(Number.NaN)).toBe(false)
  })
})
