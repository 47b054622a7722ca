import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BurstWatch, handPauseMs } from '#shared/domain/scan-burst.ts'
import { count, seed } from '#support/counts.ts'

describe('the pause between two scans of one scanner', () => {
  it('decides whether a hand can have triggered the second one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(1_000), fc.nat(400)), { minLength: 1, maxLength: 20 }),
        (scans) => {
          const watch = new BurstWatch()
          let nowMs = 0
          for (const [index, [pauseMs, lengthMs]] of scans.entries()) {
            const beganMs = nowMs + pauseMs
            const inBurst = watch.take({ beganMs, endedMs: beganMs + lengthMs })
            expect(inBurst).toBe(index > 0 && pauseMs <= handPauseMs)
            nowMs = beganMs + lengthMs
          }
        },
      ),
      { seed, numRuns: count(200, 10_000) },
    )
  })
})
