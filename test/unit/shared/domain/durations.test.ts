import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { durationBetween, Durations, longestDurationMs } from '#shared/domain/durations.ts'
import { count, seed } from '#support/counts.ts'

const anyMs = fc.oneof(
  fc.double({ min: 0, max: longestDurationMs, noNaN: true }),
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.constantFrom(0, 1, 1.05, longestDurationMs),
)

function exact(sorted: readonly number[], share: number): number {
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN
}

describe('Durations', () => {
  it('returns percentiles that do not decrease as the share increases, and that differ from the exact percentiles by at most 2.5 %, or by at most 1 ms if the exact one is at most 1 ms', () => {
    fc.assert(
      fc.property(fc.array(anyMs, { minLength: 1, maxLength: 300 }), (all) => {
        const durations = new Durations()
        for (const ms of all) durations.add(ms, 0)
        const sorted = all.toSorted((a, b) => a - b)
        let before = 0
        for (const share of [0, 0.01, 0.5, 0.95, 0.99, 1]) {
          const found = durations.percentile(share) ?? Number.NaN
          const right = exact(sorted, share)
          expect(Math.abs(found - right)).toBeLessThanOrEqual(Math.max(right <= 1 ? 1 : 0, right * 0.025))
          expect(found).toBeGreaterThanOrEqual(before)
          before = found
        }
        expect(durations.count).toBe(all.length)
        expect(durations.slowest?.ms).toBe(sorted.at(-1))
        expect(before).toBeLessThanOrEqual(sorted.at(-1) ?? Number.NaN)
      }),
      { seed, numRuns: count(300, 20_000) },
    )
  })

  it('returns percentiles that are right within 2.5 % for 10,000 scans of a day in mixed order', () => {
    const durations = new Durations()
    for (let n = 0; n < 10_000; n++) durations.add(((n * 7_919) % 10_000) / 10, n)
    expect(durations.count).toBe(10_000)
    expect(Math.abs((durations.percentile(0.5) ?? 0) - 500)).toBeLessThan(12.5)
    expect(Math.abs((durations.percentile(0.95) ?? 0) - 950)).toBeLessThan(0.025 * 950)
  })

  it('returns null for a percentile if no duration was added, and reports the first of several equally slow durations as the slowest', () => {
    const durations = new Durations()
    expect([durations.percentile(0.5), durations.slowest, durations.count]).toEqual([null, null, 0])
    durations.add(20, 1_000)
    durations.add(20, 2_000)
    durations.add(3, 3_000)
    expect(durations.slowest).toEqual({ ms: 20, atMs: 1_000 })
  })
})

describe('the duration between two moments', () => {
  const from = { ticksMs: 100, wallMs: 1_000_000 }

  it.each([
    ['both clocks agree', 42, 42, 42],
    ['the clock of the computer is adjusted a little', 42, 900, 42],
    ['it is ten minutes long', 600_000, 600_000, 600_000],
    ['the clock was set back', 42, -3_600_000, null],
    ['the clock was set forward', 42, 3_600_000, null],
    ['the computer slept, which the monotonic clock does not count', 42, 28_800_000, null],
    ['the time stamp is ahead of the clock', -5, -5, null],
    ['it is longer than ten minutes', 600_001, 600_001, null],
  ])(
    'is the measured time, or null if the measured time is implausible: %s',
    (_where, ticks, wall, expected) => {
      expect(durationBetween(from, { ticksMs: 100 + ticks, wallMs: 1_000_000 + wall })).toBe(expected)
    },
  )
})
