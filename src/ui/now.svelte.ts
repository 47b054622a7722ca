import { createSubscriber } from 'svelte/reactivity'

/**
 * Interval for updating ages on the screen, in milliseconds. The screen shows ages in minutes, so an update every ten
 * seconds is exact enough, and it uses little power.
 */
const subscribe = every(10_000)
const subscribeToSeconds = every(1_000)

function every(tickMs: number): () => void {
  return createSubscriber((update) => {
    const timer = setInterval(update, tickMs)
    return () => {
      clearInterval(timer)
    }
  })
}

/** Returns the current time in ms. A component that reads this time is redrawn every ten seconds. */
export function nowMs(): number {
  subscribe()
  return Date.now()
}

/** Returns the current time in ms, for countdowns. A component that reads this time is redrawn every second. */
export function nowBySecondMs(): number {
  subscribeToSeconds()
  return Date.now()
}
