import { createSubscriber } from 'svelte/reactivity'

/** What takes keys for itself: they end in another document, and this window never hears them. */
const frames = new Set(['IFRAME', 'FRAME', 'WEBVIEW', 'OBJECT', 'EMBED', 'FENCEDFRAME'])

/**
 * Whether keys reach this document. The browser counts a document as focused while one of its frames is; tools for
 * developers, a child window and every other program take the focus from it.
 */
export function hearsKeys(document: {
  readonly hasFocus: () => boolean
  readonly activeElement: Pick<Element, 'tagName'> | null
}): boolean {
  return document.hasFocus() && !frames.has(document.activeElement?.tagName.toUpperCase() ?? '')
}

/** Not every change of focus is told (a docked inspector, a desktop that was switched): looked at this often as well. */
const lookEveryMs = 1000
const events = [
  'focus',
  'blur',
  'focusin',
  'focusout',
  'visibilitychange',
  'pageshow',
  'pointerdown',
] as const

/** Calls back whenever it may have changed, until the returned function is called. */
export function watchFocus(window: Window, changed: () => void): () => void {
  const capture = { capture: true }
  let before = hearsKeys(window.document)
  function look(): void {
    const now = hearsKeys(window.document)
    if (now === before) return
    before = now
    changed()
  }
  // with a blur into a frame the active element changes only after the event
  function lookSoon(): void {
    look()
    window.setTimeout(look, 0)
  }
  for (const event of events) window.addEventListener(event, lookSoon, capture)
  const timer = window.setInterval(look, lookEveryMs)
  return () => {
    for (const event of events) window.removeEventListener(event, lookSoon, capture)
    window.clearInterval(timer)
  }
}

const subscribe = createSubscriber((update) => watchFocus(window, update))

/** Whether keys reach this window, and so whether a scan would be heard. Redraws what reads it. */
export function windowHasFocus(): boolean {
  subscribe()
  return hearsKeys(document)
}
