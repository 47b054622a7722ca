import type { ClockPort } from '#desk/ports/clock.ts'
import { systemClock } from '#kit/clock.ts'

/** The machine's clocks and timers, as compose-desk gives them to a desk. */
export const realClock: ClockPort = {
  now: () => systemClock.now(),
  ticks: () => systemClock.ticks(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs)
    return () => clearTimeout(timer)
  },
}
