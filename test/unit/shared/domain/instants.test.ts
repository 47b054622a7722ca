import { describe, expect, it } from 'vitest'
import type { ClockPort } from '#desk/ports/clock.ts'
import type { Instant, IsoInstant, Milliseconds } from '#shared/domain/instants.ts'

describe('the types Instant, IsoInstant and Milliseconds', () => {
  it('are not assignable to each other, but a calculated number is assignable to Instant and to Milliseconds', () => {
    const swaps = (clock: ClockPort, pauseMs: Milliseconds, written: IsoInstant): unknown => {
      // @ts-expect-error a moment in place of a length of time
      const pause: Milliseconds = clock.now()
      // @ts-expect-error a length of time in place of a moment
      const end: Instant = pauseMs
      // @ts-expect-error a text in place of a moment
      const start: Instant = written
      const passed: Milliseconds = clock.now() - end
      const later: Instant = clock.now() + pauseMs
      return [pause, start, passed, later]
    }
    expect(swaps).toBeTypeOf('function')
  })
})
