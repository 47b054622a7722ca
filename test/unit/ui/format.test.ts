import { afterEach, describe, expect, it } from 'vitest'
import { getLocale, overwriteGetLocale } from '#messages/runtime.js'
import {
  formatAge,
  formatBytes,
  formatCountry,
  formatDate,
  formatDateTime,
  formatDaysFromNow,
  formatElapsed,
  formatMilliseconds,
  formatMoment,
  formatNumber,
} from '#ui/format.ts'

const nowMs = new Date('2026-11-21T14:07:00').getTime()
const ago = (minutes: number): string => new Date(nowMs - minutes * 60_000).toISOString()

// test files of the same worker share the locale getter, so it is restored
const before = getLocale
afterEach(() => {
  overwriteGetLocale(before)
})

describe('the English formats of times', () => {
  it('show an age in words, such as "3 min ago"', () => {
    overwriteGetLocale(() => 'en')
    expect([0.5, 3, 180, 4320].map((minutes) => formatAge(ago(minutes), nowMs))).toEqual([
      'just now',
      '3 min ago',
      '3 hr ago',
      '3 days ago',
    ])
  })

  it('show a time that is ahead of the clock of this computer as "just now"', () => {
    overwriteGetLocale(() => 'en')
    expect(formatAge(ago(-30), nowMs)).toBe('just now')
  })

  it('contain the year only if it is not the current year', () => {
    overwriteGetLocale(() => 'en')
    expect(formatDate('2026-11-12T10:00:00Z', nowMs)).toBe('12 Nov')
    expect(formatDate('2025-11-12T10:00:00Z', nowMs)).toBe('12 Nov 2025')
    expect(formatMoment(ago(5), nowMs)).toBe('14:02')
    expect(formatMoment(ago(5 * 1440), nowMs)).toBe('16 Nov')
  })
})

describe('the formats of values', () => {
  it('show sizes, days and times in English', () => {
    overwriteGetLocale(() => 'en')
    expect([0, 1, 999, 1000, 412_300, 1_240_000, 52_300_000, 3e12].map(formatBytes)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1 kB',
      '412 kB',
      '1.2 MB',
      '52 MB',
      '3,000 GB',
    ])
    expect([-4, 0, 1, 11].map(formatDaysFromNow)).toEqual(['4 days ago', 'today', 'tomorrow', 'in 11 days'])
    expect(formatDateTime(ago(5), nowMs)).toBe('14:02')
    expect(formatDateTime(ago(5 * 1440), nowMs)).toBe('16 Nov, 14:07')
  })

  it('show sizes, days and numbers in Dutch', () => {
    overwriteGetLocale(() => 'nl')
    expect(formatBytes(1_240_000)).toBe('1,2 MB')
    expect(formatDaysFromNow(1)).toBe('morgen')
    expect(formatAge(ago(3), nowMs)).toBe('3 min. geleden')
    expect(formatNumber(1200)).toBe('1.200')
    expect(formatCountry('NL')).toBe('Nederland')
    expect(formatCountry('Nederland')).toBe('Nederland')
    expect(formatCountry('5f0c6b1e-8f5e-4a3d-8d4b-1c2f3a4b5c6d')).toBe('land onbekend')
    expect(formatMilliseconds(84.4)).toBe('84 ms')
  })
})

it('a measured duration is shown in milliseconds, seconds or minutes', () => {
  overwriteGetLocale(() => 'en')
  const all = [0.2, 84.4, 999.4, 999.6, 1_420, 59_400, 59_700, 74_300, 600_000].map(formatElapsed)
  expect(all).toEqual([
    ...['0 ms', '84 ms', '999 ms', '1 s', '1.4 s', '59.4 s', '1 min 0 s', '1 min 14 s', '10 min 0 s'],
  ])
  overwriteGetLocale(() => 'nl')
  expect(formatElapsed(1_420)).toBe('1,4 s')
})
