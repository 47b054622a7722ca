import { createSubscriber } from 'svelte/reactivity'

/**
 * Elements with an embedded document. While one of them has the focus, keys go to its document and this window never
 * receives them.
 */
const frames = new Set(['IFRAME', 'FRAME', 'WEBVIEW', 'OBJECT', 'EMBED', 'FENCEDFRAME'])

/**
 * Whether keys reach this document. The browser also counts a document as focused while one of its frames is focused.
 * Developer tools, a child window and other programs can take the focus.
 */
export function hearsKeys(document: {
  readonly hasFocus: () => boolean
  readonly activeElement: Pick<Element, 'tagName'> | null
}): boolean {
  return document.hasFocus() && !frames.has(document.activeElement?.tagName.toUpperCase() ?? '')
}

/**
 * Interval for checking the focus, in milliseconds. Some changes of focus cause no event, for example a docked
 * inspector or a switched desktop.
 */
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

/** Calls back whenever the result of `hearsKeys` has changed, until the returned function is called. */
export function watchFocus(window: Window, changed: () => void): () => void {
  const capture = { capture: true }
  let before = hearsKeys(window.document)
  function look(): void {
    const now = hearsKeys(window.document)
    if (now === before) return
    before = now
    changed()
  }
  // when the focus moves into a frame, the active element changes only after the blur event, so it is checked again
  // after the event
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

/**
 * Whether keys reach this window, so that scans of keyboard scanners are received. Reactive: a component that reads
 * this value is redrawn after a change.
 */
export function windowHasFocus(): boolean {
  subscribe()
  return hearsKeys(document)
}
