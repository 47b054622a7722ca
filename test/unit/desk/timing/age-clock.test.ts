import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgeState } from '#desk/ports/store.ts'
import { ageAt, AgeClock } from '#desk/timing/age-clock.ts'
import { count, seed } from '#support/counts.ts'

const dayMs = 24 * 3600_000
const start = Date.parse('2026-01-01T00:00:00Z')
const fresh: AgeState = { reached: null, doubt: null }
const settled: AgeState = { reached: start, doubt: null }

/**
 * Calls ageAt once for each of `days`, the days that the PC's clock shows, and returns the results. `said` returns the
 * day that the service's clock shows on a day of the PC's clock. All days are counted from `start`.
 */
function looks(
  days: readonly number[],
  said: (day: number) => number | null,
  from = settled,
): (number | null)[] {
  let state = from
  return days.map((day) => {
    const serviceDay = said(day)
    const age = ageAt(state, start + day * dayMs, serviceDay === null ? null : start + serviceDay * dayMs)
    state = age.state
    return age.at === null ? null : (age.at - start) / dayMs
  })
}

const daily = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)
const in1971 = (): number => -55 * 365

describe('the clock for the age of records', () => {
  it('returns the time of this PC, or the time of the service if the service’s time is earlier', () => {
    expect(looks([0, 1, 2], (day) => day - 0.5)).toEqual([-0.5, 0.5, 1.5])
    expect(looks([0, 1, 8], (day) => day + 0.5)).toEqual([0, 1, 8])
  })

  it('counts no record as old for a week after the clock of this PC has jumped ahead by more than a week, even if the service confirms the new time, because the clock may have been behind before the jump', () => {
    const held = [null, null, null, null, null, null, null]
    expect(looks([400, 401, 402, 403, 404, 405, 406, 407], (day) => day)).toEqual([...held, 407])
    // a new desk whose clock is years behind and is then corrected, with and without responses of the service before
    // the correction
    expect(looks([-1_800, -1_800, 0, 1], (day) => (day < 0 ? 0 : day), fresh)).toEqual([
      -1_800,
      -1_800,
      null,
      null,
    ])
    expect(looks([-1_800, 0, 1], (day) => (day < 0 ? null : day), fresh)).toEqual([null, null, null])
    expect(looks([0, 1, 2], (day) => (day > 0 ? day : null), fresh)).toEqual([null, 1, 2])
  })

  it('does not advance when the clock of this PC jumps years ahead of the service', () => {
    expect(looks([1, 2_000, 2_001, 3], (day) => day % 1_000)).toEqual([1, 1, 1, 3])
    expect(looks([2_000], () => null)).toEqual([0])
  })

  it('follows the clock of this PC if the service sends no time or a time decades in the past, but stays at the earlier time for a week after the clock of this PC has jumped ahead by more than a year', () => {
    for (const said of [() => null, in1971]) {
      expect(looks([1, 2, 3, 9], said)).toEqual([1, 2, 3, 9])
      expect(looks([400, 402, 404, 406, 408, 409], said)).toEqual([0, 0, 0, 0, 408, 409])
      expect(looks(daily(1, 9), said, fresh).at(-1)).toBe(9)
    }
  })

  it('if the time of the service does not advance, remains at this time for more than a week, and then follows the clock of this PC', () => {
    expect(looks(daily(0, 12), () => 1)).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 11, 12])
  })

  it('without a time of the service, does not advance if the clock of this PC jumps ahead by 400 days three times, or if it jumps ahead by 400 days and is then set back', () => {
    expect(looks([400, 800, 1_200], () => null)).toEqual([0, 0, 0])
    expect(looks([400, 399, 398, 403], () => null)).toEqual([0, 0, 0, 0])
  })

  it('is never ahead of the clock of this PC, and `reached` in its state never decreases', () => {
    const look = fc.record({
      stepDays: fc.oneof(fc.double({ min: 0, max: 3, noNaN: true }), fc.integer({ min: -4_000, max: 4_000 })),
      said: fc.option(fc.integer({ min: -20_000, max: 40_000 })),
    })
    fc.assert(
      fc.property(fc.array(look, { maxLength: 40 }), (all) => {
        let state = fresh
        let day = 0
        for (const { stepDays, said } of all) {
          day += stepDays
          const pcNow = start + day * dayMs
          const before = state.reached ?? -Infinity
          const age = ageAt(state, pcNow, said === null ? null : start + said * dayMs)
          expect(age.at ?? -Infinity).toBeLessThanOrEqual(pcNow)
          expect(age.state.reached ?? -Infinity).toBeGreaterThanOrEqual(before)
          state = age.state
        }
      }),
      { numRuns: count(300, 20_000), seed },
    )
  })

  it('returns to less than one day behind a correct PC clock within 14 days, even if the service sends wrong times', () => {
    const look = fc.record({
      stepDays: fc.double({ min: 0.1, max: 3, noNaN: true }),
      // the time that the service sends: (1) at most 9 days from the time that the age clock has reached, or from the
      // time of the PC; (2) decades in the past; or (3) none
      said: fc.oneof(
        fc.record({
          of: fc.constantFrom('reached', 'now'),
          days: fc.double({ min: -9, max: 9, noNaN: true }),
        }),
        fc.constant({ of: 'now' as const, days: -20_000 }),
        fc.constant(null),
      ),
    })
    fc.assert(
      fc.property(fc.array(look, { maxLength: 80 }), fc.constantFrom(fresh, settled), (all, from) => {
        let state = from
        let day = 0
        let heldSince = 0
        for (const { stepDays, said } of all) {
          day += stepDays
          const pcNow = start + day * dayMs
          const base = said?.of === 'reached' ? (state.reached ?? pcNow) : pcNow
          const age = ageAt(state, pcNow, said && base + said.days * dayMs)
          state = age.state
          if (age.at !== null && age.at >= pcNow - dayMs) heldSince = day
          // A PC clock that is up to 1 day ahead of the service is not doubted. A doubted PC clock is trusted again
          // after it has advanced by 7 days. The test calls ageAt() at intervals of at most 3 days, so the doubt starts
          // up to 3 days late, and also ends up to 3 days late.
          expect(day - heldSince).toBeLessThan(1 + 7 + 2 * 3)
        }
      }),
      { numRuns: count(300, 20_000), seed },
    )
  })

  it('is restored after a restart, and is stored only by advance()', () => {
    let kept = settled
    let day = 400
    const open = (): AgeClock =>
      new AgeClock({
        store: { read: () => kept, write: (state) => (kept = state) },
        clock: { now: () => start + day * dayMs },
        serviceTime: () => null,
      })
    expect(open().now()).toBe(start)
    expect(kept).toBe(settled)
    for (day = 400; day < 408; day += 2) {
      const clock = open()
      expect([clock.advance(), clock.isInDoubt]).toEqual([start, true])
    }
    const clock = open()
    expect([clock.advance(), clock.isInDoubt]).toEqual([start + 408 * dayMs, false])
  })
})
