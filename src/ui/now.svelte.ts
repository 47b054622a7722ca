import { createSubscriber } from 'svelte/reactivity'

/** Ages are shown in minutes. Ten seconds keep them correct without waking the machine all the time. */
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

/** Returns the time in ms. Code that reads it while drawing is redrawn every ten seconds. */
export function nowMs(): number {
  subscribe()
  return Date.now()
}

/** Returns the time in ms for countdowns. Code that reads it while drawing is redrawn every second. */
export function nowBySecondMs(): number {
  subscribeToSeconds()
  return Date.now()
}
