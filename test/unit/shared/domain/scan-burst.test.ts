import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BurstWatch, handPauseMs } from '#shared/domain/scan-burst.ts'
import { count, seed } from '#support/counts.ts'

describe('BurstWatch', () => {
  it('marks a code as part of a burst if it begins sooner after the previous code than an operator could scan', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(1_000), fc.nat(handPauseMs)), { minLength: 1, maxLength: 20 }),
        (scans) => {
          const watch = new BurstWatch()
          let nowMs = 0
          for (const [index, [pauseMs, lengthMs]] of scans.entries()) {
            nowMs += pauseMs
            expect(watch.begin(nowMs)).toBe(index > 0 && pauseMs <= handPauseMs)
            nowMs += lengthMs
            watch.heard(nowMs)
          }
        },
      ),
      { seed, numRuns: count(200, 10_000) },
    )
  })

  it('measures the pause before a code from the last key of the scanner, and never marks the first code', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(handPauseMs), { maxLength: 30 }), fc.boolean(), (pauses, isBehindCode) => {
        const watch = new BurstWatch()
        let nowMs = 1_000
        if (isBehindCode) watch.begin(nowMs)
        for (const pauseMs of pauses) watch.heard((nowMs += pauseMs))
        expect(watch.begin(nowMs + handPauseMs)).toBe(isBehindCode)
        expect(watch.begin(nowMs + 2 * handPauseMs)).toBe(true)
        expect(watch.begin(nowMs + 3 * handPauseMs + 1)).toBe(false)
      }),
      { seed, numRuns: count(200, 10_000) },
    )
  })
})
