import type { ClockPort } from '#desk/ports/clock.ts'
import { systemClock } from '#kit/clock.ts'

/** The clocks and timers of the machine, as compose-desk passes them to a desk. */
export const realClock: ClockPort = {
  now: () => systemClock.now(),
  ticks: () => systemClock.ticks(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs)
    return () => clearTimeout(timer)
  },
}
