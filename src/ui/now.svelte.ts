import { createSubscriber } from 'svelte/reactivity'

/** Ages are shown in minutes; ten seconds keep them honest without waking the machine all the time. */
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

/** The time in ms; whatever reads it while drawing is drawn again every ten seconds. */
export function nowMs(): number {
  subscribe()
  return Date.now()
}

/** The time in ms, for what counts down: whatever reads it while drawing is drawn again every second. */
export function nowBySecondMs(): number {
  subscribeToSeconds()
  return Date.now()
}
