import { createSubscriber } from 'svelte/reactivity'

const subscribe = createSubscriber((update) => {
  window.addEventListener('focus', update)
  window.addEventListener('blur', update)
  return () => {
    window.removeEventListener('focus', update)
    window.removeEventListener('blur', update)
  }
})

/** Whether keys reach this window, and so whether a scan would be heard. Redraws what reads it. */
export function windowHasFocus(): boolean {
  subscribe()
  return document.hasFocus()
}
