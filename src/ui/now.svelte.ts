import { createSubscriber } from 'svelte/reactivity'

/** Ages are shown in minutes; ten seconds keep them honest without waking the machine all the time. */
const tickMs = 10_000

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, tickMs)
  return () => {
    clearInterval(timer)
  }
})

/** The time in ms; whatever reads it while drawing is drawn again every ten seconds. */
export function nowMs(): number {
  subscribe()
  return Date.now()
}
